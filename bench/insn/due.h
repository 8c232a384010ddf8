/* Which tests a pass measures. */
#ifndef BENCH_INSN_DUE_H
#define BENCH_INSN_DUE_H

#include "bench/insn/pass.h"

/* Whether a pass measures a cell of a row: its aim includes the test, which was not ended and needs
 * a placement more. */
bool insn_is_due(const struct insn_pass *pass, const struct insn_row *row,
                 const struct insn_cell *c);

#endif
