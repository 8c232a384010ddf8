/* A chain of jumps visits every page once; a chain that does not is noticed. The code is not
 * executed but decoded here, instruction by instruction. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/chase.h"

#define SMALL 4096u
#define LARGE (2u << 20)
#define MOST  256u

static uint8_t *set;           /* where the code is written */
static const uint8_t *mapping; /* where it is executed */
static uint64_t bytes;
static unsigned seen[MOST], jumps, walks;
static uint64_t page;

static int32_t number_at(const uint8_t *at)
{
    int32_t n;

    memcpy(&n, at, sizeof n);
    return n;
}

/* `mapping` is another address of the same bytes. */
uint64_t jumps_walk(const uint8_t *first, uint64_t laps, uint64_t *sum)
{
    static const uint8_t add[] = {0x48, 0x05}, again[] = {0x48, 0xff, 0xc9, 0x0f, 0x85};
    const uint8_t *at = first - mapping + set;

    *sum = 0;
    walks++;
    for (jumps = 0;;) {
        assert_true(at >= set && at + JUMPS_LINE <= set + bytes);
        assert_int_equal((at - set) % JUMPS_LINE, 0);
        assert_memory_equal(at, add, sizeof add);
        *sum += (uint64_t)(int64_t)number_at(at + 2);
        seen[(uint64_t)(at - set) / page]++;
        at += 6;
        jumps++;
        bool last = *at != 0xe9;
        if (last) {
            assert_memory_equal(at, again, sizeof again);
            assert_int_equal(at[9], 0xc3);
            if (--laps == 0)
                return 100 + 3 * jumps;
        }
        at += last ? 9 : 5;
        at += number_at(at - 4);
    }
}

static struct jumps make(uint64_t page_bytes, uint32_t n, uint64_t seed)
{
    struct jumps j;

    page = page_bytes;
    bytes = n * page;
    set = malloc(bytes);
    assert_non_null(set);
    mapping = set + (1ull << 40);
    memset(seen, 0, sizeof seen);
    jumps_build(&j, set, mapping, bytes, page, seed);
    assert_int_equal(j.n, n);
    return j;
}

TEST(every_page_is_visited_once)
{
    static const uint32_t n[] = {1, 2, 16, 24, MOST};

    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        struct jumps j = make(SMALL, n[i], i);
        assert_int_equal(jumps_check(&j), n[i]);
        for (uint32_t k = 0; k < n[i]; k++)
            assert_int_equal(seen[k], 1);
        free(set);
    }
}

/* If all pages are the same memory, no element may be where another one is. */
TEST(elements_of_large_pages_are_in_separate_lines)
{
    struct jumps j = make(LARGE, 40, 9);

    assert_int_equal(jumps_check(&j), 40);
    for (uint32_t i = 0; i < 40; i++) {
        uint64_t at = i * (uint64_t)LARGE + (uint64_t)i * JUMPS_LINE;
        assert_int_equal(set[at], 0x48);
        assert_int_equal(seen[at / LARGE], 1);
    }
    free(set);
}

TEST(timed_walks_have_whole_laps)
{
    struct jumps j = make(SMALL, 24, 3);
    struct jumps_ticks t;

    walks = 0;
    assert_true(jumps_time(&j, &t));
    assert_int_equal(walks, 3); /* one that is not timed, and two */
    assert_true(t.jumps >= 2048 && t.jumps % 24 == 0);
    assert_int_equal(jumps, 2 * t.jumps); /* of the second walk */
    assert_int_equal(t.twice - t.once, 3 * t.jumps);
    free(set);
}

/* A jump that skips an element, or one that goes back, leaves another sum. */
TEST(a_wrong_jump_is_found)
{
    for (uint32_t skipped = 1; skipped < 15; skipped++) { /* without the last, a lap has no end */
        struct jumps j = make(SMALL, 16, 5);
        struct jumps_ticks t;
        uint32_t from = order_at(&j.order, skipped - 1), to = order_at(&j.order, skipped + 1);
        uint8_t *jump = set + from * SMALL + from % 64 * JUMPS_LINE + 6;
        int64_t distance = (int64_t)to * SMALL + to % 64 * JUMPS_LINE - (jump + 5 - set);
        int32_t rel = (int32_t)distance;
        memcpy(jump + 1, &rel, sizeof rel);
        assert_int_equal(jumps_check(&j), 0);
        assert_false(jumps_time(&j, &t));
        free(set);
    }
}
