/* The code and data of one count of suite `limits`: what is laid out, and that a defect is seen.
 * The code runs here. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "tests/unit/cmocka_unit.h"
#include <sys/mman.h>
#include "bench/kinds/limit_code.h"
#include "bench/engine/window.h"

/* Bytes of a page, and of the table of a pattern or of targets; the least operations of a walk. */
enum { PAGE = 4096, TABLE_SIZE = 128 << 10, STEPS_LEAST = 4096 };

static struct platform platform;
static struct limits_setting s;

static void code_write(const struct platform *p)
{
    assert_int_equal(mprotect(p->code.at, PLATFORM_CODE_SIZE, PROT_READ | PROT_WRITE), 0);
}

static void code_exec(const struct platform *p, size_t bytes)
{
    assert_int_equal(mprotect(p->code.at, bytes, PROT_READ | PROT_EXEC), 0);
}

static const struct bench_limit window = {.kind = LIMITS_WINDOW, .param = FILL_LEA},
                                pattern = {.kind = LIMITS_PATTERN},
                                targets = {.kind = LIMITS_TARGETS},
                                returns = {.kind = LIMITS_RETURNS},
                                jumps = {.kind = LIMITS_JUMPS, .param = 64};

static uint64_t page_of(const uint8_t *at)
{
    return (uint64_t)at / PAGE;
}

TEST(chains_are_in_separate_pages)
{
    assert_true(setting_make(&s, &platform, &window, 10, 1, false));
    for (unsigned i = 0; i < 2 * SETTING_CHAIN; i++)
        for (unsigned k = 0; k < i; k++)
            assert_true(page_of(s.chain[i / SETTING_CHAIN][i % SETTING_CHAIN]) !=
                        page_of(s.chain[k / SETTING_CHAIN][k % SETTING_CHAIN]));
    for (unsigned c = 0; c < 2; c++) {
        const uint8_t *at = s.chain[c][0];
        for (unsigned i = 1; i <= SETTING_CHAIN; i++) {
            const uint8_t *next_one;
            memcpy(&next_one, at, sizeof next_one);
            assert_ptr_equal(next_one, s.chain[c][i % SETTING_CHAIN]);
            at = next_one;
        }
    }
}

TEST(half_of_a_pattern_is_taken)
{
    uint8_t first[1000];

    for (uint32_t n = 4; n <= 1000; n += 83) {
        unsigned ones = 0;
        assert_true(setting_make(&s, &platform, &pattern, n, n, false));
        const uint8_t *table = (const uint8_t *)(uintptr_t)s.run->table;
        for (uint32_t i = 0; i < n; i++)
            ones += table[i];
        assert_int_equal(ones, (n + 1) / 2);
        assert_int_equal(s.iterations % n, 0);
        assert_int_equal(s.more, s.iterations / n * (n / 2));
    }
    setting_make(&s, &platform, &pattern, 1000, 1, false);
    memcpy(first, (const uint8_t *)(uintptr_t)s.run->table, sizeof first);
    setting_make(&s, &platform, &pattern, 1000, 2, false);
    assert_memory_not_equal(first, (const uint8_t *)(uintptr_t)s.run->table, sizeof first);
    setting_make(&s, &platform, &pattern, 1000, 1, false);
    assert_memory_equal(first, (const uint8_t *)(uintptr_t)s.run->table, sizeof first);
}

TEST(each_target_is_reached_once)
{
    bool seen[300] = {false};

    assert_true(setting_make(&s, &platform, &targets, 300, 7, false));
    const uint64_t *table = (const uint64_t *)(uintptr_t)s.run->table;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t k = 0;
        while (k < 300 && table[i] != (uint64_t)(s.code.at + s.code.targets + limits_target(k)))
            k++;
        assert_true(k < 300 && !seen[k]);
        seen[k] = true;
    }
}

TEST(counts_larger_than_their_area_are_refused)
{
    assert_true(setting_make(&s, &platform, &pattern, TABLE_SIZE, 1, true));
    assert_false(setting_make(&s, &platform, &pattern, TABLE_SIZE + 1, 1, true));
    assert_false(setting_make(&s, &platform, &targets, TABLE_SIZE / 8 + 1, 1, true));
    assert_false(setting_make(&s, &platform, &jumps, PLATFORM_CODE_SIZE / 64, 1, true));
}

TEST(walks_do_their_work)
{
    static const struct bench_limit *const kinds[] = {&window, &pattern, &targets, &returns,
                                                      &jumps};
    struct pair_ticks t;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        assert_true(setting_make(&s, &platform, kinds[i], 20, i, false));
        setting_warm(&s);
        uint64_t seed = s.seed, settings = kinds[i] == &targets ? 4 : 1;
        assert_int_equal(setting_varied(&s), settings);
        assert_true(setting_walks(&s, 0, &t));
        assert_null(s.wrong);
        assert_int_equal(t.operations, settings * s.iterations * s.code.operations);
        assert_int_equal(s.operations, t.operations);
        assert_true((s.seed == seed) == (settings == 1)); /* each has other code and data */
        assert_true(kinds[i] == &window || s.iterations * s.code.operations >= STEPS_LEAST);
    }
}

TEST(a_broken_chain_is_found)
{
    struct pair_ticks t;

    setting_make(&s, &platform, &window, 20, 3, false);
    memcpy(s.chain[1][5], &s.chain[1][5], sizeof(uint8_t *)); /* points to itself */
    assert_false(setting_walks(&s, 0, &t));
    assert_non_null(strstr(s.wrong, "did not end at the element"));
}

/* A tick of the TSC is not a fixed part of an instruction here. */
TEST(a_wrong_count_of_instructions_is_found)
{
    struct pair_ticks t;

    setting_make(&s, &platform, &returns, 20, 3, false);
    s.per_instruction = 1u << 30;
    assert_false(setting_walks(&s, 0, &t));
    assert_non_null(strstr(s.wrong, "number of instructions"));
}

static void map(void)
{
    platform = (struct platform){.code.write = code_write, .code.execute = code_exec};
    platform.code.at =
        mmap(NULL, PLATFORM_CODE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    platform.data = aligned_alloc(PAGE, PLATFORM_DATA_SIZE);
    assert_true(platform.code.at != MAP_FAILED && platform.data);
}

static void unmap(void)
{
    free(platform.data);
    assert_int_equal(munmap(platform.code.at, PLATFORM_CODE_SIZE), 0);
}

BEFORE_ALL(map);
AFTER_ALL(unmap);
