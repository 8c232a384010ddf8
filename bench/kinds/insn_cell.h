/*
 * Measures the tests of a form with the engine's windows: n copies and 2n copies, in turn with the
 * ruler. The difference contains neither the window nor the code that sets registers.
 */
#ifndef BENCH_KINDS_INSN_CELL_H
#define BENCH_KINDS_INSN_CELL_H

#include "bench/kinds/insn_pass.h"

/* Measures the tests of a row and adds a placement to each. Tests that fault or exceed the deadline
 * are marked. False: the user stopped the run. */
bool insn_measure(const struct insn_pass *pass, struct insn_row *row);

#endif
