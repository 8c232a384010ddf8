/*
 * Bodies of suite `compiler`, in separate objects. Each exists as a trap, the loop as one would
 * write it, and as its cure, the same loop with barriers for the optimiser (bench/api/keep.h).
 */
#ifndef BENCH_SUITES_COMPILER_COMPILER_H
#define BENCH_SUITES_COMPILER_COMPILER_H

#include "bench/api/bench.h"

/* Operations between two clobbers: a loop short enough to fit every micro-op cache. */
#define PASS 50

#pragma GCC visibility push(hidden)

/*
 * body.c: n / PASS passes of PASS operations over the PASS words in the room; each adds the value
 * in its comment to the counter. If n is not a multiple of PASS, the rest is not done, and is
 * returned.
 */
int compiler_pass(uint64_t n, struct object *o); /* 0, without operations */
#define COMPILER_PAIR(name)                                                                        \
    int compiler_##name##_trap(uint64_t n, struct object *o);                                      \
    int compiler_##name##_cure(uint64_t n, struct object *o)
COMPILER_PAIR(mul);    /* the exclusive or of i * factor; factor is the room's first word */
COMPILER_PAIR(div);    /* the sum of COMPILER_DIVIDEND(i) / COMPILER_DIVISOR */
COMPILER_PAIR(lookup); /* the sum of the word at COMPILER_INDEX, loaded repeatedly */
COMPILER_PAIR(load);   /* PASS; loads each word and does not use it */
COMPILER_PAIR(store);  /* PASS; stores every i to the room's first word */
COMPILER_PAIR(silent); /* PASS; stores each word back to its place */
COMPILER_PAIR(buffer); /* PASS; stores i to an array on the stack */
COMPILER_PAIR(inline); /* the sum of compiler_mix(i) */
COMPILER_PAIR(call);   /* the sum of compiler_mix(the room's first word), called repeatedly */
COMPILER_PAIR(clone);  /* the sum of div, with a call */
#define COMPILER_DIVIDEND(i) (0x9e3779b1u * (uint32_t)(i)) /* 2^32 / phi: all bits busy */
#define COMPILER_DIVISOR     1000
#define COMPILER_INDEX       7

int compiler_clone_range(uint64_t n, struct object *o);
COMPILER_PAIR(volatile); /* the sum of the words */
int compiler_volatile_choice(uint64_t n, struct object *o);

/* letters.c: the same over the PASS characters in the room. */
COMPILER_PAIR(known);    /* the sum of COMPILER_LETTER in lower case, converted repeatedly */
COMPILER_PAIR(lower);    /* the sum of the characters in lower case */
COMPILER_PAIR(to_table); /* the same for letters only: another character adds 0 */
#define COMPILER_LETTER 'Q'

/* loops.c: PASS; k is the room's word COMPILER_K_AT. */
COMPILER_PAIR(products); /* stores j^3 - 2 j^2 + k j + 7 to each 32-bit word j of the room */
COMPILER_PAIR(chain);    /* the same */
#define COMPILER_K_AT (PASS - 1)
COMPILER_PAIR(reduce); /* the sum of the words, each made 1..45 by subtracting 45; 0 stays 0 */
int compiler_reduce_modulo(uint64_t n, struct object *o); /* the sum of the words modulo 45 */
#define COMPILER_MODULUS 45

/* ctype.c: the sum of COMPILER_UPPER in lower case. */
COMPILER_PAIR(ctype);
#define COMPILER_UPPER "UPPER TEXT"

/* split.c, split_plain.c, split_quoted.c: the lengths of PASS fields in the room, each with a
 * separator after it. */
COMPILER_PAIR(split_plain);
COMPILER_PAIR(split_quoted);
#define COMPILER_SEPARATOR ','

/* memory.c: the same, over the room's first words. */
struct compiler_record {
    uint64_t word[8];
};
COMPILER_PAIR(memset);    /* PASS; clears a record, then sets the first half of its words to i */
COMPILER_PAIR(copy);      /* the sum of words 0 and 4 of a copied record */
COMPILER_PAIR(to_memset); /* PASS; clears the words, one byte at a time */
COMPILER_PAIR(to_memcpy); /* PASS; writes COMPILER_TEXT and NULs to the words, byte by byte */
#define COMPILER_BYTES 8  /* of an operation of the last two */
#define COMPILER_TEXT  "what the loops over bytes copy"

/* noclone.c: the sum of div, with a call. */
COMPILER_PAIR(noclone);
uint32_t compiler_divide_otherwise(uint32_t x, uint32_t divisor); /* is not called */

/* Loops of n iterations: empty, and with one of keep.h's macros on the loop counter. */
int compiler_iterations(uint64_t n, struct object *o);
int compiler_iterations_keep(uint64_t n, struct object *o);
int compiler_iterations_hide(uint64_t n, struct object *o);

/* sum_body.c: each operation adds 1 + 2 + ... + k; k is the room's first word. */
COMPILER_PAIR(sum);
int compiler_sum_formula(uint64_t n, struct object *o);
/* The same for 0^2 + 1^2 + ... + (k - 1)^2. */
COMPILER_PAIR(squares);
int compiler_squares_formula(uint64_t n, struct object *o);
/* The same for 1^6 + 2^6 + ... + k^6. */
COMPILER_PAIR(power);
int compiler_power_formula(uint64_t n, struct object *o);
int compiler_sum_empty(uint64_t n, struct object *o);

/* callee.c */
uint32_t compiler_mix(uint32_t x); /* the work of the rows with a call */
uint32_t compiler_quotient(uint32_t x, uint32_t divisor);
void compiler_count(uint64_t n, void *counter); /* ++*counter, n times */
/* Fills the table that the second function returns; its indices are -128 to 255. */
void compiler_fill_tolower_table(void);
__attribute__((const)) const int32_t **compiler_tolower_table(void);

/* moved.c: one loop four times; each adds n to the counter. */
int compiler_still(uint64_t n, struct object *o); /* aligned */
int compiler_moved(uint64_t n, struct object *o); /* after it */
/* moved_unused.c: the same with an unused function between the two */
int compiler_still_unused(uint64_t n, struct object *o);
int compiler_moved_unused(uint64_t n, struct object *o);

#pragma GCC visibility pop

#endif
