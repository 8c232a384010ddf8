/*
 * One cell of an instruction table: what a copy of a form takes, in core cycles, by the engine's
 * own windows. n copies and 2n copies are taken in turn with the ruler, as a row's body and twice
 * the body are; the difference holds neither the window nor what sets registers.
 */
#ifndef BENCH_INSN_CELL_H
#define BENCH_INSN_CELL_H

#include "bench/context/context.h"
#include "lib/insn/chain.h"

struct insn_cell {
    bool measured;
    double cycles;            /* of a copy, with the steps of its chain */
    unsigned copies;          /* n */
    struct guard_ended ended; /* where it was not measured: how its windows ended */
};

/* Steps that the engine's core has taken before: engine_init() and probe_core(). */
void insn_cell(struct engine *e, const struct insn_links *links, unsigned vectors,
               const struct insn_test *t, struct insn_cell *cell);

#endif
