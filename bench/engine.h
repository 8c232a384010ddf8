/*
 * The measuring engine: one row in, its windows taken in blocks, its statistics out.
 */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/bench.h"
#include "bench/platform.h"
#include "bench/window.h"
#include "lib/behave.h"
#include "lib/stats.h"

#define ENGINE_BLOCK  16   /* windows of one kind in a row; METHOD: 16 to 32 */
#define PROBE_WINDOWS 4096 /* of one kind, at the most, while the machine itself is judged */

/* What every row shares; filled by engine_init and bench/probe.c. */
struct engine {
    const struct platform *p;
    const struct options *o;
    struct object *object; /* at the start of the data buffer */
    enum recipe recipe;    /* effective: what recipe= or this CPU's default gives */
    bool xfence_is_lfence;

    enum execution execution;       /* silicon, counted instructions, or an emulator's noise */
    uint64_t ticks_per_instruction; /* where execution is counted instructions */
    double step;                    /* of the TSC, ticks */
    double ticks_per_cycle;         /* by the ruler; 0: not known */
};

enum row_status { ROW_OK, ROW_WRONG, ROW_UNSUPPORTED };

struct row {
    const struct bench *bench;
    enum recipe recipe;
    enum row_status status;
    const char *why; /* where not ok */

    uint32_t errors;        /* operations that failed; their samples are omitted */
    uint32_t disturbed;     /* windows, kept in ticks and in the histogram, left out of net */
    uint32_t warmup_blocks; /* until the body was steady, or warmup= */
    bool steady;            /* two successive warm-up blocks differed by less than one step */
    struct summary ticks;   /* gross: one window of the body */
    bool has_net;
    struct summary empty; /* one window of what is subtracted */
    double net;           /* location(body) - location(empty), signed, ticks a window */

    const uint64_t *sorted; /* the body's ticks.n samples, ascending; valid until the next row */
};

void engine_init(struct engine *e, const struct platform *p, const struct options *o);

/* Runs one row; the result is complete whatever its status. */
void engine_row(struct engine *e, const struct bench *b, struct row *row);

/* How a row's net becomes one operation's. */
double row_per_op(const struct row *row);

/* For bench/probe.c: the location (mean of the undisturbed) of n windows, one block of warm-up
 * before. Leaves the n deltas, in the order taken, at the start of the platform's samples. n is at
 * most PROBE_WINDOWS. */
double engine_location(struct engine *e, window_fn fn, const void *function, size_t n);

#endif
