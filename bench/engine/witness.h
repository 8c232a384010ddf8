/*
 * Decides whether the core is exclusive. Runs the witness (docs/witness.md "The witness",
 * lib/stats/witness_rule.h) in an engine: windows of NOPs and of the ruler between blocks, never
 * between a block's windows. It runs on silicon only, not in an emulator or with counted
 * instructions.
 */
#ifndef BENCH_ENGINE_WITNESS_H
#define BENCH_ENGINE_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"

/* Return the ticks of a window of the witness: bench/engine/witness_windows.asm. */
uint32_t witness_nops(uint32_t iterations);
uint32_t witness_adds(uint32_t iterations);

/*
 * Measures the overhead of the windows, plans how many windows a reading needs, and takes the first
 * readings. Takes a few ms. Execution, the TSC's step and the core cycle must be known before.
 */
void witness_open(struct engine *e);

/* Takes a reading and returns the core cycles per NOP; UNKNOWN if the witness does not run. Takes
 * about 1 us; tens of us if the TSC is coarse. */
double witness_read(struct engine *e);

/* Returns the last reading if it is younger than two readings take; otherwise takes a new one. The
 * reading after a block can thus be the one before the next block. */
double witness_read_before(struct engine *e);

/* Returns whether another block may come before the next reading. This limits the share of time for
 * readings, which are long if the TSC is coarse. */
bool witness_can_wait(const struct engine *e);

/* Returns whether a reading around a block, compared with the best so far, shows a shared core. If
 * the witness does not run, no block is shared. */
bool witness_is_shared(const struct engine *e, double before, double after);

/* Counts a block for the row and the core, shared or not. The row is shared if more than half of
 * its blocks are. */
void witness_note(struct engine *e, double before, double after, struct row *row);

/*
 * Limit the time that the probe spends on repeating shared blocks: about 1 s for all blocks
 * together; with retry_budget=0 none is repeated. witness_may_search() returns whether a block may
 * be repeated. witness_searched() records that a block was repeated, from the TSC value `from`
 * until now.
 */
bool witness_may_search(struct engine *e);
void witness_searched(struct engine *e, uint64_t from);

/* Counts a judged block for the core's share. */
void witness_count(struct engine *e, bool shared);
/* The same, and for the row's. */
static inline void witness_count_row(struct engine *e, bool shared, struct row *row)
{
    witness_count(e, shared);
    row->taken.blocks++;
    row->taken.shared_blocks += shared;
}

#endif
