/*
 * What the loop around an operation takes by itself, and whether it hides what the operation takes
 * (docs/method.md "What the loop hides"). The figure is what a turn takes with the operation less
 * what it takes without; a core that does both at the same time shows only the difference.
 */
#ifndef BENCH_FIGURE_LOOP_COST_H
#define BENCH_FIGURE_LOOP_COST_H

#include "bench/context/context.h"
#include "bench/sample/gathered.h"

/* What is known of an operation, in core cycles; UNKNOWN: not known. */
struct loop_facts {
    double net, lo, hi;  /* its figure and its interval */
    double loop;         /* of a turn of the empty loop */
    double instructions; /* that it executes, those of the loop taken off */
    double nop;          /* that a NOP takes: 1 / the core's width */
};

/* A turn with the operation. UNKNOWN where that is not above zero: a turn takes time. */
double loop_gross(const struct loop_facts *f);

/* What follows from that, by rules that use nothing but the core's own width, and assume that an
 * instruction takes half a NOP's time at the least: two that are fused take one slot. */
enum hidden loop_hides(const struct loop_facts *f);

/* Sets row->loop, of a row with a loop whose body was doubled; else nothing is known of it. To be
 * called when the headline and the instructions are known. */
void loop_cost(const struct engine *e, const struct gathered *g, struct row *row);

#endif
