/*
 * Ensembles (Paoloni, "How to Benchmark Code Execution Times on Intel IA-32 and IA-64 Instruction
 * Set Architectures", Intel 324264, 2010): M ensembles of N samples each, judged by how alike the
 * ensembles are. Streamed: no sample is stored, however many there are. Uses SSE: not for boot/ or
 * trap handlers.
 */
#ifndef LIB_STATS_ENSEMBLE_H
#define LIB_STATS_ENSEMBLE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/stats/moments.h"

/* Private to ensemble.c. */
struct ensemble {
    uint64_t size;
    struct lag1 now; /* the ensemble that is being filled */
    uint64_t now_least, now_most;
    struct moments means, variances, minima; /* one value per ensemble */
    uint64_t least, most_of_minima, deviation_most;
    double products, squares; /* of the lag-1 correlation, summed over the ensembles */
};

/* size: N >= 2 samples per ensemble. */
void ensemble_start(struct ensemble *e, uint64_t size);
/* Adds the next sample, in ticks. Every N samples close an ensemble. */
void ensemble_add(struct ensemble *e, uint64_t ticks);

/* Units: ticks; variances ticks^2; a variance of variances ticks^4. Variances divide by n-1
 * (Paoloni's programs divide by n). NaN: not known, with fewer than two ensembles. */
struct ensemble_result {
    uint64_t ensembles; /* complete ones; the samples of an incomplete one are left out */
    uint64_t least;     /* the result: the smallest of all minima */
    uint64_t range_of_minima;
    uint64_t largest_deviation; /* max - min within one ensemble, the largest of all */
    double mean, mean_variance;
    double variance_of_variances, variance_of_minima, variance_of_means;

    /*
     * The four conditions under which the ensembles agree. Paoloni calls a method ergodic (3.2.2)
     * when the variance of the variances and that of the minima are zero or close to it, as read
     * off a table. Here the first two conditions test that, for any unit and any length of the
     * window. The other two are not Paoloni's; they are skipped if all samples lie within one step,
     * since they would then judge the clock's beat.
     */
    bool same_minimum; /* range_of_minima is at most one step, so their variance is at most a
                        * quarter of its square */
    /* variance_of_variances is close to zero (at most the fourth power of a step) or explained by
     * chance: variance_f is at most variance_f_bound. */
    bool same_variance;
    bool same_mean;    /* f is at most f_bound, or all samples lie within a step */
    bool uncorrelated; /* |lag1| is at most lag1_bound, or all samples lie within a step */
    /* variance_of_variances / (mean_variance^2 8 / (N - 1)): 1 if the noise above a floor is
     * exponentially distributed (kurtosis 9), below 1 if it is calmer; NaN for 0/0. */
    double variance_f;
    double variance_f_bound; /* 99.9% quantile of F(M - 1, N - 1) */
    double f;          /* variance_of_means / (mean_variance / N); NaN for 0/0: same_mean is true */
    double f_bound;    /* 99.9% quantile of F(M - 1, M (N - 1)) */
    double lag1;       /* of neighbours in one ensemble, about its own mean; corrected for -1/N */
    double lag1_bound; /* z / sqrt(M N), two-sided 99.9% */

    bool judged;  /* there are two ensembles or more; otherwise the four conditions are false */
    bool ergodic; /* judged, and all four hold */
};

/* step: the step of the TSC, in ticks. */
struct ensemble_result ensemble_judge(const struct ensemble *e, double step);

#endif
