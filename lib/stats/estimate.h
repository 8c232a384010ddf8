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

/*
 * The body of every block by the rulers of the ESTIMATE_RULERS blocks around it, in cycles an
 * operation (without a ruler: ticks an operation): what docs/method.md "Modes" looks at. One ruler
 * alone has the noise of the TSC's step; that of a whole placement makes modes of a core's clock
 * that moves meanwhile. out has room for m; not finite where the ruler does not grow.
 */
#define ESTIMATE_RULERS 32
void estimate_block_values(const struct estimate_blocks *blocks, double *out);

/* A part of a row: blocks of one placement, taken in one round. */
struct estimate_taken {
    unsigned placement, round;
    size_t m;         /* blocks */
    double value, se; /* cycles an operation, as in estimate_part; value NaN: the part has none */
};

/*
 * Of parts in the order in which they were taken: those of a placement stand together, and so do
 * those of a round. mean[i], i < n, gets the mean of placement (or round) i, NaN where it has none.
 */
void estimate_by_placement(const struct estimate_taken *part, size_t parts, double *mean, size_t n);
void estimate_by_round(const struct estimate_taken *part, size_t parts, double *mean, size_t n);
/* The standard error of a placement's mean, the mean over the placements; *m gets the blocks that
 * the last placement's rests on, one less for each part behind its first. */
double estimate_placement_se(const struct estimate_taken *part, size_t parts, size_t *m);

struct estimate {
    size_t placements, rounds; /* that have a figure */
    double theta;              /* the mean over the placements */
    double s;                  /* their standard deviation (n-1); NaN where there is but one */
    double between;            /* that of the rounds' means; NaN where there is but one */
    double half; /* theta +- half is the 99% interval for another boot's theta; NaN: not known */
};

/* What one launch found. NaN stands for a placement or a round without a figure. */
struct estimate_found {
    const double *theta; /* one value a placement */
    size_t placements;
    const double *round; /* one a round */
    size_t rounds;
    double se; /* of the placement's value where there is but one; its m blocks; else not used */
    size_t m;
};

/*
 * half^2 = max(p, r) + 2 (z kappa theta)^2, with
 *   p = (t(R-1, .995) s sqrt(2/R))^2        what R placements show; 2 (t(m-1, .995) se)^2 for one
 *   r = (t(k-1, .995) between sqrt(2/k))^2  what k rounds show
 * Every term is that of a difference of two boots, hence the 2 (with it in the first alone
 * simulated coverage is 93%, with it in all 99%). r is 99% by itself, whatever the rounds and the
 * placements add, since a round's mean has both in it; p holds it up where few rounds are alike by
 * chance. What cannot be had (one round, one block) is left out; half is NaN where neither is
 * known. kappa: see below; 0 where none was fitted.
 */
struct estimate estimate_over(const struct estimate_found *found, double kappa);

/* The mean of a stream of values in the order in which they were taken; se and rho as above. */
struct estimate_part estimate_stream(const struct lag1 *values);
/* From a mean's standard error to its 99% half-width; m values. NaN where m < 2. */
double estimate_half(double se, size_t m);
/* From the half-width of this boot's figure to that in which another boot will find it: as in
 * estimate_over for one placement. */
double estimate_for_another_boot(double theta, double half, double kappa);

/*
 * The relative boot-to-boot component: kappa^2 = max(0, V - mean(v)) / theta^2 with V the variance
 * of the launches' theta and v what each launch knows of its own: between^2 / rounds, or s^2 /
 * placements where there was one round, or 0 where there was one placement besides. NaN where count
 * < 2 or the mean theta is 0.
 */
double estimate_kappa(const struct estimate *launches, size_t count);

#endif
