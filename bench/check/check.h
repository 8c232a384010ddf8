/* Whether what a row's windows did, and the figure they gave, can be true. Each fails the row. */
#ifndef BENCH_CHECK_CHECK_H
#define BENCH_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/context.h"

/* Whether the object is as this number of operations must leave it. */
void check_work(const struct placed *p, uint64_t operations, struct row *row);

/*
 * What the row's windows changed (window_result). A function fails for registers that it must leave
 * as it found them, and for RFLAGS.DF; bodies in NASM may change these. All else has been put back,
 * and goes to row->changed; a stack fault of the x87 to row->x87_stack_fault. False: the row has
 * failed.
 */
bool check_kept(uint32_t changed, struct row *row);
/* A function of the row's, `who`, changed these registers, which have been put back: the row fails.
 * False: it has failed; true: none was changed. */
bool check_called(const char *who, uint32_t changed, struct row *row);

/* Fails the row where an operation, or a call of what is subtracted, returned an error although it
 * must not; and where every operation did: `good` windows did not. */
void check_errors(const struct bench *b, uint64_t good, struct row *row);

/*
 * docs/method.md "Elided work": an operation executes as many instructions as the row declares, and
 * more than what is subtracted. Wherever they were counted, whatever the method: it has nothing to
 * do with time. Sets row->work.
 */
void check_instructions(const struct engine *e, struct row *row);

/*
 * docs/method.md "Truth": the figure is not apart from what is documented. Only on silicon:
 * elsewhere it is not one of a CPU; and only where the core was ours alone. Sets row->truth and
 * row->truth_vague.
 */
void check_figure(const struct engine *e, const struct bench *b, struct row *row);

#endif
