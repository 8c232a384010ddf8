/*
 * Before the first row: what executes this code, how fine its clock is, how many ticks a core cycle
 * has, and what each recipe hides of a chain whose length is known.
 */
#ifndef BENCH_MEASURE_PROBE_H
#define BENCH_MEASURE_PROBE_H

#include "bench/api/report.h"
#include "bench/measure/context.h"
#include "bench/measure/growing.h"
#include "lib/stats/linearity.h"
#include "lib/stats/regress.h"

struct probe {
    struct behave_verdict behave;
    struct {
        const char *why_not;    /* the recipe is not on this CPU */
        size_t windows;         /* a point */
        double ticks_per_cycle; /* in the same windows */
        struct linearity_point point[LINEARITY_POINTS];
        unsigned groups, quiet;     /* placements times rounds; those in which the core was ours */
        struct linearity_line line; /* on silicon, through the quiet ones */
        double bend_p;              /* linearity_bend_p() of them */
        uint64_t least[GROWING_BODIES]; /* window of each growing body */
        unsigned growing;               /* windows each */
        struct regression regression;   /* through these */
    } recipe[RECIPE_COUNT];
};

/* Measures all of it; sets e's execution, step and ticks_per_cycle. */
void probe_run(struct engine *e, struct probe *p);

/* The same for the recipe in use alone: for a core that is not the first to be probed. */
void probe_core(struct engine *e, struct probe *p);

/* The self-test "linearity": the recipe in use is straight (lib/stats/linearity.h), or fails where
 * it is proven to bend; where instructions are counted no point is off. */
struct probe_check {
    enum selftest result;
    const char *why_not; /* where it is not judged */
    double worst;        /* error of a point, instructions; or its distance from the line, cycles */
    double shadow;       /* core cycles, on silicon */
};
struct probe_check probe_judge(const struct engine *e, const struct probe *p);

#endif
