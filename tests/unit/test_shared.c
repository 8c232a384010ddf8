#include "lib/stats/shared.h"
#include "lib/stats/known.h"
#include "tests/unit/close.h"
#include "tests/unit/gauss.h"
#include "tests/unit/unit.h"

enum { N = 64, LAUNCHES = 60 };

static void quiet_values_alone_make_the_figure(void **state)
{
    (void)state;
    const double value[] = {2.0, 2.1, 9, 1.9, 8, UNKNOWN, 2.05};
    const bool shared[] = {false, false, true, false, true, false, false};
    double scratch[7];
    struct shared_figure f = shared_figure(value, shared, 7, 0.5, 0, scratch);
    assert_int_equal(f.values, 6);
    assert_int_equal(f.quiet, 4);
    assert_close(f.share, 1 / 3.0, 1e-12);
    assert_close(f.theta, 2.025, 1e-12);
    assert_true(f.judged && f.lo < 1.9 && f.hi > 2.1 && f.hi < 3);
    /* Asked for more than there are: the median of all, and both states within. */
    f = shared_figure(value, shared, 7, 0.8, 0, scratch);
    assert_true(!f.judged && f.lo <= 1.9 && f.hi >= 9);
    assert_close(f.theta, 2.075, 1e-12);
}

static void few_or_none(void **state)
{
    (void)state;
    const double value[] = {3, UNKNOWN, 5};
    const bool shared[] = {false, false, true};
    double scratch[3];
    struct shared_figure f = shared_figure(value, shared, 3, 0, 0.002, scratch);
    assert_true(!f.judged && f.quiet == 1 && f.theta == 4 && f.lo <= 3 && f.hi >= 5);
    f = shared_figure(value + 1, shared, 1, 0, 0.002, scratch);
    assert_true(!f.judged && f.values == 0 && !is_known(f.share) && !is_known(f.theta));
    assert_true(!is_known(f.lo) && !is_known(f.hi));
    f = shared_figure(value, shared, 0, 0, 0.002, scratch);
    assert_true(!f.judged && !is_known(f.theta));
}

/* Kappa is there even where nothing else varies. */
static void never_narrower_than_kappa(void **state)
{
    (void)state;
    double value[N], scratch[N];
    bool shared[N] = {false};
    for (int i = 0; i < N; i++)
        value[i] = 3;
    struct shared_figure f = shared_figure(value, shared, N, 0.5, 0.002, scratch);
    assert_close(f.hi - f.theta, 2.5758 * 1.41421 * 0.002 * 3, 1e-5);
    assert_close(f.theta - f.lo, f.hi - f.theta, 1e-12);
}

/* Launches of which each has its own number of quiet values, and in a part of those a neighbour
 * came between the witnesses: does one's interval hold another's figure? */
static void intervals_hold(void **state)
{
    static struct shared_figure f[LAUNCHES];
    static const double slipped[] = {0, 0.1, 0.3};
    struct rng rng = {41};
    (void)state;
    for (int s = 0; s < 3; s++) {
        unsigned inside = 0, near = 0;
        for (int l = 0; l < LAUNCHES; l++) {
            double value[N], scratch[N], share = 0.8 * rng_unit(&rng);
            bool shared[N];
            for (int i = 0; i < N; i++) {
                shared[i] = rng_unit(&rng) < share;
                bool slow = shared[i] || rng_unit(&rng) < slipped[s];
                value[i] = 2 * (1 + 0.004 * gauss(&rng)) + (slow ? 2 * rng_unit(&rng) : 0);
            }
            f[l] = shared_figure(value, shared, N, 0.1, 0.002, scratch);
            assert_true(f[l].judged);
            near += f[l].theta < 2 * 1.01 && f[l].theta > 2 * 0.99;
        }
        for (int i = 0; i < LAUNCHES; i++)
            for (int j = 0; j < LAUNCHES; j++)
                inside += i != j && f[i].lo <= f[j].theta && f[j].theta <= f[i].hi;
        assert_true(inside >= 0.97 * LAUNCHES * (LAUNCHES - 1));
        assert_true(s == 2 || near == LAUNCHES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_values_alone_make_the_figure),
        cmocka_unit_test(few_or_none),
        cmocka_unit_test(never_narrower_than_kappa),
        cmocka_unit_test(intervals_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
