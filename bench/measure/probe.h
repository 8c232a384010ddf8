/*
 * Before the first row: who executes this code, how fine its clock is, how many ticks a core cycle
 * has, and what each recipe hides of a chain whose length is known.
 */
#ifndef BENCH_MEASURE_PROBE_H
#define BENCH_MEASURE_PROBE_H

#include "bench/api/report.h"
#include "bench/measure/engine.h"
#include "lib/stats/linearity.h"

struct probe {
    struct behave_verdict behave;
    struct {
        const char *why_not;    /* the recipe is not on this CPU */
        size_t windows;         /* a point */
        double ticks_per_cycle; /* in the same windows */
        struct linearity_point point[LINEARITY_POINTS];
    } recipe[RECIPE_COUNT];
};

/* The same for the recipe in use alone: for a core that is not the first to be probed. */
void probe_core(struct engine *e, struct probe *p);

/* Measures all of it; sets e's execution, step and ticks_per_cycle. */
void probe_run(struct engine *e, struct probe *p);

/* The linearity table and its records. */
void probe_report(const struct engine *e, const struct probe *p, struct report *r);

/* The self-tests that a probe answers, judged and reported. */
void probe_judge(const struct engine *e, const struct probe *p, struct report *r);

#endif
