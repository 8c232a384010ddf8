/*
 * Lists the tests of a form: its throughput in several variants, and a latency for each pair of an
 * output and an input.
 */
#ifndef LIB_INSN_TESTS_H
#define LIB_INSN_TESTS_H

#include "lib/insn/test_plan.h"
#include "lib/insn/values.h"

enum insn_test_kind {
    INSN_TEST_DISTINCT, /* independent copies: separate registers, separate memory */
    INSN_TEST_BREAKS,   /* the same, with dependencies through fixed registers and flags broken */
    INSN_TEST_SAME,     /* one register for all operands of a copy, as for zeroing idioms */
    INSN_TEST_ONE_LINE, /* memory at one address for all copies */
    INSN_TEST_STRAIGHT, /* in a straight line, through the decoders, if it is usually in a loop */
    INSN_TEST_SLOTS,    /* issue slots, by filling the others */
    INSN_TEST_LATENCY,
    INSN_TEST_MIXED,   /* next to a blocker (fillers.h): `other` */
    INSN_TEST_FILLERS, /* a loop of fillers only: `other`; of no form */
};

struct insn_test_id {
    uint8_t kind;            /* enum insn_test_kind */
    uint8_t other;           /* enum insn_blocker or insn_filler; of a latency, insn_values */
    struct insn_end in, out; /* for INSN_TEST_LATENCY */
};

/* Lists the tests that the form can have on some CPU, throughput first, mixes last. Returns their
 * number, 0 if the form is not run. */
#define INSN_TESTS_MOST 96
unsigned insn_tests(const struct insn_form *f, unsigned decoration,
                    struct insn_test_id to[INSN_TESTS_MOST]);

/* The same for other values than the usual ones: a throughput, and latencies of the pairs of which
 * a chain can keep the values. Other immediates have issue slots too, and all pairs; repetitions
 * have only a throughput. */
unsigned insn_tests_with(const struct insn_form *f, unsigned decoration, unsigned values,
                         struct insn_test_id to[INSN_TESTS_MOST]);

/* Plans one of these tests. Returns INSN_RUNS, or why there is no such test. */
enum insn_why insn_test(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                        const struct insn_test_id *id);

/* Returns whether a test of this kind is of throughput. Its windows can be in two states: a core
 * that has once assigned units badly does so to the end of the loop. A mean would be of neither. */
bool insn_has_states(unsigned kind);

#endif
