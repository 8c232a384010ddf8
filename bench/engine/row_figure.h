/*
 * Computes a row's figure from its blocks, part by part: core cycles per operation, the interval
 * that will contain the figure of another boot, and the modes (docs/figure.md "The figure",
 * "Modes").
 */
#ifndef BENCH_ENGINE_ROW_FIGURE_H
#define BENCH_ENGINE_ROW_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/engine/gathered.h"
#include "bench/engine/sampler.h"

/* Return the words of scratch for a part of `blocks` blocks of each kind, and for a whole row. */
size_t row_figure_part_need(size_t blocks);
size_t row_figure_need(size_t blocks, unsigned placements);

/*
 * Called after sampler_judge(). Adds the part's figures to the row's; does not change the sampler.
 * `by`: core cycles by the ruler or by the counter. Overwrites scratch, row_figure_part_need(blocks
 * of the part) words.
 */
void row_figure_part(const struct sampler *s, const struct bench *b, const struct part_place *at,
                     enum cycles_by by, struct gathered *g, uint64_t *scratch);

/* Returns whether at least half of the row's blocks are exclusive (docs/witness.md "The witness").
 */
bool row_figure_is_exclusive(const struct gathered *g);
/* Excludes all blocks of a part that is later found to be shared. */
void row_figure_forget_shared(struct gathered *g, unsigned part);

/* Core cycles per operation of each placement and each round; UNKNOWN: not measured. */
struct row_figure_means {
    double *theta, *round;
    unsigned placements, rounds;
};

/*
 * Returns the row's figure, from the exclusive blocks. If these are fewer than half, the interval
 * also contains the interval of all blocks. If no block is exclusive, the figure is that of all
 * blocks. `step`: of the TSC, in ticks. Fills `means`. Overwrites scratch, row_figure_need(blocks
 * of the row, placements) words.
 */
struct row_figure row_figure(const struct gathered *g, const struct bench *b, double step,
                             enum cycles_by by, const struct row_figure_means *means,
                             uint64_t *scratch);

#endif
