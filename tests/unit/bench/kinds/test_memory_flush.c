/* Lines are brought into each state before they are flushed, and what was written is checked. The
 * walks are simulated: they record the order of the calls. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/stream.h"

#define EVICT 8192

static _Alignas(4096) uint8_t memory[FLUSH_BYTES + EVICT];
static enum { RIGHT, LOSES_A_LINE } defect;
static unsigned flushed, written_back; /* lines, by CLFLUSH and by the row's own instruction */
static uint8_t *last;

uint64_t flush_clflush(uint8_t *lines, uint64_t iterations)
{
    flushed += (unsigned)iterations * FLUSH_UNROLL;
    last = lines;
    return 0;
}

uint64_t flush_clwb(uint8_t *lines, uint64_t iterations)
{
    assert_ptr_equal(lines, memory);
    written_back += (unsigned)iterations * FLUSH_UNROLL;
    if (defect == LOSES_A_LINE)
        lines[5 * FLUSH_LINE + 63] ^= 1;
    return iterations * FLUSH_UNROLL * 7;
}

uint64_t flush_clflushopt(uint8_t *lines, uint64_t iterations)
{
    return flush_clwb(lines, iterations);
}

uint64_t flush_clflushopt_wait(uint8_t *lines, uint64_t iterations)
{
    return flush_clwb(lines, iterations);
}

uint64_t flush_clwb_wait(uint8_t *lines, uint64_t iterations)
{
    return 100 * flush_clwb(lines, iterations);
}

uint64_t flush_clflush_wait(uint8_t *lines, uint64_t iterations)
{
    return 100 * flush_clflush(lines, iterations);
}

static const struct bench_curve opt = {.load = BENCH_FLUSH_OPT}, clwb = {.load = BENCH_WRITE_BACK},
                                waits = {.load = BENCH_WRITE_BACK, .waits = true};

static uint32_t leaf_1_edx, leaf_7_ebx;

static struct cpuid_regs cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    if (leaf == 1)
        return (struct cpuid_regs){.ebx = 8 << 8, .edx = leaf_1_edx};
    return (struct cpuid_regs){.ebx = leaf_7_ebx};
}

TEST(every_state_is_built_and_checked)
{
    struct flush f;

    defect = RIGHT;
    for (enum line_state s = 0; s < LINE_STATES_ALONE; s++) {
        flush_build(&f, &clwb, s, memory, EVICT);
        assert_ptr_equal(f.other, memory + FLUSH_BYTES);
        assert_int_equal(flush_check(&f), 2 * FLUSH_LINES);
        flushed = written_back = 0;
        assert_int_equal(flush_time(&f, FLUSH_LINES), 7 * FLUSH_LINES);
        assert_int_equal(flushed, FLUSH_LINES); /* before the state is made */
        assert_ptr_equal(last, memory);
        assert_int_equal(written_back, FLUSH_LINES);
        flush_build(&f, &waits, s, memory, EVICT);
        assert_int_equal(flush_time(&f, FLUSH_LINES), 700 * FLUSH_LINES);
    }
}

/* A dirty line's new content must be in memory, not what was there before. */
TEST(dirty_lines_have_new_content)
{
    uint64_t before, after;
    struct flush f;

    defect = RIGHT;
    flush_build(&f, &opt, LINE_DIRTY_L1, memory, 0);
    memcpy(&before, memory, sizeof before);
    assert_int_equal(flush_check(&f), 2 * FLUSH_LINES);
    memcpy(&after, memory, sizeof after);
    assert_int_equal(after, ~before);
}

TEST(a_lost_line_is_found)
{
    struct flush f;

    defect = LOSES_A_LINE;
    flush_build(&f, &clwb, LINE_CLEAN_L1, memory, 0);
    assert_int_equal(flush_check(&f), 2 * FLUSH_LINES - 1);
}

TEST(the_instruction_that_cpuid_does_not_list_is_named)
{
    static const struct cpu cpu = {.max_leaf = 7}, old = {.max_leaf = 1};
    struct platform p = {.cpu = &cpu, .cpuid = cpuid};

    assert_non_null(strstr(flush_lacks(&p, BENCH_FLUSH), "CLFLUSH"));
    leaf_1_edx = 1u << 19;
    assert_null(flush_lacks(&p, BENCH_FLUSH));
    assert_non_null(strstr(flush_lacks(&p, BENCH_FLUSH_OPT), "CLFLUSHOPT"));
    assert_non_null(strstr(flush_lacks(&p, BENCH_WRITE_BACK), "CLWB"));
    leaf_7_ebx = 1u << 23 | 1u << 24;
    assert_null(flush_lacks(&p, BENCH_FLUSH_OPT));
    assert_null(flush_lacks(&p, BENCH_WRITE_BACK));
    p.cpu = &old; /* leaf 7 is then another leaf's data */
    assert_non_null(flush_lacks(&p, BENCH_WRITE_BACK));
}
