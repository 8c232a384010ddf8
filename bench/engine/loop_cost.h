/*
 * Finds the cost of the loop around an operation, and whether the loop hides the operation's cost
 * (docs/figure.md "What the loop hides"). The figure is the cost of an iteration with the operation
 * minus that without it. A core that overlaps the two shows only the difference.
 */
#ifndef BENCH_ENGINE_LOOP_COST_H
#define BENCH_ENGINE_LOOP_COST_H

#include "bench/engine/context.h"
#include "bench/engine/gathered.h"

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
