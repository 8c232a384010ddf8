/*
 * K-best (Bryant and O'Hallaron, "Computer Systems: A Programmer's Perspective", 2003, section
 * 9.4): takes samples until the K smallest lie within a factor of 1 + epsilon; the smallest of them
 * is the result. On a TSC that moves in steps the result has an error of +- one step.
 */
#ifndef LIB_STATS_LITERATURE_H
#define LIB_STATS_LITERATURE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/stats/stats.h"

#define KBEST_MOST 32

struct kbest {
    unsigned k;
    double epsilon;
    uint64_t max;

    uint64_t taken;                /* samples so far */
    unsigned held;                 /* number of them in smallest: the lesser of taken and k */
    uint64_t smallest[KBEST_MOST]; /* ascending; smallest[0] is the result */
    bool converged; /* the k-th smallest is at most (1 + epsilon) times the smallest */
};

/* docs/literature.md: 3, 0.05, 500. k is 1 .. KBEST_MOST, epsilon >= 0, max >= k (otherwise it
 * cannot converge). */
static inline void kbest_start(struct kbest *b, unsigned k, double epsilon, uint64_t max)
{
    *b = (struct kbest){.k = k, .epsilon = epsilon, .max = max};
}
/* Returns true if it needs another sample; false if it converged or took max samples. */
bool kbest_add(struct kbest *b, uint64_t ticks);

/*
 * The adaptive method: runs the operation n times in one timed stretch. n starts at 1 or more that
 * the operation's body can do, or at what the caller sets, and grows until the stretch lasts at
 * least target / sqrt(2). Where the time is proportional to n, the stretch ends within a factor of
 * sqrt(2) of the target.
 */
enum adaptive_state {
    ADAPTIVE_MORE,     /* time a stretch of n iterations, and pass its time to adaptive_add() */
    ADAPTIVE_DONE,     /* the last reading reached the target */
    ADAPTIVE_MOST,     /* n is at its limit: the last reading is the result, but too short */
    ADAPTIVE_NO_CLOCK, /* the clock failed ADAPTIVE_TRIES times in a row */
};

#define ADAPTIVE_TRIES 8

struct adaptive {
    double target;  /* seconds */
    uint64_t grain; /* n is a multiple of it */
    uint64_t most;  /* n is never above this, which is a multiple too */
    uint64_t n;     /* iterations of the next stretch; once it is over, of the last one */
    unsigned failed;
    enum adaptive_state state;
    double last; /* seconds of the last stretch that was read */
};

/* target > 0 seconds, 1 <= grain <= most. n is always a multiple of grain and at most `most`. */
static inline void adaptive_start(struct adaptive *a, double target, uint64_t grain, uint64_t most)
{
    *a = (struct adaptive){.target = target,
                           .grain = grain,
                           .most = most - most % grain,
                           .n = grain,
                           .state = ADAPTIVE_MORE};
}

/* Adds the time of a stretch of n iterations. With valid false, the same n is to be tried again. */
enum adaptive_state adaptive_add(struct adaptive *a, bool valid, double seconds);

/*
 * Ensembles (Paoloni, "How to Benchmark Code Execution Times on Intel IA-32 and IA-64 Instruction
 * Set Architectures", Intel 324264, 2010): M ensembles of N samples each, judged by how alike the
 * ensembles are. Streamed: no sample is stored, however many there are.
 */

/* Private to literature.c. */
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

/*
 * Fits a straight line to the shortest windows over growing bodies (Paoloni, "How to Benchmark Code
 * Execution Times on Intel IA-32 and IA-64 Instruction Set Architectures", Intel 324264, 2010,
 * section 3.3): the bodies grow in equal steps, each is measured many times, and its minimum is the
 * point.
 */

/*
 * A window over N operations takes intercept + slope N, by ordinary least squares. All but spurious
 * are UNKNOWN, and n is 0, if fewer than three points are known or the unit is not; r2 is also
 * UNKNOWN if all points are equal.
 */
struct regression {
    unsigned n; /* points */
    double slope, intercept;
    double r2;           /* the coefficient of determination */
    double residual_max; /* the largest distance of a point from the line */
    /* Number of points that lie below the previous one although their body is longer: one of the
     * two minima is not that of an undisturbed window. */
    unsigned spurious;
};

/* least[i]: minimum of the body with i * step operations, in ticks; UINT64_MAX: not known. unit:
 * ticks of the unit of the line, a core cycle or an instruction; 0: not known. */
struct regression regress(const uint64_t *least, unsigned points, unsigned step, double unit);

#endif
