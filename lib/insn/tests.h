/*
 * The tests of a form: its throughput in several variants, and a latency for each pair of an output
 * and an input; and the registers of their copies.
 */
#ifndef LIB_INSN_TESTS_H
#define LIB_INSN_TESTS_H

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

/* Returns the register of operand i in copy k. */
unsigned insn_register(const struct insn_test *t, unsigned i, unsigned k);

/* Returns after how many copies the registers of a test repeat. */
unsigned insn_period(const struct insn_test *t);

/* Returns whether the operand is ECX as a selector, as for XGETBV; false for CL, which is a
 * count. */
bool insn_is_selector(const struct insn_operand *o);

/* Returns whether a fixed register needs its initial value for each copy: counts of REP and LOOP,
 * and CPUID's inputs. */
bool insn_must_reset(const struct insn_view *v, const struct insn_operand *o);

/* Returns whether each copy reads and writes a fixed register that is not part of a chain, which a
 * test with `breaks` therefore resets. Pointers to strings must move. */
bool insn_is_to_break(const struct insn_test *t, const struct insn_operand *o);

/* Returns whether a test reads registers that nothing writes after its start, so that their history
 * matters, and does not change the flags, which the other history changes. */
bool insn_has_source(const struct insn_test *t);

/* Returns whether copies may be in a loop that sets moved pointers again in each iteration: forms
 * that repeat or jump may not. */
bool insn_can_turn(const struct insn_view *v);

/* Returns whether throughput is measured in a loop. The loop sets no register again and writes
 * flags. So it cannot have forms that move pointers, nor forms that read flags, because on some
 * CPUs their time depends on the instruction that wrote the flags. */
static inline bool insn_can_loop(const struct insn_view *v)
{
    return !(v->flags.read & INSN_STATUS) && !(v->form->properties & (INSN_STRING | INSN_STACK)) &&
           insn_can_turn(v);
}

/* Returns whether blockers can be next to the form: it has operands, it is not a NOP, and its
 * copies may be in a loop, do not fence, and do not clear masks, which other instructions would
 * have to set again. */
bool insn_can_mix(const struct insn_view *v);

/* Plans independent copies, of any shape but INSN_CHAIN. Returns INSN_RUNS or the reason why not;
 * for INSN_ONE_LINE, INSN_NO_SUCH_PAIR if the form has no memory. */
enum insn_why insn_throughput(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                              enum insn_shape shape, bool breaks);

/*
 * Plans a chain from an output to an input of the next copy. With `keeps` for values that would not
 * last: its steps set the input to its initial value again and add a dependent 0. That is possible
 * between general registers, and between vectors of one width; else returns INSN_NO_CHAIN.
 */
enum insn_why insn_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                           struct insn_end in, struct insn_end out, bool keeps);

/*
 * The blockers, which keep one kind of unit of a core busy. If a form's copies take longer next to
 * one of them than next to fillers, both need the same unit. Each blocker writes a register that it
 * does not read, so one register is enough for independent copies. VEX ones are also used next to
 * legacy SSE, which they do not slow down while upper halves are clean.
 */
#define INSN_BLOCKER(B)                                                                            \
    B(BLOCK_MOVE, LINK_MOVSXD)                                                                     \
    B(BLOCK_ROTATE, LINK_RORX)                                                                     \
    B(BLOCK_MULTIPLY, LINK_IMUL)                                                                   \
    B(BLOCK_LOAD, LINK_LOAD64)                                                                     \
    B(BLOCK_STORE, LINK_STORE64)                                                                   \
    B(BLOCK_ADD_INTEGERS, LINK_VPADDD)                                                             \
    B(BLOCK_SHUFFLE, LINK_VPSHUFD)                                                                 \
    B(BLOCK_ADD_FLOATS, LINK_VADDPS)                                                               \
    B(BLOCK_MULTIPLY_FLOATS, LINK_VMULPS)                                                          \
    B(BLOCK_DIVIDE_FLOATS, LINK_VDIVPS)
#define INSN_BLOCKER_ID(id, link) id,
enum insn_blocker { INSN_BLOCKER(INSN_BLOCKER_ID) BLOCKERS };

extern const enum insn_link insn_blocker_links[BLOCKERS];

enum insn_test_kind {
    INSN_TEST_DISTINCT, /* independent copies: separate registers, separate memory */
    INSN_TEST_BREAKS,   /* the same, with dependencies through fixed registers and flags broken */
    INSN_TEST_SAME,     /* one register for all operands of a copy, as for zeroing idioms */
    INSN_TEST_ONE_LINE, /* memory at one address for all copies */
    INSN_TEST_STRAIGHT, /* in a straight line, through the decoders, if it is usually in a loop */
    INSN_TEST_SLOTS,    /* issue slots, by filling the others */
    INSN_TEST_LATENCY,
    INSN_TEST_MIXED,   /* next to a blocker: `other` */
    INSN_TEST_FILLERS, /* a loop of fillers only: `other`; of no form */
};

struct insn_test_id {
    uint8_t kind;            /* enum insn_test_kind */
    uint8_t other;           /* enum insn_blocker or insn_filler; of a latency, insn_values */
    struct insn_end in, out; /* for INSN_TEST_LATENCY */
};

/*
 * Lists the tests that the form can have on some CPU with these values, throughput first, mixes
 * last. Returns their number, 0 if the form is not run. With other values than the usual ones these
 * are a throughput, and latencies of the pairs of which a chain can keep the values. Other
 * immediates have issue slots too, and all pairs; repetitions have only a throughput.
 */
#define INSN_TESTS_MOST 96
unsigned insn_tests(const struct insn_form *f, unsigned decoration, unsigned values,
                    struct insn_test_id to[INSN_TESTS_MOST]);

/* Plans one of these tests. Returns INSN_RUNS, or why there is no such test. */
enum insn_why insn_test(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                        const struct insn_test_id *id);

/* Returns whether a test of this kind is of throughput. Its windows can be in two states: a core
 * that has once assigned units badly does so to the end of the loop. A mean would be of neither. */
static inline bool insn_has_states(unsigned kind)
{
    return kind < INSN_TEST_SLOTS;
}

#endif
