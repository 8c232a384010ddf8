/*
 * docs/method.md "The headline": from block means to cycles an operation, with the interval in
 * which another boot will find it. Kinds of window: B the body, B2 twice the body, E and E2 what is
 * subtracted from either (E alone: the empty window), R and R2 the ruler. Uses SSE: not for boot/
 * or trap handlers. What is not known is NaN.
 */
#ifndef LIB_STATS_ESTIMATE_H
#define LIB_STATS_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>
#include "lib/stats/moments.h"

/*
 * One placement: m >= 1 blocks of each kind, in ticks a window (the mean over the block's
 * undisturbed windows). The same index is the same round of the ABBA order, so that drift cancels.
 */
struct estimate_blocks {
    size_t m;
    const double *b, *b2; /* b2 NULL: cannot be doubled; then b - e is the body */
    const double *e, *e2; /* e2 NULL: e2 - e is 0. Without b2, e is needed; with e2 too */
    const double *r, *r2; /* NULL: no ruler; cycles are not known */
    uint64_t ops;  /* operations that b2 has more than b (without b2: that b has more than e) */
    uint64_t adds; /* ruler adds that r2 has more than r */
};

/* Of one operation. */
struct estimate_part {
    double value;
    double se;  /* standard error, rho taken into account; NaN where m is 1 */
    double rho; /* lag-1 correlation of the jackknife's pseudo-values; 0 where m < 3: not known */
};

struct estimate_placement {
    struct estimate_part cycles, ticks;
};

/*
 * theta = adds/ops * sum(body) / sum(ruler), with body = (b2 - b) - (e2 - e), or b - e; in ticks
 * sum(body) / (m ops). se by the delete-one block jackknife, times sqrt((1 + rho) / (1 - rho)) for
 * rho > 0, with rho not above 0.95. NaN for cycles where the ruler does not grow (sum <= 0).
 */
struct estimate_placement estimate_placement(const struct estimate_blocks *blocks);

/* The body of every block by the whole placement's ruler, in cycles an operation (without a ruler:
 * ticks an operation): what docs/method.md "Modes" looks at. out has room for m; not finite
 * where the ruler does not grow. */
void estimate_block_values(const struct estimate_blocks *blocks, double *out);

struct estimate {
    size_t placements;
    double theta; /* the mean over the placements */
    double s;     /* their standard deviation (n-1); NaN where there is but one */
    double half;  /* theta +- half is the 99% interval for another boot's theta; NaN: not known */
};

/*
 * half^2 = (t(R-1, .995) s sqrt(2/R))^2 + 2 (z kappa theta)^2; with one placement the first term is
 * 2 (t(m-1, .995) se)^2, and with m = 1 besides half is not known. Every term is that of a
 * difference of two boots, hence the 2 (with it in the first alone simulated coverage is 93%, with
 * it in all 99%). theta: one value a placement, count >= 1. se and m: of
 * the one placement, else not used. kappa: see below; 0 where none was fitted.
 */
struct estimate estimate_over(const double *theta, size_t count, double se, size_t m, double kappa);

/* The mean of a stream of values in the order in which they were taken; se and rho as above. */
struct estimate_part estimate_stream(const struct lag1 *values);
/* From a mean's standard error to its 99% half-width; m values. NaN where m < 2. */
double estimate_half(double se, size_t m);
/* From the half-width of this boot's figure to that in which another boot will find it: as in
 * estimate_over for one placement. */
double estimate_for_another_boot(double theta, double half, double kappa);

/*
 * The relative boot-to-boot component: kappa^2 = max(0, V - mean(s^2 / placements)) / theta^2 with
 * V the variance of the launches' theta. Launches with one placement, whose s is not known, count
 * as s = 0. NaN where count < 2 or the mean theta is 0.
 */
double estimate_kappa(const struct estimate *launches, size_t count);

#endif
