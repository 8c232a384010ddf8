#include "lib/stats/literature.h"
#include "lib/stats/stats.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"

TEST(converges_on_the_smallest)
{
    static const uint64_t ticks[] = {900, 130, 104, 500, 120, 106, 104};
    struct kbest b;

    kbest_start(&b, 3, 0.05, 500);
    for (int i = 0; i < 5; i++)
        assert_true(kbest_add(&b, ticks[i]));
    /* 104, 106, 120: not yet. 104, 104, 106 lie within 5%. */
    assert_true(kbest_add(&b, ticks[5]));
    assert_false(kbest_add(&b, ticks[6]));
    assert_true(b.converged);
    assert_int_equal(b.taken, 7);
    assert_int_equal(b.smallest[0], 104);
    assert_int_equal(b.smallest[1], 104);
    assert_int_equal(b.smallest[2], 106);
}

TEST(needs_k_samples_at_least)
{
    for (unsigned k = 1; k <= KBEST_MOST; k++) {
        struct kbest b;
        kbest_start(&b, k, 0, 500);
        unsigned taken = 1;
        while (kbest_add(&b, 26))
            taken++;
        assert_int_equal(taken, k);
        assert_true(b.converged && b.smallest[0] == 26);
    }
}

/* A body that gets ever faster by more than epsilon: the k smallest never agree. */
TEST(a_search_that_does_not_converge_is_reported)
{
    struct kbest b;
    uint64_t ticks = 1ull << 60;

    kbest_start(&b, 3, 0.05, 50);
    int calls = 1;
    for (; kbest_add(&b, ticks); calls++)
        ticks -= ticks / 10;
    assert_int_equal(calls, 50);
    assert_int_equal(b.taken, 50);
    assert_false(b.converged);
    assert_int_equal(b.smallest[0], ticks);
}

TEST(samples_at_the_bound_agree)
{
    struct kbest b;

    kbest_start(&b, 2, 0.25, 3);
    assert_true(kbest_add(&b, 126));
    assert_true(kbest_add(&b, 100));
    assert_false(kbest_add(&b, 125));
    assert_true(b.converged);
    kbest_start(&b, 1, 0, 1);
    assert_false(kbest_add(&b, 0));
    assert_true(b.converged && b.smallest[0] == 0);
}

TEST(holds_the_k_smallest_of_any_stream)
{
    struct rng rng = {2};

    for (int round = 0; round < 500; round++) {
        uint64_t x[100], n = 1 + rng_below(&rng, 100);
        unsigned k = 1 + (unsigned)rng_below(&rng, KBEST_MOST);
        struct kbest b;
        kbest_start(&b, k, 0, 1000);
        for (uint64_t i = 0; i < n; i++) {
            x[i] = 1000 * i + rng_below(&rng, 50000);
            kbest_add(&b, x[i]); /* continues, converged or not */
        }
        stats_sort(x, n);
        assert_int_equal(b.held, n < k ? n : k);
        assert_memory_equal(b.smallest, x, b.held * sizeof *x);
        assert_int_equal(b.converged, n >= k && x[k - 1] == x[0]);
    }
}
