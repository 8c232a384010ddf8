/* Levels of simulated curves: as caches make them, and curves that no cache makes. */
#include "tests/unit/cmocka_unit.h"
#include "lib/curve/levels.h"
#include "lib/curve/sizes.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)

static struct level_point point[SIZES_MOST];
static struct level level[LEVELS_MOST];

/* A simulated machine: caches with a latency each, and memory. A random access hits a cache with
 * the probability size / set, and the sets of a cache overflow a little before it is full. */
struct made_cache {
    double size, latency;
};

static double made_latency(const struct made_cache *cache, size_t n, double memory, double set)
{
    double left = 1, sum = 0;

    for (size_t i = 0; i < n; i++) {
        double hit = set <= 0.9 * cache[i].size ? 1 : 0.9 * cache[i].size / set;
        double here = hit > 1 - left ? hit - (1 - left) : 0;
        sum += here * cache[i].latency;
        left -= here;
    }
    return sum + left * memory;
}

static size_t make(const struct made_cache *cache, size_t n, double memory, double noise)
{
    uint64_t size[SIZES_MOST];
    size_t points = sizes_grid(SIZES_FIRST, 128 * MIB, true, size);
    struct rng random = {1};

    for (size_t i = 0; i < points; i++) {
        double v = made_latency(cache, n, memory, (double)size[i]);
        double off = noise * (2 * rng_unit(&random) - 1);
        point[i] = (struct level_point){size[i], v * (1 + off), v * (1 - noise), v * (1 + noise)};
    }
    return points;
}

static const struct made_cache three[] = {{32 * KIB, 4}, {512 * KIB, 14}, {16 * MIB, 46}};
static const struct cache cpuid[] = {
    {.level = 1, .type = CACHE_DATA, .size = 32 * KIB},
    {.level = 1, .type = CACHE_INSTRUCTION, .size = 32 * KIB},
    {.level = 2, .type = CACHE_UNIFIED, .size = 512 * KIB},
    {.level = 3, .type = CACHE_UNIFIED, .size = 16 * MIB},
};
#define CPUID_CACHES 4

TEST(three_caches_and_memory_are_found)
{
    uint64_t at;
    size_t points = make(three, 3, 250, 0.01), n = levels_find(point, points, NULL, 0, level);

    assert_int_equal(n, 4);
    assert_false(levels_fall(point, points, &at));
    assert_close(level[0].value, 4, 0.1);
    assert_close(level[1].value, 13, 1); /* some accesses still hit the first cache */
    assert_close(level[2].value, 44, 3);
    assert_true(level[3].value > 200);
    assert_int_equal(level[0].from, 4 * KIB);
    assert_int_equal(level[0].to, 24 * KIB);
    assert_int_equal(level[0].beyond, 32 * KIB);
    assert_int_equal(level[3].to, 128 * MIB);
    assert_int_equal(level[3].beyond, 0);
    levels_match(level, n, cpuid, CPUID_CACHES);
    assert_int_equal(level[0].cache, 0);
    assert_int_equal(level[1].cache, 2);
    assert_int_equal(level[2].cache, 3);
    assert_int_equal(level[3].cache, -1);
}

/* TLB misses make sets slower that are half as large as the cache. */
TEST(a_level_ends_where_half_of_the_accesses_miss)
{
    size_t points = make(three, 3, 250, 0.01);

    for (size_t i = 0; i < points; i++)
        if (point[i].bytes > 256 * KIB && point[i].bytes <= 512 * KIB)
            point[i].value = 18, point[i].hi = 18.1;
    size_t n = levels_find(point, points, cpuid, CPUID_CACHES, level);
    for (size_t i = 0; i < n; i++) {
        if (level[i].cache != 2)
            continue;
        assert_true(level[i].to < 512 * KIB);
        assert_true(level[i].half_way > 512 * KIB && level[i].half_way <= 1536 * KIB);
        return;
    }
    fail_msg("no level is the second cache");
}

/* Others use most of the last cache: the level after the second one's is that of the third. */
TEST(a_shared_cache_that_ends_early_has_its_level)
{
    static const struct made_cache shared[] = {{32 * KIB, 4}, {512 * KIB, 14}, {4 * MIB, 46}};
    size_t n = levels_find(point, make(shared, 3, 600, 0.01), NULL, 0, level);

    assert_int_equal(n, 4);
    levels_match(level, n, cpuid, CPUID_CACHES);
    assert_int_equal(level[1].cache, 2);
    assert_false(level[1].early);
    assert_int_equal(level[2].cache, 3);
    assert_true(level[2].early);
    assert_int_equal(level[3].cache, -1);
}

/* They hold most of its lines, so most loads of a flat range go to memory. */
TEST(a_range_of_mostly_misses_has_no_cache)
{
    struct level l[] = {
        {4, 4 * KIB, 32 * KIB, 40 * KIB, 40 * KIB, -1, false},
        {14, 48 * KIB, 512 * KIB, 640 * KIB, 640 * KIB, -1, false},
        {473, 2 * MIB, 4 * MIB, 5 * MIB, 5 * MIB, -1, false},
        {635, 6 * MIB, 64 * MIB, 0, 0, -1, false},
    };

    levels_match(l, 4, cpuid, CPUID_CACHES);
    assert_int_equal(l[1].cache, 2);
    assert_int_equal(l[2].cache, -1);
    l[2].value = 300;
    levels_match(l, 4, cpuid, CPUID_CACHES);
    assert_int_equal(l[2].cache, 3);
    assert_true(l[2].early);
}

/* They use nearly all of it: it has no level, and the next one is memory. */
TEST(memory_is_not_taken_for_a_hidden_cache)
{
    static const struct made_cache hidden[] = {{32 * KIB, 4}, {512 * KIB, 14}};
    size_t n = levels_find(point, make(hidden, 2, 600, 0.01), cpuid, CPUID_CACHES, level);

    assert_int_equal(level[1].cache, 2);
    for (size_t i = 2; i < n; i++)
        assert_int_equal(level[i].cache, -1);
}

/* The curve climbs by a quarter per point from one level to the next. */
TEST(a_slow_climb_has_no_clear_end)
{
    double v = 14;
    size_t points = make(three, 3, 250, 0);

    for (size_t i = 0; i < points; i++) {
        point[i].value = point[i].bytes <= 256 * KIB ? 14 : v;
        v = point[i].bytes >= 256 * KIB && v < 200 ? 1.25 * v : v;
        point[i].lo = point[i].hi = UNKNOWN;
    }
    size_t n = levels_find(point, points, NULL, 0, level);
    assert_int_equal(n, 2);
    assert_int_equal(level[0].half_way, 0);
    levels_match(level, n, cpuid, CPUID_CACHES);
    assert_int_equal(level[0].cache, -1);
    /* After the first cache's level it is the second cache's. */
    for (size_t i = 0; point[i].bytes <= 32 * KIB; i++)
        point[i].value = 4;
    n = levels_find(point, points, NULL, 0, level);
    assert_int_equal(n, 3);
    levels_match(level, n, cpuid, CPUID_CACHES);
    assert_int_equal(level[1].half_way, 0);
    assert_int_equal(level[1].cache, 2);
    assert_false(level[1].early);
    assert_int_equal(level[2].cache, -1);
}

TEST(without_cpuid_data_levels_have_no_cache)
{
    size_t n = levels_find(point, make(three, 3, 250, 0), NULL, 0, level);

    levels_match(level, n, NULL, 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(level[i].cache, -1);
}

/* CPUID of a guest reports a cache that the curve does not have, and none where it has one. */
TEST(caches_of_another_machine_match_no_level)
{
    static const struct cache other[] = {
        {.level = 1, .type = CACHE_DATA, .size = 32 * KIB},
        {.level = 2, .type = CACHE_UNIFIED, .size = 4 * MIB},
    };
    size_t n = levels_find(point, make(three, 3, 250, 0), NULL, 0, level);

    levels_match(level, n, other, 2);
    assert_int_equal(level[0].cache, 0);
    assert_int_equal(level[1].cache, -1);
    assert_int_equal(level[2].cache, -1);
}

TEST(a_flat_curve_is_one_level)
{
    size_t points = make(NULL, 0, 1.03125, 0), n = levels_find(point, points, NULL, 0, level);

    assert_int_equal(n, 1);
    assert_int_equal(level[0].from, 4 * KIB);
    assert_int_equal(level[0].to, 128 * MIB);
    assert_int_equal(level[0].beyond, 0);
    levels_match(level, n, cpuid, CPUID_CACHES);
    assert_int_equal(level[0].cache, -1);
}

TEST(one_cache_and_memory_are_found)
{
    static const struct made_cache one[] = {{8 * MIB, 20}};
    size_t n = levels_find(point, make(one, 1, 400, 0.01), NULL, 0, level);

    assert_int_equal(n, 2);
    assert_close(level[0].value, 20, 0.5);
    assert_int_equal(level[0].to, 6 * MIB);
}

/* Values rise by a fifth per point: the page walks of a small TLB, with no level. */
TEST(a_ramp_has_no_level)
{
    uint64_t at;
    double v = 4;
    size_t points = make(three, 3, 250, 0);

    for (size_t i = 0; i < points; i++, v *= 1.2)
        point[i].value = v;
    assert_int_equal(levels_find(point, points, NULL, 0, level), 0);
    assert_false(levels_fall(point, points, &at));
}

/* Whatever noise does, levels are in order, within the curve, and not too many. */
TEST(with_noise_levels_are_in_order)
{
    struct rng random = {7};
    size_t points = make(three, 3, 250, 0);

    for (unsigned launch = 0; launch < 500; launch++) {
        for (size_t i = 0; i < points; i++)
            point[i].value = 1 + (double)rng_below(&random, launch + 2);
        size_t n = levels_find(point, points, NULL, 0, level);
        assert_true(n <= LEVELS_MOST);
        for (size_t i = 0; i < n; i++) {
            assert_true(level[i].to >= LEVEL_SPAN * level[i].from);
            assert_true(i == 0 || level[i - 1].to < level[i].from);
        }
        levels_match(level, n, cpuid, CPUID_CACHES);
    }
}

/* A neighbour had the core for some sizes: the curve falls after them. */
TEST(a_curve_that_falls_is_reported_as_falling)
{
    uint64_t at = 0;
    size_t points = make(three, 3, 250, 0.01);

    point[2].value *= 2;
    point[2].lo *= 2;
    point[2].hi *= 2;
    assert_true(levels_fall(point, points, &at));
    assert_int_equal(at, point[3].bytes);
    point[2].lo = point[3].hi / 2; /* its interval admits that it is unsure */
    assert_false(levels_fall(point, points, &at));
    point[2].lo = UNKNOWN; /* it has too few visits for an interval, and others have one */
    assert_false(levels_fall(point, points, &at));
    point[3].hi = UNKNOWN; /* so has the one after it */
    assert_false(levels_fall(point, points, &at));
    for (size_t i = 0; i < points; i++) /* ticks have no interval */
        point[i].lo = point[i].hi = UNKNOWN;
    assert_true(levels_fall(point, points, &at));
}

TEST(points_without_a_value_are_left_out)
{
    uint64_t at;
    size_t points = make(three, 3, 250, 0);

    point[1].value = UNKNOWN;
    assert_int_equal(levels_find(point, points, NULL, 0, level), 4);
    for (size_t i = 0; i < points; i++)
        point[i].value = UNKNOWN;
    assert_int_equal(levels_find(point, points, NULL, 0, level), 0);
    assert_int_equal(levels_find(point, 0, NULL, 0, level), 0);
    assert_false(levels_fall(point, points, &at));
}
