/*
 * The tests of a form: independent copies, or a chain from one of its outputs to one of its inputs.
 */
#ifndef LIB_INSN_CHAIN_H
#define LIB_INSN_CHAIN_H

#include "lib/insn/plan.h"

/* Plans independent copies, of any shape but INSN_CHAIN. Returns INSN_RUNS or the reason why not;
 * for INSN_ONE_LINE, INSN_NO_SUCH_PAIR if the form has no memory. */
enum insn_why insn_throughput(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                              enum insn_shape shape, bool breaks);

/* Plans a chain from an output to an input of the next copy. */
enum insn_why insn_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                           struct insn_end in, struct insn_end out);

#endif
