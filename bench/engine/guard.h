/*
 * Runs a row's code so that it cannot block the run. If it does not return before deadline=, or
 * faults, it is aborted, the row fails, and the run continues. bench/api/platform.h describes the
 * platform's part.
 */
#ifndef BENCH_ENGINE_GUARD_H
#define BENCH_ENGINE_GUARD_H

#include <stdbool.h>
#include "bench/engine/context.h"
#include "bench/engine/place.h"

/*
 * Calls fn(ctx), which runs windows of the row. True: it returned. False: it did not. Then the row
 * is wrong, and `why` says what ended it and where; or the user stopped the run (poll.h).
 */
bool guard_run(const struct engine *e, struct outcome *out, void (*fn)(void *ctx), void *ctx);

/* Call place_object(), which calls the row's setup, before the first window of a placement, and
 * check_work() after the last. They return as guard_run(). */
bool guard_setup(const struct engine *e, struct row *row, const struct placed *p);
bool guard_check(const struct engine *e, struct row *row, const struct placed *p,
                 uint64_t operations);

#endif
