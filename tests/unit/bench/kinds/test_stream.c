/* Reading, writing and copying a set: the lap before the timed walks finds everything that was left
 * out. The walks are simulated, with and without a defect. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/stream.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)

static uint8_t *set;
static uint64_t set_bytes;
static uint64_t done;  /* bytes of all walks */
static bool skips;     /* walks leave out a word in the middle of the set */
static uint64_t *seen; /* per unit of the set: how often it was walked */

/* Notes that a walk goes over these bytes, which must lie within the set. */
static void note(const uint8_t *at, uint64_t bytes, uint64_t laps)
{
    assert_true(at >= set && at + bytes <= set + set_bytes);
    assert_int_equal((uint64_t)(at - set) % 32, 0);
    done += bytes * laps;
    for (uint64_t i = 0; i < bytes; i += STREAM_UNROLL)
        seen[((uint64_t)(at - set) + i) / STREAM_UNROLL] += laps;
}

static bool left_out(uint64_t i, uint64_t words)
{
    return skips && i == words / 2;
}

static uint64_t reading(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps,
                        uint64_t *word)
{
    const uint64_t *from = (const uint64_t *)(void *)at, words = iterations * STREAM_UNROLL / 8;

    note(at, iterations * STREAM_UNROLL, laps);
    *word = 0;
    for (uint64_t lap = 0; lap < laps; lap++)
        for (uint64_t i = 0; i < words; i++)
            *word ^= left_out(i, words) ? 0 : from[i];
    return 100 + laps * iterations * 8;
}

static uint64_t writing(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps,
                        uint64_t *word)
{
    uint64_t *into = (uint64_t *)(void *)at, words = iterations * STREAM_UNROLL / 8;

    note(at, iterations * STREAM_UNROLL, laps);
    for (uint64_t i = 0; i < words; i++)
        into[i] = left_out(i, words) ? into[i] : *word;
    return 100 + laps * iterations * 8;
}

static uint64_t copying(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps,
                        uint64_t *word)
{
    uint64_t bytes = iterations * STREAM_UNROLL;

    note(at, bytes, laps);
    assert_true(to >= at + bytes && to + bytes <= set + set_bytes);
    memcpy(to, at, skips ? bytes - 8 : bytes);
    return 100 + laps * iterations * 8;
}

#define WALK(name_, does_)                                                                         \
    uint64_t name_(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps, uint64_t *word)   \
    {                                                                                              \
        return does_(at, to, iterations, laps, word);                                              \
    }
WALK(stream_read_16, reading)
WALK(stream_read_32, reading)
WALK(stream_write_16, writing)
WALK(stream_write_32, writing)
WALK(stream_write_nt, writing)
WALK(stream_write_rep, writing)
WALK(stream_copy_16, copying)
WALK(stream_copy_32, copying)
WALK(stream_copy_rep, copying)

static const enum bench_load loads[] = {
    BENCH_READ_16,   BENCH_READ_32, BENCH_WRITE_16, BENCH_WRITE_32, BENCH_WRITE_NT,
    BENCH_WRITE_REP, BENCH_COPY_16, BENCH_COPY_32,  BENCH_COPY_REP,
};
#define LOADS (sizeof loads / sizeof loads[0])
static const uint64_t sizes[] = {4 * KIB, 5 * KIB, 96 * KIB, 8 * MIB, 12 * MIB, 20 * MIB};
#define SIZES (sizeof sizes / sizeof sizes[0])

static struct stream make(enum bench_load load, uint64_t bytes)
{
    struct stream s;

    set_bytes = bytes;
    set = aligned_alloc(1024, bytes);
    seen = calloc(bytes / STREAM_UNROLL, sizeof *seen);
    assert_non_null(set);
    assert_non_null(seen);
    memset(set, 0x5a, bytes); /* what a write would leave: it must not be taken for one */
    skips = false;
    stream_build(&s, load, set, bytes);
    return s;
}

static void drop(void)
{
    free(set);
    free(seen);
}

TEST(every_line_is_checked)
{
    for (size_t k = 0; k < LOADS; k++)
        for (size_t i = 0; i < 3; i++) {
            struct stream s = make(loads[k], sizes[i]);
            bool copy = s.to != s.at;
            assert_int_equal(copy, k >= 6);
            assert_int_equal(s.lines, sizes[i] / STREAM_LINE / (copy ? 2 : 1));
            assert_int_equal(stream_check(&s), s.lines);
            drop();
        }
}

TEST(a_word_that_is_left_out_is_found)
{
    for (size_t k = 0; k < LOADS; k++)
        for (size_t i = 0; i < 3; i++) {
            struct stream s = make(loads[k], sizes[i]);
            skips = true;
            assert_true(stream_check(&s) < s.lines);
            drop();
        }
}

TEST(timed_walks_have_whole_laps_or_pass_the_set_once)
{
    for (size_t i = 0; i < SIZES; i++) {
        struct stream s = make(BENCH_WRITE_16, sizes[i]);
        bool laps = sizes[i] <= 8 * MIB;
        uint64_t most = 0;
        for (unsigned k = 0; k < 5; k++) {
            done = 0;
            struct stream_ticks t = stream_time(&s, k);
            /* Before whole laps there is a walk that is not timed. */
            assert_int_equal(done, (laps ? 4 : 3) * t.lines * STREAM_LINE);
            assert_int_equal(t.twice - t.once, t.lines * 2);
            assert_int_equal(laps, t.lines % s.lines == 0);
            assert_true(t.lines >= 8192);
        }
        for (uint64_t u = 0; u < sizes[i] / STREAM_UNROLL; u++)
            most = seen[u] > most ? seen[u] : most;
        if (!laps)
            assert_int_equal(most, 1); /* five pairs go around the set once */
        drop();
    }
}

/* The walks of a large copy stay in their halves. */
TEST(walks_of_a_large_copy_stay_in_their_half)
{
    struct stream s = make(BENCH_COPY_16, 20 * MIB);

    for (unsigned k = 0; k < 10; k++)
        assert_int_equal(stream_time(&s, k).lines, s.lines / 16);
    drop();
}
