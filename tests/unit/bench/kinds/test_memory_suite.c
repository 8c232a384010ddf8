/* The rows of suite memory: together they keep to the time of the suite, and offsets ascend. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/kinds.h"
#include "bench/api/bench.h"
#include "lib/curve/sizes.h"

#define SUITE_MS 20000u /* of one core, with the rows that several measure at once */

extern const struct bench *const __start_baretick_rows[], *const __stop_baretick_rows[];

TEST(all_rows_take_a_bounded_time)
{
    unsigned ms = 0;

    for (const struct bench *const *row = __start_baretick_rows; row < __stop_baretick_rows;
         row++) {
        assert_string_equal((*row)->suite, "memory");
        assert_true((*row)->on_request);
        if ((*row)->kind == &kind_team)
            continue;
        assert_true(bench_curve(*row)->ms > 0);
        ms += bench_curve(*row)->ms;
    }
    assert_in_range(ms, 1, SUITE_MS);
}

TEST(offsets_ascend)
{
    unsigned rows = 0;

    for (const struct bench *const *row = __start_baretick_rows; row < __stop_baretick_rows;
         row++) {
        if ((*row)->kind == &kind_team)
            continue;
        const struct bench_curve *c = bench_curve(*row);
        assert_int_equal(c->offsets > 0, bench_is_near(c->load));
        assert_true(c->offsets <= SIZES_MOST);
        rows += c->offsets > 0;
        for (uint32_t i = 1; i < c->offsets; i++)
            assert_true(c->offset[i - 1] < c->offset[i]);
    }
    assert_true(rows > 0);
}
