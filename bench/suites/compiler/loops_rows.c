/* Rows of loops.c. */
#include "bench/api/counted.h"
#include "bench/suites/compiler/rows.h"

#define K 3

static void set_k(struct object *o)
{
    ((uint64_t *)o->room)[COMPILER_K_AT] = K;
}

/* Checks the values by Horner's rule, which no row uses. */
static const char *values_stored(const struct object *o, uint64_t operations)
{
    const uint32_t *value = o->room;

    for (uint32_t j = 0; j < PASS; j++)
        if (value[j] != ((j - 2) * j + K) * j + 7)
            return "a value is not the polynomial's";
    return check_counted(o, operations);
}

/* Least instructions of the cures: two multiplications and a store; three additions and a store; a
 * comparison. */
TRAP_AND_CURE(products, 3, "a polynomial's next value by its products, left to the optimiser",
              "a polynomial's next value by its products, of a hidden variable, its loop included",
              .setup = set_k, .check = values_stored);
PASSES(chain_trap, FEW_OPS, compiler_chain_trap, compiler_pass,
       .what = "the same value by three additions, left to the optimiser", .setup = set_k,
       .check = values_stored, .shown.compared_with = "products_trap", IN_LINE(chain, 0));
PASSES(chain_cure, FEW_OPS, compiler_chain_cure, compiler_pass,
       .what = "the same value by three additions of hidden terms, its loop included",
       .setup = set_k, .check = values_stored, .proof.least_instructions = 4,
       .shown.compared_with = "products_cure", IN_LINE(chain, 1));

/*
 * Returns unordered small numbers below twice the modulus, without multiples of it except 0: so all
 * three rows have one answer. 37 has no divisor in common with 90.
 */
static uint64_t small(unsigned i)
{
    const uint64_t n = 37 * i % (2 * COMPILER_MODULUS);

    return n == COMPILER_MODULUS ? 0 : n;
}

static void write_small(struct object *o)
{
    for (unsigned i = 0; i < PASS; i++)
        ((uint64_t *)o->room)[i] = small(i);
}

ADDED(remainders_added, small(i) < COMPILER_MODULUS ? small(i) : small(i) - COMPILER_MODULUS)

TRAP_AND_CURE(reduce, 1, "a small number reduced below 46 by subtractions, left to the optimiser",
              "a small number reduced below 46 by subtractions that stay, its loop included",
              .setup = write_small, .check = remainders_added);
PASSES(reduce_modulo, FEW_OPS, compiler_reduce_modulo, compiler_pass,
       .what = "a small number modulo 45", .setup = write_small, .check = remainders_added,
       .shown.compared_with = "reduce_cure");
