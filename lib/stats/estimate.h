/*
 * docs/figure.md "The figure": from block means to cycles per operation, with the interval that
 * contains the figure of another boot. Kinds of window: B the body, B2 twice the body, E and E2 the
 * empty bodies that are subtracted (E alone: the empty window), R and R2 the ruler. Values that are
 * not known are NaN.
 */
#ifndef LIB_STATS_ESTIMATE_H
#define LIB_STATS_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/stats/stats.h"

/* One placement: m >= 1 blocks of each kind, in ticks per window (the mean over the block's
 * undisturbed windows). Equal indices are the same round of the ABBA order, so that drift
 * cancels. */
struct estimate_blocks {
    size_t m;
    const double *b, *b2; /* b2 NULL: the body cannot be doubled, so it is b - e */
    const double *e, *e2; /* e2 NULL: e2 - e is 0. Without b2, e is required; with e2 too */
    const double *r, *r2; /* NULL: no ruler, so cycles are not known */
    uint64_t ops;  /* operations in b2 minus those in b (without b2: in b minus those in e) */
    uint64_t adds; /* ruler adds in r2 minus those in r */
};

/* Values per operation. */
struct estimate_part {
    double value;
    double se;  /* standard error, corrected for rho; NaN if m is 1 */
    double rho; /* lag-1 correlation of the jackknife's pseudo-values; 0 if m < 3: not known */
};

struct estimate_placement {
    struct estimate_part cycles, ticks;
};

/*
 * theta = adds/ops * sum(body) / sum(ruler), with body = (b2 - b) - (e2 - e), or b - e; in ticks
 * sum(body) / (m ops). se: delete-one block jackknife, times sqrt((1 + rho) / (1 - rho)) for rho >
 * 0, with rho at most 0.95. Cycles are NaN if the ruler does not grow (sum <= 0).
 */
struct estimate_placement estimate_placement(const struct estimate_blocks *blocks);

/*
 * Divides the body of every block by the rulers of the ESTIMATE_RULERS blocks around it: cycles per
 * operation (without a ruler: ticks), the input of docs/figure.md "Modes". A single ruler has the
 * noise of the TSC's step; that of a whole placement turns changes of the core's clock into modes.
 * out has room for m; the values are not finite if the ruler does not grow.
 */
#define ESTIMATE_RULERS 32
void estimate_block_values(const struct estimate_blocks *blocks, double *out);

/* Part of a row: blocks of one placement, measured in one round. */
struct estimate_taken {
    unsigned placement, round;
    size_t m;         /* blocks */
    double value, se; /* cycles per operation, as in estimate_part; value NaN: no figure */
};

/* Parts are in the order measured: those of a placement are adjacent, and so are those of a round.
 * mean[i], i < n, gets the mean of placement (or round) i, NaN if it has no figure. */
void estimate_by_placement(const struct estimate_taken *part, size_t parts, double *mean, size_t n);
void estimate_by_round(const struct estimate_taken *part, size_t parts, double *mean, size_t n);
/* Returns the standard error of a placement's mean, averaged over the placements. *m gets the
 * blocks that the last placement's error is based on, minus one for each part after its first. */
double estimate_placement_se(const struct estimate_taken *part, size_t parts, size_t *m);

/* The basis of an interval: a method's own error (bench/engine/method.h); order statistics of the
 * placements' figures; these and Student's t over rounds that differ; Student's t over too few
 * placements, or over the blocks of one, or over rounds if that is wider. */
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
    double mean;               /* their mean: the average cost of an operation over placements */
    double s;                  /* their standard deviation (n-1); NaN if there is only one */
    double between;            /* that of the rounds' means; NaN if there is only one */
    double lo, hi;             /* interval for another boot's theta; NaN: not known */
    enum estimate_by by;
    double confidence;        /* of the interval: by ranks its lower bound; else nominal */
    double median_confidence; /* by ranks: confidence for the median over all possible placements */
    size_t rank;              /* by ranks: the interval begins at the rank-th smallest placement */
    double within;            /* the interval is widened by this at either end */
};

/*
 * Returns true if quotients of a figure mean nothing. Either the figure is small compared with the
 * subtracted cost, an iteration of the loop (UNKNOWN: not known), so that any difference is a large
 * part of it; or its interval begins at zero or below.
 */
static inline bool estimate_is_near_zero(double theta, double lo, double subtracted)
{
    return theta < subtracted / 2 || lo <= 0;
}

/* The measurements of one launch. NaN is a placement or a round without a figure. */
struct estimate_found {
    const double *theta; /* one value per placement */
    size_t placements;
    const double *round; /* one value per round */
    size_t rounds;
    double se;          /* of a placement's value, averaged over the placements; NaN: not known */
    size_t m;           /* number of blocks that se is based on, if there is only one placement */
    double finest;      /* se that only the TSC's step causes: a lower bound for se */
    bool rounds_differ; /* estimate_rounds_differ */
};

/*
 * Returns true if rounds lie farther apart than the placements of a round explain: Fisher's
 * analysis of variance at 5%. Then placements of one round have something in common (what else ran
 * at that time), and are not independent. False with too little data: fewer than two rounds, or too
 * few rounds with several parts. Parts are in the order measured.
 */
bool estimate_rounds_differ(const struct estimate_taken *part, size_t parts);

/*
 * theta is the median over the placements. By ranks: [x(k) - w, x(n+1-k) + w] with x the
 * placements' figures in order and k the largest rank at which another boot, of as many placements,
 * has its median inside with a probability of ESTIMATE_LEVEL or more (lib/stats/mathx.h; 11
 * placements are the fewest, 16 have k = 2 and 98.45%). This holds for any distribution if the
 * placements are independent of each other.
 *   w = sqrt(pi) se / sqrt(n)
 * is one standard error of the difference of two such medians, from the errors within the
 * placements. The figures already contain these errors once; w covers the part that placements of
 * one boot may have in common.
 *
 * If rounds differ, the interval also contains theta -+ r (below): then only the rounds are
 * independent.
 *
 * With fewer placements theta -+ half, 99% if values are normally distributed:
 *   half^2 = max(p, r)
 *   p = (t(R-1, .995) s c sqrt(2/R))^2     R placements; 2 (t(m-1, .995) se)^2 for one
 *   r = (t(k-1, .995) between sqrt(2/k))^2 k rounds
 * The factor 2 comes from the difference of two boots; c^2 is pi / 2, the variance of a median over
 * that of a mean, for R > 2. A term that is not known (one round, one block) is left out; lo and hi
 * are NaN if neither is known.
 *
 * scratch has room for the placements; its content is lost.
 */
#define ESTIMATE_LEVEL 0.98
struct estimate estimate_over(const struct estimate_found *found, double *scratch);

/* Returns the confidence of the interval in percent, for a heading: at least 98 by ranks, nominally
 * 99 by Student's t. 0: the error that another method states, whose confidence is not known. */
unsigned estimate_percent(const struct estimate *e);
/* Returns the same for an interval over this number of placements: 98 if ranks suffice. */
unsigned estimate_percent_of(size_t placements);

/* Distance from theta to the end of the interval on the side of `at`; on the longer side. */
double estimate_side(const struct estimate *e, double at);
double estimate_longer_side(const struct estimate *e);

/* The same of an interval that is not an estimate's. */
static inline double estimate_longer_of(double theta, double lo, double hi)
{
    return theta - lo > hi - theta ? theta - lo : hi - theta;
}

/* The mean of a stream of values in the order measured; se and rho as above. */
struct estimate_part estimate_stream(const struct lag1 *values);
/* Returns the 99% half-width of a mean of m values with standard error se. NaN if m < 2. */
double estimate_half(double se, size_t m);

/*
 * Intervals by order statistics. They assume only that the values are drawn independently, not how
 * they are distributed. x(k) is the k-th smallest of n values.
 */

/*
 * A lower bound of the probability that the median of n further values of the same kind lies in
 * [x(k), x(n+1-k)]. Exact for odd n and continuous values; for even n the median is the mean of two
 * values, and this is the confidence of the outer one. It is 1 - 2 P(fewer than k of the x lie
 * below y(j)), j = (n + 1) / 2, where their number is negative hypergeometric (Wilks, "Statistical
 * prediction with special reference to the problem of tolerance limits", 1942). 1 for k = 0;
 * k <= n / 2.
 */
double ranks_confidence(size_t n, size_t k);

/* Returns the probability that the median of all possible values lies in [x(k), x(n+1-k)]: 1 - 2
 * P(Bin(n, 1/2) < k), exact for continuous values. n <= 1000. */
double ranks_median_confidence(size_t n, size_t k);

/* Returns the largest k with ranks_confidence(n, k) >= confidence; 0: n is too small. */
size_t ranks_for(size_t n, double confidence);

#endif
