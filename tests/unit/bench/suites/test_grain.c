/* Bodies that can do only some numbers of operations: they refuse all others. */
#include "bench/suites/calls/many.h"
#include "bench/suites/compiler/compiler.h"
#include "bench/suites/sum/sum.h"
#include "tests/unit/cmocka_unit.h"

static const body_fn of_passes[] = {
    compiler_pass,
    compiler_mul_trap,
    compiler_mul_cure,
    compiler_div_trap,
    compiler_div_cure,
    compiler_lookup_trap,
    compiler_lookup_cure,
    compiler_load_trap,
    compiler_load_cure,
    compiler_store_trap,
    compiler_store_cure,
    compiler_silent_trap,
    compiler_silent_cure,
    compiler_buffer_trap,
    compiler_buffer_cure,
    compiler_inline_trap,
    compiler_inline_cure,
    compiler_call_trap,
    compiler_call_cure,
    compiler_clone_trap,
    compiler_clone_cure,
    compiler_clone_range,
    compiler_noclone_trap,
    compiler_noclone_cure,
    compiler_volatile_trap,
    compiler_volatile_cure,
    compiler_volatile_choice,
    compiler_known_trap,
    compiler_known_cure,
    compiler_lower_trap,
    compiler_lower_cure,
    compiler_to_table_trap,
    compiler_to_table_cure,
    compiler_memset_trap,
    compiler_memset_cure,
    compiler_copy_trap,
    compiler_copy_cure,
    compiler_to_memset_trap,
    compiler_to_memset_cure,
    compiler_to_memcpy_trap,
    compiler_to_memcpy_cure,
    compiler_products_trap,
    compiler_products_cure,
    compiler_chain_trap,
    compiler_chain_cure,
    compiler_reduce_trap,
    compiler_reduce_cure,
    compiler_reduce_modulo,
    compiler_ctype_trap,
    compiler_ctype_cure,
    compiler_split_plain_trap,
    compiler_split_quoted_trap,
};
#define BODIES (COUNT_OF(of_passes))

TEST(bodies_of_passes_leave_the_rest_of_their_room_unchanged)
{
    compiler_fill_tolower_table();
    for (size_t i = 0; i < BODIES; i++) {
        uint64_t room[PASS] = {0};

        for (uint64_t n = 1; n < 5 * PASS; n++) {
            struct object o = {.room = room};
            assert_int_equal(of_passes[i](n, &o), n % PASS);
        }
    }
}

TEST(sums_leave_the_rest_of_their_room_unchanged)
{
    static uint32_t room[SUM_INTS];
    static const uint64_t n[] = {1, 2, SUM_INTS - 1, SUM_INTS, SUM_INTS + 1, 3 * SUM_INTS};

    room[0] = 1;
    EACH_CASE (c, n) {
        struct baretick_object o = {.room = room};
        assert_int_equal(sum_pass(*c, &o), *c % SUM_INTS);
        assert_int_equal(o.counter, *c / SUM_INTS);
        assert_int_equal(sum_empty(*c, &o), *c % SUM_INTS);
    }
}

/* On the heap, so that one byte too many is noticed. */
TEST(a_switch_does_not_leave_its_table)
{
    struct calls_order *order = calloc(1, sizeof *order);
    struct object o = {.room = order};

    assert_non_null(order);
    order->at = order->at_empty = CALLS_ORDER - 1;
    for (uint64_t n = CALLS_TAIL + 1; n; n *= 2) {
        assert_int_equal(calls_switch(n, &o), 1);
        assert_int_equal(calls_switch_empty(n, &o), 1);
    }
    assert_int_equal(o.counter, 0);
    assert_int_equal(order->at, CALLS_ORDER - 1);
    assert_int_equal(calls_switch(CALLS_TAIL, &o), 0);
    assert_int_equal(calls_switch_empty(CALLS_TAIL, &o), 0);
    assert_int_equal(o.counter, CALLS_TAIL);
    free(order);
}

TEST(a_row_accepts_multiples_of_its_grain_up_to_its_maximum)
{
    const struct bench any = {.ops = 1}, passes = {.window.grain = 50},
                       table = {.window.most_ops = 2048},
                       both = {.window.grain = 50, .window.most_ops = 120};

    assert_true(bench_can_do(&any, 1) && bench_can_do(&any, UINT64_MAX) && !bench_can_do(&any, 0));
    assert_true(bench_can_do(&passes, 50) && bench_can_do(&passes, 1000));
    assert_false(bench_can_do(&passes, 1) || bench_can_do(&passes, 51));
    assert_true(bench_can_do(&table, 1) && bench_can_do(&table, 2048));
    assert_false(bench_can_do(&table, 2049));
    assert_true(bench_can_do(&both, 100));
    assert_false(bench_can_do(&both, 120) || bench_can_do(&both, 150));
}
