/* How a row ended on a core: what the results of all kinds of measurement begin with. */
#ifndef BENCH_RESULT_OUTCOME_H
#define BENCH_RESULT_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"

enum row_status { ROW_OK, ROW_WRONG, ROW_UNSUPPORTED };

struct outcome {
    const struct bench *bench;
    unsigned core;
    enum row_status status;
    const char *why; /* the reason if not ok; may point to `said` */
    bool ended;      /* its windows were aborted: there are no figures */
    char said[256];
    uint32_t changed; /* 1 << each enum window_kept that its windows changed (window.h) */
    uint64_t smis;    /* while it was measured, if the platform counts them */
    uint64_t nmis;    /* and machine checks, since the previous row; bench/kinds/ fills it */
    uint64_t
        kept[PLATFORM_KEPT]; /* the core's events during the row, as the platform records them */
};

/* Fails the row, as wrong or not supported. The first reason is kept. why NULL: does nothing. */
static inline void outcome_fail(struct outcome *out, enum row_status status, const char *why)
{
    if (out->why || !why)
        return;
    out->status = status;
    out->why = why;
}

#endif
