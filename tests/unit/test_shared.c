#include "hosted/replay/shared.h"
#include "lib/stats/known.h"
#include "tests/unit/close.h"
#include "tests/unit/gauss.h"
#include "tests/unit/unit.h"

enum { N = 64, LAUNCHES = 60, EACH = 4 /* values of a placement */ };

static struct shared_value v[N];
static double scratch[2 * N];

static void quiet_values_alone_make_the_figure(void **state)
{
    (void)state;
    const struct shared_value few[] = {{2.0, 0, false}, {2.1, 0, false}, {9, 0, true},
                                       {1.9, 1, false}, {8, 1, true},    {UNKNOWN, 1, false},
                                       {2.05, 1, false}};
    struct shared_figure f = shared_figure(few, 7, 0.5, scratch);
    assert_int_equal(f.values, 6);
    assert_int_equal(f.quiet, 4);
    assert_int_equal(f.placements, 2);
    assert_close(f.share, 1 / 3.0, 1e-12);
    assert_close(f.theta, 2.025, 1e-12);
    assert_true(f.judged && f.lo < 1.9 && f.hi > 2.1);
    /* Asked for more than there are: the median of all, and both states within. */
    f = shared_figure(few, 7, 0.8, scratch);
    assert_true(!f.judged && f.lo <= 1.9 && f.hi >= 9);
    assert_close(f.theta, 2.075, 1e-12);
}

static void few_or_none(void **state)
{
    (void)state;
    const struct shared_value few[] = {{3, 0, false}, {UNKNOWN, 1, false}, {5, 2, true}};
    struct shared_figure f = shared_figure(few, 3, 0, scratch);
    assert_true(!f.judged && f.quiet == 1 && f.theta == 4 && f.lo <= 3 && f.hi >= 5);
    f = shared_figure(few + 1, 1, 0, scratch);
    assert_true(!f.judged && f.values == 0 && !is_known(f.share) && !is_known(f.theta));
    assert_true(!is_known(f.lo) && !is_known(f.hi));
    f = shared_figure(few, 0, 0, scratch);
    assert_true(!f.judged && !is_known(f.theta));
}

/* However many values one placement has: another may read something else. */
static void one_placement_is_not_judged(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        v[i] = (struct shared_value){i < 8 ? 3.0 : 2.0, (uint32_t)i / 8, i >= 8};
    struct shared_figure f = shared_figure(v, N, 0.1, scratch);
    assert_true(!f.judged && f.quiet == 8 && f.placements == 1 && f.lo <= 2 && f.hi >= 3);
    v[20].shared = false; /* one of a second: it is judged, and knows how far they lie apart */
    f = shared_figure(v, N, 0.1, scratch);
    assert_true(f.judged && f.placements == 2 && f.theta == 3 && f.lo < 2 && f.hi > 3);
    for (int i = 0; i < 8; i++) /* where a placement is taken in parts, it is one all the same */
        v[i].placement = i % 2 ? 0 : 5;
    v[20].shared = true;
    f = shared_figure(v, N, 0.1, scratch);
    assert_true(f.judged && f.placements == 2);
    for (int i = 3; i < N; i++)
        v[i].shared = true;
    f = shared_figure(v, N, 0, scratch);
    assert_true(!f.judged && f.quiet == 3);
}

/* Of 2 cycles; a neighbour comes between the witnesses of a part of the quiet values, and all
 * values of some placements are a cycle more. */
static void make_launch(struct rng *rng, int n, double slipped, double odd)
{
    double share = 0.8 * rng_unit(rng), more = 0;

    for (int i = 0; i < n; i++) {
        if (i % EACH == 0)
            more = rng_unit(rng) < odd;
        bool shared = rng_unit(rng) < share, slow = shared || rng_unit(rng) < slipped;
        double value = 2 * (1 + 0.004 * gauss(rng)) + (slow ? 2 * rng_unit(rng) : 0);
        v[i] = (struct shared_value){value + more, (uint32_t)(i / EACH), shared};
    }
}

/* Launches of which each has its own number of quiet values: does one's interval hold another's
 * figure? Whole ones, and of some of each a quarter alone. */
static void intervals_hold(void **state)
{
    static struct shared_figure f[LAUNCHES];
    static const double slipped[] = {0, 0.1, 0.3}, odd[] = {0, 1 / 16.0, 1 / 8.0};
    struct rng rng = {41};

    (void)state;
    for (int s = 0; s < 9; s++) {
        unsigned inside = 0, pairs = 0, near = 0, judged = 0;
        for (int l = 0; l < LAUNCHES; l++) {
            int n = l % 2 ? N : N / 4;
            make_launch(&rng, n, slipped[s % 3], odd[s / 3]);
            f[l] = shared_figure(v, (size_t)n, 0.1, scratch);
            assert_true(f[l].judged || n < N);
            judged += f[l].judged;
            near += f[l].judged && f[l].theta < 2 * 1.01 && f[l].theta > 2 * 0.99;
        }
        for (int i = 0; i < LAUNCHES; i++)
            for (int j = 0; j < LAUNCHES; j++)
                if (i != j && f[i].judged && f[j].judged && j % 2) {
                    pairs++;
                    inside += f[i].lo <= f[j].theta && f[j].theta <= f[i].hi;
                }
        assert_true(judged >= 0.7 * LAUNCHES);
        assert_true(inside >= 0.97 * pairs);
        assert_true(s > 1 || near == judged);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_values_alone_make_the_figure),
        cmocka_unit_test(few_or_none),
        cmocka_unit_test(one_placement_is_not_judged),
        cmocka_unit_test(intervals_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
