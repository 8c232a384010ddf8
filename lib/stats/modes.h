/*
 * docs/figure.md "Modes": does an operation have one cost or several? Judges block values
 * (lib/stats/estimate.h, estimate_block_values), never raw ticks.
 *
 * The blocks are sorted and split at the widest gap that qualifies, repeatedly, up to MODES_MOST
 * modes. A gap qualifies if
 * - it is wider than 4 block standard errors and than 0.05 cycles; it may contain up to 1% of all
 *   blocks, such as those in which the core's clock changed; these go to the nearer side,
 * - both sides keep at least 5% of all blocks, and at least three,
 * - Ashman's D = |m1 - m2| / sqrt((s1^2 + s2^2) / 2) of the two sides is above 3, with s not below
 *   `floor`.
 *
 * The *block standard error* is the spread of the blocks of one mode. The standard deviation over
 * all blocks does not measure it, because the modes themselves inflate it. It is the largest of
 * 1. `floor`: the spread that only the TSC's step causes;
 * 2. `within`: the spread that the windows inside the blocks predict;
 * 3. the estimate from pairs of blocks: d / (sqrt(2) z((1 + q/P) / 2)). d is the distance that
 *    q = 1/8 of all pairs do not exceed (as a quarter in Rousseeuw and Croux's Qn, 1993). P is the
 *    share of pairs within one mode after the split (the sum of the modes' squared shares; at least
 *    1/4 for four). z is the normal quantile. A split that leaves the blocks within a side unlike
 *    makes d, and so the limit, large. With eight placements or more, only pairs of different
 *    placements count: placements that scatter, each a little different, are then one broad mode.
 *    With fewer, each placement that differs is a separate layout mode.
 */
#ifndef LIB_STATS_MODES_H
#define LIB_STATS_MODES_H

#include <stddef.h>
#include <stdint.h>

#define MODES_MOST 4

enum mode_kind {
    MODE_ONLY,   /* there is only one */
    MODE_LAYOUT, /* constant within a placement: a block's placement has >= 90% of its mode */
    MODE_TIME,   /* it changes within a placement */
};

struct mode {
    double at;    /* the mean of its blocks, cycles per operation */
    double sd;    /* their standard deviation (n-1); 0 where n is 1 */
    double share; /* of all blocks, 0 .. 1 */
    size_t n;     /* blocks */
    enum mode_kind kind;
};

struct modes {
    size_t count;                 /* 0 only if there are no blocks */
    struct mode mode[MODES_MOST]; /* ascending by location */
    double block_se; /* of the modes found, as above; `floor` or `within` with one block */
};

struct modes_input {
    size_t n;
    const double *values;      /* finite, cycles per operation, in the order measured */
    const uint32_t *placement; /* of each block; blocks of one placement are adjacent */
    double floor;              /* docs/figure.md: step / (2 sqrt(m)), in cycles per operation */
    double within; /* the median over the blocks of (sd of the block's windows) / sqrt(windows),
                    * converted to cycles per operation; 0: not known */
};

/* scratch has room for 2 n; its content is lost. Time: n log n, and some sixty passes. */
void modes_find(const struct modes_input *in, uint64_t *scratch, struct modes *out);

#endif
