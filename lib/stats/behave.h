/*
 * Determines what executes this code, by its behaviour, because a signature can be hidden
 * (docs/checks.md "Truth"). The caller measures windows over chains of five kinds of instruction,
 * three lengths each; this file decides. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_BEHAVE_H
#define LIB_STATS_BEHAVE_H

#include <stdint.h>

/* One instruction per link, and nothing else in the chain (no mov, no xor before a div). */
enum behave_kind {
    BEHAVE_NOP,   /* nop, one byte */
    BEHAVE_ADD,   /* add r,r, each depends on the previous result */
    BEHAVE_IMUL,  /* imul r,r, likewise */
    BEHAVE_DIV,   /* div r32, edx:eax of one is the next one's (edx < divisor: it cannot fault) */
    BEHAVE_ADDSD, /* addsd x,x, likewise, on zeros or ordinary numbers */
    BEHAVE_KINDS
};
#define BEHAVE_LENGTHS 3  /* chains of behave_lengths[] links */
#define BEHAVE_REPEATS 32 /* windows of each, interleaved, after some that are discarded */
extern const unsigned behave_lengths[BEHAVE_LENGTHS]; /* 64, 128, 256 */
extern const char *const behave_names[BEHAVE_KINDS];  /* "nop", "add", "imul", "div", "addsd" */

struct behave {
    uint64_t delta[BEHAVE_KINDS][BEHAVE_LENGTHS][BEHAVE_REPEATS]; /* ticks per window */
};

enum execution {
    EXEC_SILICON,      /* hardware: the figures are those of a CPU */
    EXEC_INSTRUCTIONS, /* the TSC counts instructions (QEMU -icount, Bochs): exact counts */
    EXEC_EMULATED,     /* an emulator's timing: figures are noise, timing is not judged */
};
extern const char *const execution_names[3]; /* "silicon", "instructions", "emulated" */

struct behave_verdict {
    enum execution execution;
    uint64_t ticks_per_instruction;    /* if execution is EXEC_INSTRUCTIONS, else 0 */
    double ticks_per_op[BEHAVE_KINDS]; /* slope of the median windows over the chain length */
    const char *why;                   /* the rule that decided, in a few words */
};

/* Sorts each array of repeats in ascending order. */
struct behave_verdict behave_judge(struct behave *b);

#endif
