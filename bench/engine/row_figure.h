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

/* Fails the row if its operations have more instructions than the core can execute in their time;
 * with fewer, but more than NOPs, fills row->pace. Called with the row's figure and its loop's cost
 * known. */
void check_pace(const struct engine *e, struct row *row);

/* --- what the loop hides ---------------------------------------------------------------------- */

/*
 * Finds the cost of the loop around an operation, and whether the loop hides the operation's cost
 * (docs/figure.md "What the loop hides"). The figure is the cost of an iteration with the operation
 * minus that without it. A core that overlaps the two shows only the difference.
 */

/* The facts about an operation, in core cycles; UNKNOWN: not known. */
struct loop_facts {
    double net, lo, hi;  /* its figure and its interval */
    double loop;         /* cost of an iteration of the empty loop */
    double instructions; /* instructions that it executes, without those of the loop */
    double nop;          /* cost of a NOP: 1 / the core's width */
};

/* Returns the cost of an iteration with the operation; UNKNOWN if not above zero. */
double loop_gross(const struct loop_facts *f);

/* Returns whether the loop hides the operation. The rules use only the core's width, and assume
 * that an instruction costs at least half a NOP: two fused instructions take one slot. */
enum hidden loop_hides(const struct loop_facts *f);

/* Sets row->loop if the row has a loop whose body was doubled; else to UNKNOWN. Called when the
 * figure and the instructions are known. */
void loop_cost(const struct engine *e, const struct gathered *g, struct row *row);

#endif
