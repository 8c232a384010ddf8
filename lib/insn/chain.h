/*
 * What is measured of a form: copies that do not wait for each other, or a chain from one of its
 * outputs to one of its inputs.
 */
#ifndef LIB_INSN_CHAIN_H
#define LIB_INSN_CHAIN_H

#include "lib/insn/plan.h"

/* Copies that do not wait for each other, of any shape but INSN_CHAIN. The reason why not, else
 * INSN_RUNS; of INSN_ONE_LINE, INSN_NO_SUCH_PAIR where the form has no memory. */
enum insn_why insn_throughput(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                              enum insn_shape shape, bool breaks);

/* A chain from an output to an input of the next copy. */
enum insn_why insn_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                           struct insn_end in, struct insn_end out);

#endif
