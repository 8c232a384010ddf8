/* Stores and loads at every offset leave what they should; a walk that loses a store, or loads
 * something else, is found. The walks are simulated. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/chase.h"

static _Alignas(4096) uint8_t memory[NEAR_BYTES];
static enum { RIGHT, LOSES_STORES, LOADS_LESS } defect;

uint64_t near_alias(uint8_t *store, uint8_t *load, uint64_t iterations, uint64_t *value)
{
    assert_true(store >= memory && store + 8 <= memory + NEAR_BYTES);
    assert_true(load >= memory && load + 8 <= memory + NEAR_BYTES);
    uint64_t operations = iterations * NEAR_UNROLL;
    for (uint64_t i = 0; i < operations; i++) {
        if (defect != LOSES_STORES)
            memcpy(store, value, 8);
        *value = 0;
        memcpy(value, load, defect == LOADS_LESS ? 4 : 8);
    }
    return operations * 5;
}

uint64_t near_store(uint8_t *store, uint8_t *load, uint64_t iterations, uint64_t *value)
{
    assert_ptr_equal(store, load);
    if (defect != LOSES_STORES)
        memcpy(store, value, 8);
    return iterations * NEAR_UNROLL;
}

uint64_t chase_walk(void *const *at, uint64_t iterations, void *const **end)
{
    for (uint64_t i = 0; i < iterations * CHASE_UNROLL; i++) {
        const void *from = at; /* at any address */
        memcpy(&at, from, sizeof at);
    }
    *end = defect ? NULL : at;
    return iterations * CHASE_UNROLL * 4;
}

TEST(every_offset_passes_the_check)
{
    struct near_place p;

    defect = RIGHT;
    for (int32_t offset = NEAR_LEAST; offset <= NEAR_MOST; offset++) {
        near_build(&p, BENCH_ALIAS, memory, offset);
        assert_int_equal(p.at - p.store, offset);
        assert_true(near_check(&p) > 0);
    }
    for (int32_t offset = 0; offset <= NEAR_MOST; offset++) {
        near_build(&p, BENCH_SPLIT_LOAD, memory, offset);
        assert_ptr_equal(p.at, memory + offset);
        assert_true(near_check(&p) > 0);
        near_build(&p, BENCH_SPLIT_STORE, memory, offset);
        assert_true(near_check(&p) > 0);
    }
}

/* The store is in the middle of a line, so that accesses around it do not cross its ends. */
TEST(stores_and_loads_are_in_one_line)
{
    struct near_place p;

    near_build(&p, BENCH_ALIAS, memory, NEAR_LEAST);
    assert_int_equal((uint64_t)p.at / 64, (uint64_t)p.store / 64);
    near_build(&p, BENCH_ALIAS, memory, 16);
    assert_int_equal((uint64_t)p.store / 64, ((uint64_t)p.at + 7) / 64);
}

TEST(defects_are_found)
{
    static const enum bench_load loads[] = {BENCH_SPLIT_LOAD, BENCH_SPLIT_STORE, BENCH_ALIAS};
    struct near_place p;

    for (size_t i = 0; i < 3; i++) {
        defect = LOSES_STORES;
        near_build(&p, loads[i], memory, 0);
        assert_int_equal(near_check(&p), 0);
        defect = LOADS_LESS;
        near_build(&p, loads[i], memory, 0);
        assert_int_equal(near_check(&p) == 0, loads[i] != BENCH_SPLIT_STORE);
    }
}

TEST(times_are_those_of_the_accesses)
{
    struct near_place p;

    defect = RIGHT;
    near_build(&p, BENCH_ALIAS, memory, 0);
    assert_int_equal(near_time(&p, 160), 800);
    near_build(&p, BENCH_SPLIT_LOAD, memory, 63);
    assert_int_equal(near_time(&p, 160), 640);
}
