/*
 * docs/method.md "Modes": does an operation take one time, or now this and now that? Looks at block
 * values (lib/stats/estimate.h, estimate_block_values), never at raw ticks. Uses SSE: not for boot/
 * or trap handlers.
 *
 * The blocks are sorted and split at the widest gap that qualifies, again and again, up to
 * MODES_MOST modes. A gap qualifies when
 * - it is wider than 4 block standard errors and than 0.05 cycles; it may hold up to 1% of all
 *   blocks, such as those in which the core's clock moved, which go to the nearer side,
 * - both sides keep at least 5% of all blocks, and three,
 * - Ashman's D = |m1 - m2| / sqrt((s1^2 + s2^2) / 2) of the two sides is above 3, with s not below
 *   `floor`.
 *
 * The *block standard error* is the spread that blocks of one mode have. The standard deviation
 * over all blocks is no measure of it: the modes themselves inflate it. It is the largest of
 * 1. `floor`: what the TSC's step alone can do to a block;
 * 2. `within`: what the windows inside the blocks predict;
 * 3. what pairs of blocks say: d / (sqrt(2) z((1 + q/P) / 2)), with d the distance that q = 1/8 of
 *    all pairs of blocks do not exceed (as Rousseeuw and Croux's Qn, 1993, takes a quarter), P the
 *    share of pairs that would be of one mode were the split made (the sum of the modes' squared
 *    shares; at least 1/4 for four), and z the normal quantile. A split at which the blocks are not
 *    alike within the sides makes d, and so the bar, large. With eight placements or more only
 *    pairs of different placements count: placements that scatter, each a little different, are
 *    then one broad mode. With fewer, each that stands apart is a layout mode of its own.
 */
#ifndef LIB_STATS_MODES_H
#define LIB_STATS_MODES_H

#include <stddef.h>
#include <stdint.h>

#define MODES_MOST 4

enum mode_kind {
    MODE_ONLY,   /* there is but one */
    MODE_LAYOUT, /* constant within a placement: a block's placement has >= 90% of its mode */
    MODE_TIME,   /* it comes and goes within a placement */
};

struct mode {
    double at;    /* the mean of its blocks, cycles an operation */
    double sd;    /* their standard deviation (n-1); 0 where n is 1 */
    double share; /* of all blocks, 0 .. 1 */
    size_t n;     /* blocks */
    enum mode_kind kind;
};

struct modes {
    size_t count;                 /* 0 only where there are no blocks */
    struct mode mode[MODES_MOST]; /* ascending by location */
    double block_se; /* that of the modes found, as above; `floor` or `within` with one block */
};

struct modes_input {
    size_t n;
    const double *values;      /* finite, cycles an operation, in the order taken */
    const uint32_t *placement; /* of each block; those of one placement stand together */
    double floor;              /* docs/method.md: step / (2 sqrt(m)), in cycles an operation */
    double within; /* the median over the blocks of (sd of the block's windows) / sqrt(windows),
                      carried to cycles an operation; 0: not known */
};

/* scratch has room for 2 n; its content is lost. Time: n log n, and some sixty passes. */
void modes_find(const struct modes_input *in, uint64_t *scratch, struct modes *out);

#endif
