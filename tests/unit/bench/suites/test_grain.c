/* Bodies that can do only some numbers of operations: they refuse all others. */
#include "bench/suites/calls/many.h"
#include "bench/suites/compiler/compiler.h"
#include "bench/suites/sum/sum.h"
#include "tests/unit/cmocka_unit.h"

#define PAIR(name) compiler_##name##_trap, compiler_##name##_cure
static const body_fn of_passes[] = {
    compiler_pass,
    PAIR(mul),
    PAIR(div),
    PAIR(lookup),
    PAIR(load),
    PAIR(store),
    PAIR(silent),
    PAIR(buffer),
    PAIR(inline),
    PAIR(call),
    PAIR(clone),
    compiler_clone_range,
    PAIR(noclone),
    PAIR(volatile),
    compiler_volatile_choice,
    PAIR(known),
    PAIR(lower),
    PAIR(to_table),
    PAIR(memset),
    PAIR(copy),
    PAIR(to_memset),
    PAIR(to_memcpy),
    PAIR(products),
    PAIR(chain),
    PAIR(reduce),
    compiler_reduce_modulo,
    PAIR(ctype),
    compiler_split_plain_trap,
    compiler_split_quoted_trap,
};

TEST(bodies_of_passes_leave_the_rest_of_their_room_unchanged)
{
    compiler_fill_tolower_table();
    EACH_CASE (body, of_passes) {
        uint64_t room[PASS] = {0};

        for (uint64_t n = 1; n < 5 * PASS; n++) {
            struct object o = {.room = room};
            assert_int_equal((*body)(n, &o), n % PASS);
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
