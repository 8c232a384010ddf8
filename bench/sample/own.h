/*
 * Is this core ours alone? The witness (docs/method.md "The witness", lib/stats/witness.h) in an
 * engine: windows of NOPs and of the ruler between blocks, never between a block's windows. It runs
 * on silicon alone; where instructions are counted, or an emulator keeps the time, there is none.
 */
#ifndef BENCH_SAMPLE_OWN_H
#define BENCH_SAMPLE_OWN_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/context.h"

/* A core's windows of the witness: bench/sample/own_windows.asm. */
uint32_t own_nops(uint32_t turns);
uint32_t own_adds(uint32_t turns);

/*
 * Once it is known what executes this code, how fine the TSC is, and how long a core cycle: finds
 * what the windows take by themselves and how many a reading needs, then takes the first readings.
 * Some ms.
 */
void own_open(struct engine *e);

/* Core cycles a NOP, now; UNKNOWN where the witness does not run. About a microsecond; tens of them
 * where the TSC is coarse. */
double own_read(struct engine *e);

/* The last reading where it is no older than two readings take, else one anew: what ended a block
 * begins the next. */
double own_read_before(struct engine *e);

/* Whether a block more may come before the next reading: so that readings, which take long where
 * the TSC is coarse, have no more than a small part of the time. */
bool own_can_wait(const struct engine *e);

/* Whether both readings around a block are those of an exclusive core, by the best so far. Where
 * the witness does not run nothing is shared. */
bool own_is_shared(const struct engine *e, double before, double after);

/* A block that nothing is left out of: the row's and the core's share, and whether more than half
 * of the row's blocks were shared. */
void own_note(struct engine *e, double before, double after, struct row *row);

/*
 * The probe's search for time in which the core is ours alone: whether a shared block may be taken
 * again, about a second for all blocks together; and that one was, from this TSC until now.
 */
bool own_may_search(struct engine *e);
void own_searched(struct engine *e, uint64_t from);

/* A block that was judged, for the core's share. */
void own_count(struct engine *e, bool shared);

#endif
