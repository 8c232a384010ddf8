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

/* Idiom recognition: the loop becomes a call of memset(), of memcpy() or memmove(). */
ONE_PASS clear_trap(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;
    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++)
        to[i] = 0;
    return count;
}
PASSES(clear_trap)

ONE_PASS clear_cure(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;
    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++) {
        to[i] = 0;
        BENCH_CLOBBER();
    }
    return count;
}
PASSES(clear_cure)

ONE_PASS move_trap(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;
    const unsigned char *from = (const unsigned char *)(table + PASS);
    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++)
        to[i] = from[i];
    return count;
}
PASSES(move_trap)

ONE_PASS move_cure(uint64_t *table, uint64_t count)
{
    unsigned char *to = (unsigned char *)table;
    const unsigned char *from = (const unsigned char *)(table + PASS);
    for (uint64_t i = 0; i < COMPILER_BYTES * count; i++) {
        to[i] = from[i];
        BENCH_CLOBBER();
    }
    return count;
}
PASSES(move_cure)
