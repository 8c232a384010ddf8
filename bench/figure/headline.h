/*
 * From a row's blocks to its figure, part by part: cycles an operation, the interval in which
 * another boot will find it, and its modes (docs/method.md "The headline", "Modes").
 */
#ifndef BENCH_FIGURE_HEADLINE_H
#define BENCH_FIGURE_HEADLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/context/context.h"
#include "bench/sample/gathered.h"
#include "bench/sample/sampler.h"

/* Words of scratch for a part of `blocks` blocks of each kind, and for a whole row. */
size_t headline_part_need(size_t blocks);
size_t headline_need(size_t blocks, unsigned placements);

/*
 * After sampler_judge: the part's figures are added to those that the row has gathered. Changes
 * nothing in the sampler. Cycles by the ruler or by the counter; scratch, headline_part_need(blocks
 * of the part) words, is lost.
 */
void headline_part(const struct sampler *s, const struct bench *b, const struct part_place *at,
                   enum cycles_by by, struct gathered *g, uint64_t *scratch);

/* Whether half of the row's blocks at the least were taken while nobody else had part of the core:
 * docs/method.md "The witness". */
bool headline_is_alone(const struct gathered *g);
/* A part that was shared, as turns out later: none of its blocks counts. */
void headline_forget_shared(struct gathered *g, unsigned part);

/* Of each placement and each round: cycles an operation, UNKNOWN where it has none. */
struct headline_means {
    double *theta, *round;
    unsigned placements, rounds;
};

/*
 * What it all comes to: of the blocks that were not shared; where those are fewer than half, with
 * an interval that holds all blocks' figure as well; where there are none, of all. `step` of the
 * TSC in ticks; fills `means`; scratch, headline_need(blocks of the row, placements) words, is
 * lost.
 */
struct headline headline(const struct gathered *g, const struct bench *b, double step,
                         enum cycles_by by, const struct headline_means *means, uint64_t *scratch);

#endif
