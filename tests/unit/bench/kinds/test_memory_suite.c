/* The rows of suites memory and limits: together they keep to the time of their suite, and offsets
 * ascend. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/kinds.h"
#include "bench/api/bench.h"
#include "lib/curve/sizes.h"

extern const struct bench *const __start_baretick_rows[], *const __stop_baretick_rows[];

/* Of one core, with the rows that several measure at once. */
TEST(the_rows_of_a_suite_keep_to_its_time)
{
    static const struct {
        const char *suite;
        unsigned ms;
    } cases[] = {{"memory", 21000}, {"limits", 15000}};

    EACH_CASE (c, cases) {
        unsigned ms = 0;
        for (const struct bench *const *row = __start_baretick_rows; row < __stop_baretick_rows;
             row++) {
            assert_true((*row)->on_request);
            if (strcmp((*row)->suite, c->suite) != 0 || (*row)->kind == &kind_team)
                continue;
            unsigned its = (*row)->kind->ms(*row);
            assert_true(its > 0);
            ms += its;
        }
        assert_in_range(ms, 1, c->ms);
    }
}

TEST(offsets_ascend)
{
    unsigned rows = 0;

    for (const struct bench *const *row = __start_baretick_rows; row < __stop_baretick_rows;
         row++) {
        if ((*row)->kind == &kind_team || (*row)->kind == &kind_limit)
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
