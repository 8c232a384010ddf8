/*
 * The passes of suite `insn`, within the time of time=: a quick one over all forms, so that each
 * has a figure; three over all forms, each at another placement; between them, two of mixes; more
 * for tests whose placements disagree.
 */
#ifndef BENCH_INSN_PASSES_H
#define BENCH_INSN_PASSES_H

#include "bench/insn/cell.h"
#include "lib/insn/support.h"

/* Makes all passes. The user may stop them (bench/context/pace.h); the table has what there is. */
void insn_passes(struct engine *e, const struct insn_links *links, const struct insn_support *s,
                 struct insn_table *t);

#endif
