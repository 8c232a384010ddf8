/* Visits of a point that a neighbour disturbed: which they are, and what a repetition changes. */
#include "tests/unit/cmocka_unit.h"
#include "bench/engine/loop.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"

static const struct pairs_figure none, one = {1, 50, 100, 1}, five = {5, 50, 100, 1},
                                       slow = {5, 90, 180, 1};

TEST(a_disturbed_visit_is_found)
{
    struct visits v = {0};

    visits_add(&v, 0, &five, &five);
    assert_int_equal(visits_disturbed(&v), 1);
    assert_false(visits_are_shared(&v));
    visits_add(&v, 0, &one, &slow);
    visits_add(&v, 0, &none, &slow);
    assert_int_equal(visits_disturbed(&v), 1);
    assert_true(visits_are_shared(&v));
}

TEST(a_repetition_counts_if_it_is_less_disturbed)
{
    struct visits v = {0};

    visits_add(&v, 0, &five, &five);
    visits_add(&v, 1, &one, &slow);
    visits_add(&v, 1, &none, &slow);
    visits_repeat(&v, 1, &none, &slow);
    assert_int_equal(v.exclusive[1].pairs, 1);
    visits_repeat(&v, 1, &five, &five);
    assert_int_equal(visits_disturbed(&v), 2);
    assert_false(visits_are_shared(&v));
    visits_repeat(&v, 2, &five, &five);
    assert_int_equal(visits_disturbed(&v), v.n);
    assert_int_equal(v.n, 3);
    assert_int_equal(v.round[2], 1);
    struct visits_figure f = visits_figure(&v, 2, 0.01, true);
    assert_false(f.shared);
    assert_close(f.cycles, 100, 1e-6);
}

/* Student's t of two visits is 64: such an interval would say nothing. */
TEST(few_visits_have_a_figure_without_an_interval)
{
    struct visits v = {0};

    for (unsigned i = 0; i < VISITS_LEAST; i++) {
        visits_add(&v, i, &five, &five);
        struct visits_figure f = visits_figure(&v, VISITS_ROUNDS_MOST, 0.01, true);
        assert_close(f.cycles, 100, 1e-6);
        assert_int_equal(is_known(f.lo) && is_known(f.hi), i + 1 == VISITS_LEAST);
    }
}

TEST(visits_that_differ_much_have_no_interval)
{
    static const float cycles[] = {100, 101, 300};
    struct visits v = {0};

    for (unsigned i = 0; i < VISITS_LEAST; i++) {
        const struct pairs_figure f = {5, 50, cycles[i], 1};
        visits_add(&v, i, &f, &f);
    }
    struct visits_figure f = visits_figure(&v, VISITS_ROUNDS_MOST, 0.01, true);
    assert_close(f.cycles, 101, 1e-6);
    assert_false(is_known(f.lo) || is_known(f.hi)); /* it would reach below zero */
}
