/* The measured tests of a form, and the registers of its copies. */
#ifndef LIB_INSN_TEST_PLAN_H
#define LIB_INSN_TEST_PLAN_H

#include "lib/insn/dependency.h"

/* The use of each register. Copies rotate over a pool; sources that are never written are separate.
 * RAX, RCX, RDX, RBX, RSI and RDI may be fixed operands. */
enum {
    PLAN_RAX = 0,
    PLAN_RCX = 1,
    PLAN_RDX = 2,
    PLAN_RBX = 3,
    PLAN_RSP = 4,
    PLAN_RBP = 5,
    PLAN_RSI = 6,
    PLAN_RDI = 7,
    PLAN_TEMPORARY = 12, /* for steps of a chain */
    PLAN_INDEX = 13,     /* value 0 */
    PLAN_BASE = 14,
    PLAN_VECTOR_ZERO = 14,
    PLAN_VECTOR_INDEX = 15, /* value 0 too */
    PLAN_VECTOR_TEMPORARY = 9,
    PLAN_VECTOR_SOURCE = 10, /* the first of those that are never written; even */
    PLAN_MASK = 7,           /* all ones */
};

enum insn_shape {
    INSN_DISTINCT, /* throughput: separate registers for each operand of each copy */
    INSN_SAME,     /* throughput: one register for all operands of a copy */
    INSN_ONE_LINE, /* throughput: like INSN_DISTINCT, with memory at one address for all copies */
    INSN_MIXED,    /* like INSN_DISTINCT, without the temporary registers, which blockers use */
    INSN_CHAIN,    /* latency; without the temporary registers, which steps use */
};

struct insn_step {
    uint8_t link;     /* enum insn_link */
    uint8_t to, from; /* registers; for a load or a store, one of them is the memory's data */
};
#define INSN_STEPS_MOST 8

struct insn_test {
    struct insn_view view;
    uint8_t shape;           /* enum insn_shape */
    bool breaks;             /* dependencies through fixed registers or flags are reset */
    struct insn_end in, out; /* for INSN_CHAIN */
    struct insn_step step[INSN_STEPS_MOST];
    uint8_t steps;
    bool at_most; /* the cost of the steps cannot be separated from the form's */
};

enum insn_file { FILE_GENERAL, FILE_VECTOR, FILE_MASK, FILE_MMX, FILE_X87, FILE_NONE };
enum insn_file insn_file_of(unsigned class); /* for an enum insn_class */

/* Returns whether the form has this general register fixed, as an operand or as a base. */
bool insn_is_fixed(const struct insn_view *v, unsigned number);

/* Returns whether the form has memory with this register as its fixed base. */
bool insn_is_pointer(const struct insn_view *v, unsigned number);

/* Returns whether the operand is ECX as a selector, as for XGETBV; false for CL, which is a
 * count. */
bool insn_is_selector(const struct insn_operand *o);

/* Returns whether a fixed register needs its initial value for each copy: counts of REP and LOOP,
 * and CPUID's inputs. */
bool insn_must_reset(const struct insn_view *v, const struct insn_operand *o);

/* Returns whether a test reads registers that nothing writes after its start, so that their history
 * matters, and does not change the flags, which the other history changes. */
bool insn_has_source(const struct insn_test *t);

/* Returns the register of operand i in copy k. */
unsigned insn_register(const struct insn_test *t, unsigned i, unsigned k);

/* Returns after how many copies the registers of a test repeat. */
unsigned insn_period(const struct insn_test *t);

/* Plans independent copies, of any shape but INSN_CHAIN. Returns INSN_RUNS or the reason why not;
 * for INSN_ONE_LINE, INSN_NO_SUCH_PAIR if the form has no memory. */
enum insn_why insn_throughput(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                              enum insn_shape shape, bool breaks);

/*
 * Chains from one of a form's outputs to one of its inputs.
 */

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
