/*
 * The passes of suite `insn`, within time=: a quick one over all forms, so that each has a figure;
 * then three over all forms, each at another placement. Before the last of these come three of
 * mixes, and two over tests whose placements disagree; at the end, more of both.
 */
#ifndef BENCH_KINDS_INSN_PASSES_H
#define BENCH_KINDS_INSN_PASSES_H

#include "bench/kinds/insn_cell.h"
#include "lib/insn/form.h"

/* Makes all passes. If the user stops them (bench/engine/poll.h), the table has the figures so
 * far. */
void insn_passes(struct engine *e, const struct insn_links *links, const struct insn_support *s,
                 struct insn_table *t);

#endif
