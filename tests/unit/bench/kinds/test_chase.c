/* A pointer chase visits every line once, and a chase that does not is noticed; timed walks
 * begin and end where the order says. The walk is simulated: it follows the pointers and makes
 * up ticks. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/chase.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)

static uint8_t *set;
static uint64_t *map;
static uint64_t walked;     /* steps of all timed walks */
static unsigned wrong_walk; /* the walk with this number ends one line too far; 0: none */

uint64_t chase_walk(void *const *at, uint64_t iterations, void *const **end)
{
    uint64_t steps = iterations * CHASE_UNROLL + (wrong_walk && --wrong_walk == 0);

    for (uint64_t i = 0; i < steps; i++)
        at = (void *const *)*at;
    *end = at;
    walked += iterations * CHASE_UNROLL;
    return 100 + 5 * iterations * CHASE_UNROLL;
}

#define STRIDED 6 /* of `sizes`, from this one on; their index is the seed */

static const struct bench_curve lines = {.load = BENCH_CHASE}, pages = {.load = BENCH_PAGES};

static struct chase make(uint64_t bytes, uint64_t seed)
{
    const struct bench_curve kind = {.stride = seed >= STRIDED ? 16 : 0};
    struct chase c;

    set = aligned_alloc(1024, bytes);
    map = malloc(chase_map_bytes(bytes));
    assert_non_null(set);
    assert_non_null(map);
    chase_build(&c, set, bytes, map, &kind, seed);
    assert_int_equal(c.n, bytes / CHASE_LINE);
    return c;
}

static void drop(void)
{
    free(set);
    free(map);
}

static const uint64_t sizes[] = {4 * KIB,  5 * KIB, 96 * KIB, 2 * MIB, 3 * MIB,
                                 24 * MIB, 4 * KIB, 3 * MIB,  24 * MIB};
#define SIZES (COUNT_OF(sizes))

TEST(every_line_is_visited_once)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct chase c = make(sizes[i], i);
        assert_int_equal(chase_check(&c), c.n);
        assert_int_equal(chase_check(&c), c.n); /* the map is cleared */
        drop();
    }
}

static void **line(uint64_t i)
{
    return (void **)(void *)(set + i * CHASE_LINE);
}

/* Two lines exchange their successors, so the cycle becomes two cycles. */
TEST(two_cycles_fail_the_check)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct chase c = make(sizes[i], i);
        void *kept = *line(1);
        *line(1) = *line(3);
        *line(3) = kept;
        assert_true(chase_check(&c) < c.n);
        drop();
    }
}

TEST(a_line_that_points_to_itself_fails_the_check)
{
    struct chase c = make(64 * KIB, 1);

    *line(7) = line(7);
    assert_true(chase_check(&c) < c.n);
    drop();
}

TEST(pointers_out_of_the_set_fail_the_check)
{
    struct chase c = make(64 * KIB, 1);
    void *wild[] = {NULL, set - CHASE_LINE, set + 64 * KIB, set + 8, (void *)~7ull};

    EACH_CASE (one, wild) {
        chase_build(&c, set, 64 * KIB, map, &lines, 2);
        *line(9) = *one;
        assert_true(chase_check(&c) < c.n);
    }
    drop();
}

/* Asserts that no line is in two walks of a series, or twice in one.
 * Marks them in the map. */
static void walks_share_no_line(const struct chase *c)
{
    for (uint64_t i = 0; i < chase_map_bytes((uint64_t)c->n * CHASE_LINE) / 8; i++)
        map[i] = 0;
    for (unsigned i = 0; i < CHASE_WALKS; i++) {
        struct chase_walks w = chase_walks(c, i);
        for (uint64_t s = 0; s < 3 * w.steps; s++) {
            uint64_t t = w.from + s;
            assert_true(t < c->n);
            assert_false(map[t / 64] >> t % 64 & 1);
            map[t / 64] |= 1ull << t % 64;
        }
    }
}

TEST(timed_walks_have_whole_laps_or_share_no_line)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct chase c = make(sizes[i], i);
        bool laps = chase_walks(&c, 0).steps % c.n == 0;
        assert_int_equal(laps, sizes[i] <= (i < STRIDED ? 2 : 8) * MIB);
        for (unsigned k = 0; k < CHASE_WALKS; k++) {
            struct chase_walks w = chase_walks(&c, k);
            struct chase_ticks t;
            assert_int_equal(w.steps % CHASE_UNROLL, 0);
            assert_true(w.steps >= 1024);
            walked = 0;
            assert_true(chase_time(&c, &w, &t));
            assert_int_equal(walked, 3 * w.steps);
            assert_int_equal(t.twice - t.once, 5 * w.steps);
        }
        if (!laps)
            walks_share_no_line(&c);
        drop();
    }
}

/* The warm-up walks small sets only: in large ones it would use up the lines of a timed walk. */
TEST(the_warm_up_walks_small_sets_only)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct chase c = make(sizes[i], i);
        walked = 0;
        chase_warm(&c);
        bool laps = chase_walks(&c, 0).steps % c.n == 0;
        assert_int_equal(walked, laps ? chase_walks(&c, 0).steps : 0);
        drop();
    }
}

/* An element per page: the check finds each, and their lines fill the sets of a cache evenly. */
TEST(elements_one_per_page_fill_the_cache_sets_evenly)
{
    static const uint64_t spans[] = {64 * KIB, 80 * KIB, 96 * KIB, 112 * KIB, 3 * MIB};

    EACH_CASE (one, spans) {
        struct chase c = make(*one, 1);
        unsigned in_line[64] = {0}, least = UINT32_MAX, most = 0;
        chase_build(&c, set, *one, map, &pages, 4);
        assert_int_equal(c.n, *one / 4096);
        assert_int_equal(chase_check(&c), c.n);
        assert_int_equal(chase_walks(&c, 0).steps % CHASE_UNROLL, 0);
        assert_int_equal(chase_walks(&c, 0).steps % c.n, 0);
        void *const *at = (void *const *)(void *)set;
        for (uint32_t k = 0; k < c.n; k++, at = (void *const *)*at)
            in_line[(uint64_t)((const uint8_t *)at - set) % 4096 / 64]++;
        for (unsigned k = 0; k < 64; k++) {
            least = in_line[k] < least ? in_line[k] : least;
            most = in_line[k] > most ? in_line[k] : most;
        }
        assert_true(most - least <= 1);
        *(void **)(void *)set = set + 4096; /* the second element is a line further on */
        assert_true(chase_check(&c) < c.n);
        drop();
    }
}

/* In large pages every element is in another line of its page: pages may be the same memory. */
TEST(elements_of_large_pages_are_in_different_lines)
{
    static const struct bench_curve large = {.load = BENCH_PAGES, .page = BENCH_2M};
    const uint64_t bytes = 12ull * BENCH_2M;
    struct chase c = make(bytes, 1);

    chase_build(&c, set, bytes, map, &large, 4);
    assert_int_equal(c.n, 12);
    assert_int_equal(chase_check(&c), 12);
    void *const *at = (void *const *)(void *)set;
    for (uint32_t k = 0; k < c.n; k++, at = (void *const *)*at) {
        uint64_t offset = (uint64_t)((const uint8_t *)at - set);
        assert_int_equal(offset % BENCH_2M / CHASE_LINE, offset / BENCH_2M);
    }
    drop();
}

TEST(a_walk_that_ends_elsewhere_fails)
{
    struct chase c = make(64 * KIB, 3);
    struct chase_walks w = chase_walks(&c, 0);
    struct chase_ticks t;

    for (unsigned which = 1; which <= 2; which++) {
        wrong_walk = which;
        assert_false(chase_time(&c, &w, &t));
    }
    assert_true(chase_time(&c, &w, &t));
    drop();
}
