/* A histogram that is filled bit by bit says of its samples what lib/stats/stats.h says of all of
 * them: exactly while each value has a bin, and within a bin's width when there are too many. */
#include "tests/unit/cmocka_unit.h"
#include "lib/stats/histogram.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"

#define MOST 2000

/* n samples below `values`, in portions of any size; `all` gets them sorted. */
static void fill(struct histogram *h, struct rng *rng, uint64_t values, size_t n, uint64_t *all)
{
    size_t done = 0;

    for (size_t i = 0; i < n; i++)
        all[i] = 1000 + rng_below(rng, 1 + rng_below(rng, values));
    while (done < n) {
        size_t some = 1 + rng_below(rng, n - done);
        stats_sort(all + done, some);
        histogram_add(h, all + done, some);
        done += some;
    }
    stats_sort(all, n);
}

TEST(few_values_have_an_exact_summary)
{
    struct rng rng = {5};

    for (int round = 0; round < 500; round++) {
        static uint64_t x[MOST], scratch[MOST];
        size_t n = 1 + rng_below(&rng, round % 2 ? MOST : 12);
        /* Just the room that was promised, so that the sanitizer sees a write beyond it. */
        size_t cap = 2 + rng_below(&rng, 200);
        struct bin *bins = malloc(cap * sizeof *bins);
        struct histogram h;
        histogram_init(&h, bins, cap);
        fill(&h, &rng, cap, n, x);
        assert_int_equal(h.width, 1);
        struct statistics got = histogram_stats(&h), wanted = stats_of(x, n, scratch);
        assert_true(got.n == wanted.n && got.min == wanted.min && got.max == wanted.max);
        assert_true(got.p25 == wanted.p25 && got.median == wanted.median && got.p75 == wanted.p75);
        assert_true(got.p99 == wanted.p99 && got.mad == wanted.mad && got.mean == wanted.mean);
        assert_close(got.sd, wanted.sd, 1e-9);
        free(bins);
    }
}

TEST(many_values_have_a_summary_within_a_bin)
{
    struct rng rng = {6};

    for (int round = 0; round < 300; round++) {
        static uint64_t x[MOST], scratch[MOST];
        size_t n = 500 + rng_below(&rng, MOST - 500), cap = 2 + rng_below(&rng, 60);
        uint64_t values = 300 + rng_below(&rng, 100000);
        struct bin *bins = malloc(cap * sizeof *bins);
        struct histogram h;
        histogram_init(&h, bins, cap);
        fill(&h, &rng, values, n, x);
        assert_true(h.used <= cap && h.width > 1);
        assert_true(h.width <= 4 * (1 + values / cap)); /* no wider than it must be */
        struct statistics got = histogram_stats(&h), wanted = stats_of(x, n, scratch);
        double width = (double)h.width;
        assert_true(got.n == wanted.n && got.min == wanted.min && got.max == wanted.max);
        assert_true(got.p25 <= wanted.p25 && got.p25 > wanted.p25 - width);
        assert_true(got.median <= wanted.median && got.median > wanted.median - width);
        assert_true(got.p75 <= wanted.p75 && got.p75 > wanted.p75 - width);
        assert_true(got.p99 <= wanted.p99 && got.p99 > wanted.p99 - width);
        assert_close(got.mad, wanted.mad, width);
        assert_close(got.mean, wanted.mean, 1e-6);
        assert_close(got.sd, wanted.sd, 1e-6);
        uint64_t all = 0;
        for (size_t i = 0; i < h.used; i++) {
            assert_true(h.bin[i].value % h.width == 0);
            assert_true(i == 0 || h.bin[i].value > h.bin[i - 1].value);
            all += h.bin[i].count;
        }
        assert_int_equal(all, n);
        free(bins);
    }
}

TEST(extreme_values_fit_their_column)
{
    struct bin bins[2];
    struct histogram h;
    const uint64_t ends[] = {0, 1, UINT64_MAX - 1, UINT64_MAX};

    histogram_init(&h, bins, 2);
    assert_int_equal(histogram_stats(&h).n, 0);
    histogram_add(&h, ends, 0);
    assert_int_equal(h.used, 0);
    histogram_add(&h, ends, 4);
    assert_int_equal(h.used, 2);
    assert_true(h.min == 0 && h.max == UINT64_MAX);
    histogram_init(&h, bins, 2);
    histogram_add(&h, ends + 1, 1);
    struct statistics s = histogram_stats(&h);
    assert_true(s.n == 1 && s.min == 1 && s.median == 1 && s.sd == 0 && s.mad == 0);
}

/* By the words: a bin is kept unless `cap` others are fuller, or as full and smaller. */
static size_t naive_fullest(const struct histogram *h, struct bin *kept, size_t cap, uint64_t *rest)
{
    size_t used = 0;

    *rest = 0;
    for (size_t i = 0; i < h->used; i++) {
        size_t better = 0;
        for (size_t j = 0; j < h->used; j++)
            better +=
                h->bin[j].count > h->bin[i].count || (h->bin[j].count == h->bin[i].count && j < i);
        if (better < cap)
            kept[used++] = h->bin[i];
        else
            *rest += h->bin[i].count;
    }
    return used;
}

TEST(the_fullest_bins_are_kept)
{
    struct rng rng = {13};

    for (int round = 0; round < 500; round++) {
        uint64_t x[MOST], rest, naive_rest;
        struct bin all[64], theirs[64];
        struct histogram h;
        size_t n = 1 + rng_below(&rng, round % 2 ? MOST : 30), cap = rng_below(&rng, 64);
        histogram_init(&h, all, 64);
        fill(&h, &rng, 1 + rng_below(&rng, 60), n, x);
        struct bin *ours = malloc(cap * sizeof *ours + 1);
        size_t bins = histogram_fullest(&h, ours, cap, &rest);
        assert_int_equal(bins, naive_fullest(&h, theirs, cap, &naive_rest));
        assert_int_equal(rest, naive_rest);
        assert_memory_equal(ours, theirs, bins * sizeof *ours);
        free(ours);
    }
}
