/*
 * The passes of suite `insn`, within time=: a quick one over all forms, so that each has a figure;
 * then three over all forms, each at another placement; before the last of these, three of mixes;
 * at the end some for tests whose placements disagree.
 */
#ifndef BENCH_INSN_PASSES_H
#define BENCH_INSN_PASSES_H

#include "bench/insn/cell.h"
#include "lib/insn/support.h"

/* Makes all passes. If the user stops them (bench/context/pace.h), the table has the figures so
 * far. */
void insn_passes(struct engine *e, const struct insn_links *links, const struct insn_support *s,
                 struct insn_table *t);

#endif
