/*
 * The generated code is run here, step by step: an iteration executes the instructions that it
 * declares, chains end where they should, and callers' registers are kept.
 */
#define _GNU_SOURCE /* memmem, MAP_ANONYMOUS */
#include "tests/unit/cmocka_unit.h"
#include <signal.h>
#include <sys/mman.h>
#include "lib/curve/limit_program.h"

#define CODE_SIZE (1u << 20)
#define CHAIN     8

static uint8_t *code_at;
static struct limits_code code;
static uint64_t line, table[512];
static uint8_t pattern[512];
static void *chain[2][CHAIN];
static volatile sig_atomic_t steps;

static void count_step(int signal)
{
    steps++;
}

static bool make(enum limits_kind kind, unsigned param, uint32_t count)
{
    code = (struct limits_code){.at = code_at, .size = CODE_SIZE};
    assert_int_equal(mprotect(code_at, CODE_SIZE, PROT_READ | PROT_WRITE), 0);
    bool fits = limits_program(&code, kind, param, count);
    assert_int_equal(mprotect(code_at, CODE_SIZE, PROT_READ | PROT_EXEC), 0);
    return fits;
}

static struct limits_run run_of(uint64_t iterations, uint32_t count)
{
    struct limits_run run = {.iterations = iterations, .line = (uint64_t)&line, .count = count};

    for (unsigned c = 0; c < 2; c++)
        for (unsigned i = 0; i < CHAIN; i++)
            chain[c][i] = &chain[c][(i + 1) % CHAIN];
    run.a = (uint64_t)&chain[0][0];
    run.b = (uint64_t)&chain[1][0];
    run.table = (uint64_t)(code.targets ? (void *)table : (void *)pattern);
    for (uint32_t i = 0; code.targets && i < count; i++)
        table[i] = (uint64_t)(code.at + code.targets + limits_target(i));
    return run;
}

/* Returns the instructions of a number of iterations, including those before and after the loop. */
static uint64_t stepped(uint64_t iterations, uint32_t count)
{
    struct limits_run run = run_of(iterations, count);
    limits_fn fn = (limits_fn)(uintptr_t)code.at;

    steps = 0;
    /* The 128 bytes below rsp are the compiler's. */
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; "
                     "leaq 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    (void)fn(&run);
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; "
                     "leaq 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    return (uint64_t)steps;
}

/* What an iteration has, written down a second time. */
static const struct {
    enum limits_kind kind;
    unsigned param;
    uint32_t count, instructions, operations;
} made[] = {
    {LIMITS_WIDTH, FILL_MIX, 96, 96, 1},
    {LIMITS_WIDTH, FILL_NOP, 300, 300, 1},
    {LIMITS_WINDOW, FILL_NOP, 20, 44, 1},
    {LIMITS_WINDOW, FILL_XOR, 21, 46, 1},
    {LIMITS_WINDOW, FILL_MIX, 20, 44, 1},
    {LIMITS_WINDOW, FILL_LEA, 20, 44, 1},
    {LIMITS_WINDOW, FILL_PSHUFD, 20, 44, 1},
    {LIMITS_WINDOW, FILL_CMP, 20, 44, 1},
    {LIMITS_WINDOW, FILL_LOAD, 20, 44, 1},
    {LIMITS_WINDOW, FILL_STORE, 20, 44, 1},
    {LIMITS_WINDOW, FILL_WAIT_LEA, 20, 44, 1},
    {LIMITS_WINDOW, FILL_WAIT_PSHUFD, 20, 46, 1},
    {LIMITS_WINDOW, FILL_WAIT_LOAD, 20, 48, 1},
    {LIMITS_WINDOW, FILL_WAIT_STORE, 20, 48, 1},
    {LIMITS_JUMPS, 8, 50, 52, 50},
    {LIMITS_JUMPS, 64, 5, 7, 5},
    {LIMITS_TARGETS, 0, 7, 7, 1},
    {LIMITS_RETURNS, 0, 1, 4, 1},
    {LIMITS_RETURNS, 0, 30, 62, 30},
    {LIMITS_CODE, 4, 512, 127, 127},
    {LIMITS_CODE, 8, 512, 64, 64},
    {LIMITS_OPS, FILL_NOP_1, 16, 16, 16},
    {LIMITS_OPS, FILL_XOR_2, 101, 101, 101},
    {LIMITS_OPS, FILL_TEST_16, 50, 50, 50},
};

TEST(an_iteration_executes_what_it_declares)
{
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        assert_true(make(made[i].kind, made[i].param, made[i].count));
        assert_int_equal(code.operations, made[i].operations);
        assert_int_equal(code.instructions, made[i].instructions);
        uint64_t three = stepped(3, made[i].count), one = stepped(1, made[i].count);
        if (three - one != 2 * made[i].instructions)
            fail_msg("program %zu: 2 iterations have %llu instructions", i,
                     (unsigned long long)(three - one));
    }
}

/* The branch skips a NOP if its byte is 1. */
TEST(a_pattern_decides_the_branch)
{
    assert_true(make(LIMITS_PATTERN, 0, 6));
    assert_int_equal(code.instructions, 8);
    memset(pattern, 1, sizeof pattern);
    uint64_t taken = stepped(7, 6) - stepped(1, 6);
    assert_int_equal(taken, 6 * 8);
    pattern[2] = pattern[3] = 0;
    assert_int_equal(stepped(13, 6) - stepped(1, 6), 12 * 8 + 2 * 2);
    pattern[6] = 0; /* after the end */
    assert_int_equal(stepped(13, 6) - stepped(1, 6), 12 * 8 + 2 * 2);
}

TEST(chains_are_followed_once_per_iteration)
{
    for (unsigned filler = FILL_NOP; filler <= FILL_WAIT_STORE; filler++) {
        if (filler == FILL_KOR)
            continue; /* not every CPU has it */
        assert_true(make(LIMITS_WINDOW, filler, 9));
        struct limits_run run = run_of(5, 9);
        line = 0;
        (void)((limits_fn)(uintptr_t)code.at)(&run);
        assert_int_equal(run.a, (uint64_t)&chain[0][5]);
        assert_int_equal(run.b, (uint64_t)&chain[1][5]);
        /* Stores write the address of the line. */
        bool stores = filler == FILL_STORE || filler == FILL_WAIT_STORE;
        assert_int_equal((uint32_t)line, stores ? (uint32_t)(uint64_t)&line : 0);
    }
}

TEST(mask_instructions_have_the_bytes_of_the_manual)
{
    static const uint8_t korw[] = {0xc5, 0xcc, 0x45, 0xcf, 0xc5, 0xcc, 0x45, 0xd7, 0xc5, 0xcc,
                                   0x45, 0xdf, 0xc5, 0xcc, 0x45, 0xe7, 0xc5, 0xcc, 0x45, 0xcf};

    assert_true(make(LIMITS_WINDOW, FILL_KOR, 5));
    assert_int_equal(code.instructions, 14);
    assert_non_null(memmem(code.at, code.used, korw, sizeof korw));
}

TEST(jumps_have_the_distance_of_the_row)
{
    for (unsigned apart = 8; apart <= 64; apart *= 2) {
        assert_true(make(LIMITS_JUMPS, apart, 10));
        const uint8_t jump[] = {0xeb, (uint8_t)(apart - 2)};
        const uint8_t *first = memmem(code.at, code.used, jump, sizeof jump);
        assert_non_null(first);
        assert_int_equal((first - code.at) % LIMITS_ALIGN, 0);
        for (unsigned i = 0; i < 10; i++)
            assert_memory_equal(first + i * apart, jump, sizeof jump);
    }
}

TEST(no_two_targets_are_at_one_place)
{
    for (uint32_t i = 0; i + 1 < 1024; i++)
        assert_true(limits_target(i) + 5 <= limits_target(i + 1)); /* a jump has 5 bytes */
}

TEST(code_longer_than_its_buffer_is_refused)
{
    static const enum limits_kind kinds[] = {LIMITS_WIDTH,   LIMITS_WINDOW,  LIMITS_JUMPS,
                                             LIMITS_TARGETS, LIMITS_RETURNS, LIMITS_CODE,
                                             LIMITS_OPS};

    EACH_CASE (c, kinds) {
        assert_true(make(*c, 8, 400));
        size_t needed = code.used;
        uint8_t *room = malloc(needed + 1);
        assert_non_null(room);
        room[needed - 1] = 0xa5;
        for (size_t size = 0; size < needed; size += size < 300 ? 1 : 41) {
            struct limits_code small = {.at = room, .size = size};
            assert_false(limits_program(&small, *c, 8, 400));
            assert_true(small.used <= size);
            assert_int_equal(room[needed - 1], 0xa5);
        }
        free(room);
    }
}

static void map(void)
{
    code_at = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code_at != MAP_FAILED && signal(SIGTRAP, count_step) != SIG_ERR);
}

BEFORE_ALL(map);
