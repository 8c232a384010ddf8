/* Selects the tests that a pass measures. */
#ifndef BENCH_KINDS_INSN_DUE_H
#define BENCH_KINDS_INSN_DUE_H

#include "bench/kinds/insn_pass.h"

/* Returns whether a pass measures a cell of a row: the pass aims at this kind of test, the test was
 * not aborted, and it needs another placement. */
bool insn_is_due(const struct insn_pass *pass, const struct insn_row *row,
                 const struct insn_cell *c);

#endif
