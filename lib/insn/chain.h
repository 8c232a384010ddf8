/*
 * What is measured of a form: copies that do not wait for each other, or a chain from one of its
 * outputs to one of its inputs.
 */
#ifndef LIB_INSN_CHAIN_H
#define LIB_INSN_CHAIN_H

#include "lib/insn/plan.h"

/* Independent copies. The reason why not, else INSN_RUNS. */
enum insn_why insn_throughput(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                              bool same, bool breaks);

/* A chain from an output to an input of the next copy. */
enum insn_why insn_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                           struct insn_end in, struct insn_end out);

#endif
