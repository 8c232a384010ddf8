/*
 * Runs a row's code so that it cannot block the run. If it does not return before deadline=, or
 * faults, it is aborted, the row fails, and the run continues. bench/api/platform.h describes the
 * platform's part. Below it the checks of the row's work and of its figure; each can fail the row.
 */
#ifndef BENCH_ENGINE_GUARD_H
#define BENCH_ENGINE_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/engine/place.h"

/*
 * Calls fn(ctx), which runs windows of the row. True: it returned. False: it did not. Then the row
 * is wrong, and `why` says what ended it and where; or the user stopped the run (poll.h). PKRU that
 * fn changed is restored, and recorded in out->changed.
 */
bool guard_run(const struct engine *e, struct outcome *out, void (*fn)(void *ctx), void *ctx);

/* Call place_object(), which calls the row's setup, before the first window of a placement, and
 * check_work() after the last. They return as guard_run(). */
bool guard_setup(const struct engine *e, struct row *row, const struct placed *p);
bool guard_check(const struct engine *e, struct row *row, const struct placed *p,
                 uint64_t operations);

/* --- checks ----------------------------------------------------------------------------------- */

/* Checks that the object has the state that this number of operations must leave. */
void check_work(const struct placed *p, uint64_t operations, struct row *row);

/*
 * Judges the state that the row's windows changed (window_result). A function fails for registers
 * that it must preserve, and for RFLAGS.DF; bodies in NASM may change these. All other state has
 * been restored, and is recorded in row->out.changed, an x87 stack fault in row->taken.
 * False: the row has failed.
 */
bool check_kept(uint32_t changed, struct row *row);

/* Fails the row if an operation, or a call of the empty body, returned an error although it must
 * not. Fails it also if every operation failed; `good`: the number of windows without an error. */
void check_errors(const struct bench *b, uint64_t good, struct row *row);

/*
 * Checks that an operation executes at least the instructions that the row declares, and more than
 * the empty body (docs/checks.md "Elided work"). Judges whenever instructions were counted, with
 * every method, since this is independent of time. Sets row->work.
 */
void check_instructions(const struct engine *e, struct row *row);

/*
 * Compares the figure with the documented one (docs/checks.md "Truth"). Judges only on silicon,
 * because other figures are not those of a CPU, and only if the core was exclusive. A figure that
 * is too slow proves nothing in a process or under a hypervisor. Sets row->truth.
 */
void check_figure(const struct engine *e, const struct bench *b, struct row *row);

#endif
