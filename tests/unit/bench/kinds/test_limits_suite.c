/* The rows of suite limits: together they keep to the time of the suite. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/kinds.h"
#include "bench/api/bench.h"

#define SUITE_MS 15000u /* of one core */

extern const struct bench *const __start_baretick_rows[], *const __stop_baretick_rows[];

TEST(all_rows_take_15_seconds)
{
    unsigned ms = 0;

    for (const struct bench *const *row = __start_baretick_rows; row < __stop_baretick_rows;
         row++) {
        assert_string_equal((*row)->suite, "limits");
        assert_ptr_equal((*row)->kind, &kind_limit);
        assert_true((*row)->on_request);
        assert_true(bench_limit(*row)->ms > 0);
        ms += bench_limit(*row)->ms;
    }
    assert_in_range(ms, 1, SUITE_MS);
}
