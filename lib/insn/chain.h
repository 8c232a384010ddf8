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
 * Plans such a chain for values that would not last: its steps set the input to its initial value
 * again and add a dependent 0. Only between general registers, and between vectors of 128 bits;
 * else returns INSN_NO_CHAIN.
 */
enum insn_why insn_kept_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                                struct insn_end in, struct insn_end out);

#endif
