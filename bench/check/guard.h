/*
 * A row's own code, run so that it cannot hold the machine: what does not come back before
 * deadline=, or faults, is ended, its row fails, and the run goes on. bench/api/platform.h has what
 * each platform does for it.
 */
#ifndef BENCH_CHECK_GUARD_H
#define BENCH_CHECK_GUARD_H

#include <stdbool.h>
#include "bench/context/context.h"
#include "bench/place/place.h"

/*
 * fn(ctx), which runs windows of the row. True: it came back. False: it did not; the row is wrong,
 * and `why` says what ended it and where it stood, or a person did, and the run is stopped
 * (pace.h).
 */
bool guard_run(const struct engine *e, struct row *row, void (*fn)(void *ctx), void *ctx);

/* Before the first window of a placement: place_object(), so the row's setup; and check_work()
 * after the last. As guard_run(). */
bool guard_setup(const struct engine *e, struct row *row, const struct placed *p);
bool guard_check(const struct engine *e, struct row *row, const struct placed *p,
                 uint64_t operations);

#endif
