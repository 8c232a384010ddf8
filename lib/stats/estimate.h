/*
 * docs/method.md "The headline": from block means to cycles an operation, with the interval in
 * which another boot will find it. Kinds of window: B the body, B2 twice the body, E and E2 what is
 * subtracted from either (E alone: the empty window), R and R2 the ruler. Uses SSE: not for boot/
 * or trap handlers. What is not known is NaN.
 */
#ifndef LIB_STATS_ESTIMATE_H
#define LIB_STATS_ESTIMATE_H

#include <stdbool.h>
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

/* What an interval was got by: a method's own error (bench/method/method.h); order statistics of
 * the placements' figures; these and Student's t over rounds that differ; Student's t over too few
 * placements, or over the blocks of one, or over rounds where that is wider. */
enum estimate_by {
    ESTIMATE_METHOD,
    ESTIMATE_RANKS,
    ESTIMATE_ROUNDS,
    ESTIMATE_PLACEMENTS,
    ESTIMATE_BLOCKS
};

struct estimate {
    size_t placements, rounds; /* that have a figure */
    double theta;              /* the median over the placements */
    double mean;               /* their mean: what an operation costs on average over placements */
    double s;                  /* their standard deviation (n-1); NaN where there is but one */
    double between;            /* that of the rounds' means; NaN where there is but one */
    double lo, hi;             /* interval for another boot's theta; NaN: not known */
    enum estimate_by by;
    double level;        /* of the interval: by ranks the exact one, at least; else nominal */
    double median_level; /* by ranks: for the median over all placements that there can be */
    size_t rank;         /* by ranks: the interval begins at the rank-th smallest placement, ... */
    double within;       /* ... widened by this at either end */
};

/*
 * Whether quotients of a figure mean nothing: it is small against what was subtracted from it, a
 * turn of the loop (UNKNOWN: not known), so that any difference is a large part of it; or its
 * interval begins at zero or below.
 */
static inline bool estimate_is_near_zero(double theta, double lo, double subtracted)
{
    return theta < subtracted / 2 || lo <= 0;
}

/* What one launch found. NaN stands for a placement or a round without a figure. */
struct estimate_found {
    const double *theta; /* one value a placement */
    size_t placements;
    const double *round; /* one a round */
    size_t rounds;
    double se;          /* of a placement's value, the mean over them; NaN: not known */
    size_t m;           /* blocks that it rests on, where there is but one placement */
    double finest;      /* what the TSC's step alone makes of se: it is never taken for less */
    bool rounds_differ; /* estimate_rounds_differ */
};

/*
 * Whether rounds lie farther apart than the placements of a round explain: Fisher's analysis of
 * variance at 5%. Then placements of one round have something in common (what else ran at that
 * time), and are not independent of each other. False where nothing can be told: fewer than two
 * rounds, or hardly any with two parts and more. Parts in the order in which they were taken.
 */
bool estimate_rounds_differ(const struct estimate_taken *part, size_t parts);

/*
 * theta is the median over the placements. By ranks: [x(k) - w, x(n+1-k) + w] with x the
 * placements' figures in order and k the largest rank at which another boot, of as many placements,
 * has its median inside with a probability of ESTIMATE_LEVEL or more (lib/stats/ranks.h; 11
 * placements are the fewest, 16 have k = 2 and 98.45%). That holds for any distribution of
 * placements that are independent of each other.
 *   w = sqrt(pi) se / sqrt(n)
 * is one standard error of the difference of two such medians by the errors within the placements:
 * the figures have these in them once already, and w stands for the part that placements of one
 * boot may have in common.
 *
 * Where rounds differ, the interval also holds theta -+ r (below): rounds are then what is
 * independent.
 *
 * With fewer placements theta -+ half, 99% where values are normally distributed:
 *   half^2 = max(p, r)
 *   p = (t(R-1, .995) s c sqrt(2/R))^2     R placements; 2 (t(m-1, .995) se)^2 for one
 *   r = (t(k-1, .995) between sqrt(2/k))^2 k rounds
 * The 2 is that of a difference of two boots; c^2 is pi / 2, the variance of a median over that of
 * a mean, for R > 2. What cannot be had (one round, one block) is left out; lo and hi are NaN where
 * neither is known.
 *
 * scratch has room for the placements, and is lost.
 */
#define ESTIMATE_LEVEL 0.98
struct estimate estimate_over(const struct estimate_found *found, double *scratch);

/* The level of its interval in percent, as a heading has it: by ranks at least 98, by Student's t
 * nominally 99. 0: a method's own error, which has no level. */
unsigned estimate_percent(const struct estimate *e);
/* The same of an interval over this number of placements: 98 where ranks suffice. */
unsigned estimate_percent_of(size_t placements);

/* From theta to the end of the interval on the side of `at`; the longer of the two sides. */
double estimate_side(const struct estimate *e, double at);
double estimate_longer_side(const struct estimate *e);

/* The mean of a stream of values in the order in which they were taken; se and rho as above. */
struct estimate_part estimate_stream(const struct lag1 *values);
/* From a mean's standard error to its 99% half-width; m values. NaN where m < 2. */
double estimate_half(double se, size_t m);

#endif
