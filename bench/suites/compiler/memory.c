/*
 * Filling and copying memory. Compiled as a hosted program (Makefile): only there may gcc and clang
 * replace a loop with memset() or memcpy(), or such a call with stores.
 */
#include "bench/suites/compiler/pass.h"
#include "lib/text/mem.h"

/* Dead stores: bytes that are written immediately afterwards are not cleared. */
ONE_PASS memset_trap(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        memset(table, 0, sizeof(struct compiler_record));
        table[0] = table[1] = table[2] = table[3] = i;
        BENCH_CLOBBER();
    }
    return count;
}
PASSES(memset_trap)

ONE_PASS memset_cure(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        memset(table, 0, sizeof(struct compiler_record));
        BENCH_CLOBBER();
        table[0] = table[1] = table[2] = table[3] = i;
        BENCH_CLOBBER();
    }
    return count;
}
PASSES(memset_cure)

/* Of a copied struct only the used words are loaded, and none is stored. */
SUM_PASS(copy_trap, struct compiler_record r = *(const struct compiler_record *)table;
         sum += r.word[0] + r.word[4]; BENCH_CLOBBER())
SUM_PASS(copy_cure, struct compiler_record r = *(const struct compiler_record *)table;
         BENCH_ESCAPE(&r); sum += r.word[0] + r.word[4])

/* `...` is the operation on the i-th byte. */
#define BYTES_PASS(name_, ...)                                                                     \
    ONE_PASS name_(uint64_t *table, uint64_t count)                                                \
    {                                                                                              \
        unsigned char *to = (unsigned char *)table;                                                \
        for (uint64_t i = 0; i < COMPILER_BYTES * count; i++) {                                    \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return count;                                                                              \
    }                                                                                              \
    PASSES(name_)

/* Idiom recognition: the loop becomes a call of memset() or memcpy(). */
BYTES_PASS(to_memset_trap, to[i] = 0)
BYTES_PASS(to_memset_cure, to[i] = 0; BENCH_CLOBBER())

/* Constant, so that the compiler knows that it does not overlap with the target. */
static const unsigned char text[COMPILER_BYTES * PASS] = COMPILER_TEXT;

BYTES_PASS(to_memcpy_trap, to[i] = text[i])
BYTES_PASS(to_memcpy_cure, to[i] = text[i]; BENCH_CLOBBER())
