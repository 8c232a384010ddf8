/*
 * Where core cycles come from (cycle=): the ruler, or a counter of the CPU's own; and the counter
 * beside the ruler, so that the two can be compared. A tick of the TSC is never a core cycle: with
 * `tsc`, `rdtscp` and `null` a report has none.
 */
#ifndef BENCH_SAMPLE_CYCLE_H
#define BENCH_SAMPLE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/timer.h"
#include "bench/context/context.h"
#include "bench/model/probe.h"

/* Starts what cycle= names. */
void cycle_open(struct engine *e);
/* Whether every timer that cycle= asks for has started. If not, a message for people. */
bool cycle_check_words(const struct engine *e, struct sink *err);
/* All is as it was found. */
void cycle_close(struct engine *e);

/*
 * Counter and TSC at the beginning of a stretch, and at its end: the TSC's two readings stand
 * within the counter's. Where a reading of the counter leaves the core (RDPMC that a hypervisor
 * takes over: a microsecond, in which the counter stands), the TSC does not count it either; with
 * the TSC behind the counter at both ends it would count one of the two.
 */
struct cycle_mark {
    bool known;
    uint64_t count, tsc;
};
struct cycle_mark cycle_begin(struct engine *e);
struct cycle_mark cycle_end(struct engine *e);
/* Core cycles from one to the other; UNKNOWN where either is not known. */
double cycle_between(const struct engine *e, const struct cycle_mark *from,
                     const struct cycle_mark *to);
/* The same, of each tick, what an empty stretch counts taken off; UNKNOWN for one as short. */
double cycle_ratio(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to);

/* Core cycles (or instructions) by the source asked for of a stretch between two marks, which the
 * TSC says to be `ticks` long. False: not known. */
bool cycle_stretch(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to, uint64_t ticks, double *cycles);

/* The self-test "core_counter". Judged on silicon. The counter that is not in use is stopped
 * again. */
struct cycle_check cycle_judge(struct engine *e);

#endif
