/*
 * Generates the code of a curve over a count (docs/limits.md): a function that reads the clock,
 * runs a loop, reads the clock again and returns the ticks between. The recipe is lfence,
 * independently of recipe=. Pure: it only writes bytes, and the same arguments always give the same
 * bytes.
 */
#ifndef LIB_CURVE_LIMIT_PROGRAM_H
#define LIB_CURVE_LIMIT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The contents of an iteration of the loop. */
enum limits_kind {
    LIMITS_WIDTH,   /* count instructions: a chain of LIMITS_CHAIN additions, fillers after each */
    LIMITS_WINDOW,  /* a load that follows chain a, count fillers; the same with chain b */
    LIMITS_JUMPS,   /* count taken jumps, one every `param` bytes */
    LIMITS_PATTERN, /* a branch that is taken as a pattern of count bytes says */
    LIMITS_TARGETS, /* an indirect jump to the next of count targets */
    LIMITS_RETURNS, /* calls nested count deep, and the returns */
    LIMITS_CODE,    /* count bytes of code: NOPs of `param` bytes, 4 or 8 */
    LIMITS_OPS      /* count instructions, with the loop's end: fillers */
};

/* `param` of LIMITS_WIDTH, LIMITS_WINDOW and LIMITS_OPS: what is between the additions, between the
 * loads, or in the loop. */
enum limits_filler {
    FILL_NOP,
    FILL_XOR,      /* zeroes a register: renamed without execution or register on most CPUs */
    FILL_MIX,      /* CMP, LEA, PSHUFD, load in turn: no one resource is used up early */
    FILL_LEA,      /* writes a general register */
    FILL_PSHUFD,   /* writes a vector register of 128 bits */
    FILL_KOR,      /* writes a mask register; needs AVX-512F */
    FILL_CMP,      /* writes the flags only */
    FILL_LOAD,     /* reads a cached line */
    FILL_STORE,    /* writes to it */
    FILL_WAIT_LEA, /* as FILL_LEA, but waits for the load before the fillers */
    FILL_WAIT_PSHUFD,
    FILL_WAIT_LOAD, /* as FILL_LOAD, but its address waits for that load */
    FILL_WAIT_STORE,
    /* Instructions that micro-op caches deliver faster than decoders do: */
    FILL_NOP_1,   /* of one byte, so that many fit the L1 cache */
    FILL_XOR_2,   /* of two bytes; zeroes eax */
    FILL_TEST_16, /* of AX and 16 bits: their length depends on a prefix, which Intel's decoders
                   * wait for */
};

/* The arguments of the function and what it leaves; in memory. */
struct limits_run {
    uint64_t iterations; /* of the loop, at least 1 */
    uint64_t a, b;  /* LIMITS_WINDOW: addresses in the chains; after it, those that were loaded */
    uint64_t line;  /* address of 8 bytes that fillers read and write */
    uint64_t table; /* LIMITS_PATTERN: of the bytes; LIMITS_TARGETS: of their addresses */
    uint64_t count; /* of these */
};

typedef uint64_t (*limits_fn)(struct limits_run *run);

struct limits_code {
    uint8_t *at; /* on a boundary of LIMITS_ALIGN */
    size_t size, used;
    bool full; /* it did not fit: nothing may be executed */
    /* Instructions of an iteration. Not counted: the NOP that LIMITS_PATTERN executes if its branch
     * is not taken. */
    uint64_t instructions;
    uint64_t operations; /* of an iteration: jumps, calls with returns, code; else 1 */
    size_t targets;      /* LIMITS_TARGETS: their offset */
};

#define LIMITS_ALIGN 64
#define LIMITS_CHAIN 64 /* additions of LIMITS_WIDTH: the fewest core cycles of an iteration */

/* Writes the function. `code` has `at` and `size`; the rest is set. False: it did not fit. */
bool limits_program(struct limits_code *code, enum limits_kind kind, unsigned param,
                    uint32_t count);

/* Returns the offset of the i-th target of LIMITS_TARGETS from the first one. The lowest bits of
 * targets differ, as in other code: some predictors use these. */
size_t limits_target(uint32_t i);

#endif
