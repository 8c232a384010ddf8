/*
 * Memory that is filled and copied. Compiled as a hosted program is (Makefile): only there may gcc
 * and clang take a loop for memset() or memcpy(), or make stores of a call.
 */
#include "bench/suites/compiler/pass.h"
#include "lib/text/mem.h"

/* Dead stores: of the bytes that are cleared, those that are written right after are not. */
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

/* Of a struct that is copied only those words are loaded that are used, and none is stored. */
ONE_PASS copy_trap(uint64_t *table, uint64_t count)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct compiler_record r = *(const struct compiler_record *)table;
        sum += r.word[0] + r.word[4];
        BENCH_CLOBBER();
    }
    return sum;
}
PASSES(copy_trap)

ONE_PASS copy_cure(uint64_t *table, uint64_t count)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct compiler_record r = *(const struct compiler_record *)table;
        BENCH_ESCAPE(&r);
        sum += r.word[0] + r.word[4];
    }
    return sum;
}
PASSES(copy_cure)

/* Idiom recognition: the loop becomes a call of memset(), or of memcpy(). */
ONE_PASS to_memset_trap(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;

    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++)
        to[i] = 0;
    return count;
}
PASSES(to_memset_trap)

ONE_PASS to_memset_cure(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;

    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++) {
        to[i] = 0;
        BENCH_CLOBBER();
    }
    return count;
}
PASSES(to_memset_cure)

/* What nothing can change, so that it lies nowhere near where it is copied to. */
static const unsigned char text[COMPILER_BYTES * PASS] = COMPILER_TEXT;

ONE_PASS to_memcpy_trap(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;

    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++)
        to[i] = text[i];
    return count;
}
PASSES(to_memcpy_trap)

ONE_PASS to_memcpy_cure(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;

    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++) {
        to[i] = text[i];
        BENCH_CLOBBER();
    }
    return count;
}
PASSES(to_memcpy_cure)
