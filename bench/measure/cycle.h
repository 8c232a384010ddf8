/*
 * Where core cycles come from (cycle=): the ruler, or a counter of the CPU's own; and the counter
 * beside the ruler, so that the two can be compared. A tick of the TSC is never a core cycle: with
 * `tsc` and `null` a report has none.
 */
#ifndef BENCH_MEASURE_CYCLE_H
#define BENCH_MEASURE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/report.h"
#include "bench/api/timer.h"
#include "lib/text/json.h"

struct engine;

/* docs/method.md "Truth": what ruler and counter may differ by, relative. */
#define CYCLE_WITHIN 0.005

enum cycles_by { CYCLES_UNKNOWN, CYCLES_RULER, CYCLES_COUNTER };

struct cycle {
    struct timer_choice source; /* what cycle= came to */
    enum cycles_by by;
    /* The counter read around blocks: the source; by the ruler, the first counter after it in
     * cycle= that starts. */
    struct timer_choice counter;
};

/* Of every platform, for its cycle(): ruler, tsc and null, which nobody reads. */
struct timer *cycle_plain(unsigned id);

/* Whether figures of this run can be core cycles; where instructions are counted, those. */
bool cycle_known(const struct engine *e);

/* Starts what cycle= names. */
void cycle_open(struct engine *e);
/* All is as it was found. */
void cycle_close(struct engine *e);

/* Counter and TSC, one after the other. */
struct cycle_mark {
    bool known;
    uint64_t count, tsc;
};
struct cycle_mark cycle_mark(struct engine *e);
/* Core cycles from one to the other; NaN where either is not known. */
double cycle_between(const struct engine *e, const struct cycle_mark *from,
                     const struct cycle_mark *to);
/* The same, of each tick. */
double cycle_ratio(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to);

/* Core cycles (or instructions) by the source asked for of a stretch between two marks, which the
 * TSC says to be `ticks` long. False: not known. */
bool cycle_stretch(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to, uint64_t ticks, double *cycles);

/* What cycles are by, beside what, and why not by others, in the report's head. */
void cycle_show(const struct engine *e, struct sink *out);
/* cycle, cycle_refused; cycle_counter, cycle_counter_refused: the counter beside the ruler. */
void cycle_record(const struct engine *e, struct json *j);
/* A warning where no source starts. */
void cycle_warn(const struct engine *e, struct report *r);

/* The self-test "core_counter": an addition of the ruler is one core cycle by every counter of
 * cycle= that starts. Judged on silicon. */
void cycle_judge(struct engine *e, struct report *r);

#endif
