/*
 * Chains from one of a form's outputs to one of its inputs.
 */
#ifndef LIB_INSN_CHAIN_H
#define LIB_INSN_CHAIN_H

#include "lib/insn/plan.h"

/* Plans a chain from an output to an input of the next copy. */
enum insn_why insn_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                           struct insn_end in, struct insn_end out);

/*
 * Plans such a chain with steps that give the input its initial value again, which a dependent 0 is
 * added to: for values that would not last. Only between general registers, and between vectors of
 * 128 bits; else INSN_NO_CHAIN.
 */
enum insn_why insn_kept_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                                struct insn_end in, struct insn_end out);

#endif
