/* Curves of other loads than a chase of lines, on a simulated machine: streams, offsets, states of
 * a line, pages, code; and with the prefetchers disabled. */
#include "bench/kinds/kinds.h"
#include "tests/unit/bench/kinds/made_memory.h"

#include "bench/engine/loop.h"
#include "bench/kinds/chase.h"
#include "tests/unit/close.h"

#define VISITS 16 /* of a point, as long as there is time */

/* A row of two seconds. */
#define CURVE(...)                                                                                 \
    {                                                                                              \
        .kind = &kind_curve, .of = &(const struct bench_curve)                                     \
        {                                                                                          \
            .ms = 2000, __VA_ARGS__                                                                \
        }                                                                                          \
    }

static void reset(enum execution execution)
{
    made_memory_reset(execution);
}

static const struct series *measure_other(const struct bench *b)
{
    reset(EXEC_SILICON);
    return made_curve(b);
}

/* A cost per lap makes small sets slower. It is not a sign of a neighbour, unlike in a chase. */
TEST(a_cost_per_lap_is_not_a_neighbour)
{
    const struct bench read = CURVE(.load = BENCH_READ_16);
    const struct bench broken = CURVE(.load = BENCH_WRITE_NT);
    const struct bench wide = CURVE(.load = BENCH_READ_32);
    const struct series *c = measure_other(&read);

    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->spoiled, SERIES_CLEAN);
    assert_close(c->point[0].cycles, 12, 0.1);
    assert_close(c->point[c->n - 1].cycles, 3, 0.1);
    assert_int_equal(c->point[1].x, 8 * KIB); /* one size per octave */
    c = measure_other(&broken);
    assert_int_equal(c->out.status, ROW_WRONG);
    assert_non_null(strstr(c->out.why, "every word"));
    c = measure_other(&wide); /* this CPUID has no AVX */
    assert_int_equal(c->out.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(c->out.why, "AVX"));
}

/* Points are the row's offsets, also negative ones, without levels. */
TEST(points_are_the_rows_offsets)
{
    static const int32_t offset[] = {-8, 0, 4096}, defect[] = {0, 13};
    const struct bench b = CURVE(.load = BENCH_ALIAS, .offset = offset, .offsets = 3);
    const struct bench broken = CURVE(.load = BENCH_ALIAS, .offset = defect, .offsets = 2);
    const struct series *c = measure_other(&b);

    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->n, 3);
    assert_int_equal(c->point[0].x, -8);
    assert_close(c->point[0].cycles, 18, 0.01);
    assert_close(c->point[1].cycles, 4, 0.01);
    assert_int_equal(c->point[1].visits, VISITS);
    assert_int_equal(c->levels, 0);
    assert_int_equal(c->wanted, NEAR_BYTES);
    assert_false(c->less_memory);
    c = measure_other(&broken);
    assert_int_equal(c->out.status, ROW_WRONG);
    assert_non_null(strstr(c->out.why, "offset"));
}

/* A point per state that CPUID's caches allow: here there is no L3. */
TEST(points_are_the_states_that_the_caches_allow)
{
    static const enum line_state there[] = {LINE_ABSENT, LINE_CLEAN_L1, LINE_CLEAN_L2,
                                            LINE_DIRTY_L1, LINE_DIRTY_L2};
    const struct bench b = CURVE(.load = BENCH_FLUSH_OPT);
    const struct bench lacking = CURVE(.load = BENCH_WRITE_BACK);
    const struct series *c = measure_other(&b);

    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->wanted, FLUSH_BYTES + 16 * KIB); /* L1 has 8 KiB */
    assert_int_equal(c->n, 5);
    for (size_t i = 0; i < c->n; i++) {
        assert_int_equal(c->point[i].x, there[i]);
        assert_close(c->point[i].cycles, (2 + there[i]) / MACHINE_TPC, 0.01);
        assert_int_equal(c->point[i].visits, VISITS);
    }
    assert_int_equal(c->levels, 0);
    reset(EXEC_SILICON);
    made_memory.bad_state = LINE_DIRTY_L2;
    c = made_curve(&b);
    assert_int_equal(c->out.status, ROW_WRONG);
    assert_non_null(strstr(c->out.why, "flushed"));
    c = measure_other(&lacking);
    assert_int_equal(c->out.status, ROW_UNSUPPORTED);
}

/* Sizes can be left out; states cannot, so they are measured as little as possible. */
TEST(no_state_is_left_out)
{
    const struct bench b = CURVE(.load = BENCH_FLUSH_OPT);

    reset(EXEC_SILICON);
    made_memory.slow = 1e6;
    const struct series *c = made_curve(&b);
    assert_int_equal(c->n, 5);
    assert_in_range(c->point[4].visits, 2, 4);
    assert_false(c->less_time);
}

/* An element per page: levels end at what the TLBs reach, and the curve goes to 4 times that. */
TEST(levels_end_at_the_reach_of_the_tlbs)
{
    const struct bench b = CURVE(.load = BENCH_PAGES);

    reset(EXEC_SILICON);
    made_memory.pages = true;
    machine.area = 16 << 20;
    const struct series *c = made_curve(&b);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->wanted, 8 << 20);
    assert_int_equal(c->point[0].x, 64 * KIB);
    assert_int_equal(c->levels, 3);
    assert_int_equal(c->level[0].to, 64 * MADE_PAGE);
    assert_int_equal(c->cache[c->level[0].cache].level, 1);
    assert_int_equal(c->cache[c->level[0].cache].size, 64 * MADE_PAGE);
    assert_int_equal(c->level[1].to, 512 * MADE_PAGE);
    assert_int_equal(c->cache[c->level[1].cache].level, 2);
    assert_close(c->level[2].value, 100, 0.01);
}

/* Code uses the TLBs for code, large pages those for large pages; this CPUID lists no such. */
TEST(code_and_large_pages_have_other_tlbs)
{
    const struct bench code = CURVE(.load = BENCH_CODE);
    const struct bench large = CURVE(.load = BENCH_CODE, .page = BENCH_2M);

    reset(EXEC_SILICON);
    machine.area = 16 << 20;
    const struct series *c = made_curve(&code);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->caches, 1); /* the L2 TLB is for data only */
    assert_int_equal(c->cache[0].size, 32 * MADE_PAGE);
    assert_int_equal(c->wanted, 4 * 32 * MADE_PAGE);
    assert_int_equal(c->levels, 1);
    assert_close(c->level[0].value, 14, 0.01);
    assert_int_equal(c->level[0].to, 64 * MADE_PAGE);
    reset(EXEC_SILICON);
    machine.area = 64 << 20;
    c = made_curve(&large);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->page, BENCH_2M);
    assert_int_equal(c->caches, 0);
    assert_int_equal(c->wanted, JUMPS_REACH); /* not four times 1024 pages: jumps have 32 bits */
    assert_int_equal(c->point[0].x, 8 << 20);
    assert_int_equal(c->point[c->n - 1].x, 64 << 20);
    reset(EXEC_SILICON);
    made_memory.lost_page = 64;
    assert_int_equal(made_curve(&code)->out.status, ROW_WRONG);
    reset(EXEC_SILICON);
    machine.no_code = true;
    c = made_curve(&code);
    assert_int_equal(c->out.status, ROW_UNSUPPORTED);
    assert_string_equal(c->out.why, "no code is executed");
}

/* A point per node that has memory, all with a set of the same size. */
TEST(points_are_the_nodes_with_memory)
{
    const struct bench b = CURVE(.by_node = true);

    reset(EXEC_SILICON);
    assert_int_equal(made_curve(&b)->out.status, ROW_UNSUPPORTED);
    machine_add_node();
    machine_add_cores();
    const struct series *c = made_curve(&b);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->node, 0);
    assert_int_equal(c->n, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(c->point[i].x, i);
        assert_close(c->point[i].cycles, made_latency(128 * KIB), 0.01);
        assert_int_equal(c->point[i].visits, VISITS);
    }
    assert_int_equal(c->levels, 0);
    assert_int_equal(machine.asked[1], 1); /* besides the area, which may be anywhere */
    assert_int_equal(machine.asked[2], 1);
    machine.numa.bytes[1] = 0;
    c = made_curve(&b);
    assert_int_equal(c->out.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(c->out.why, "several nodes"));
}

/* Prefetchers do not matter to the simulated machine: strides cost what a random order does. */
TEST(strides_cost_what_a_random_order_does)
{
    const struct bench b = CURVE(.stride = 16);
    const struct series *c = measure_other(&b);

    assert_int_equal(c->levels, 3);
    assert_close(c->level[1].value, 14, 0.001);
}

/* Each lap begins with a few loads that prefetchers do not help. */
TEST(a_cost_per_lap_of_a_stride_is_not_a_neighbour)
{
    const struct bench in_order = CURVE(.stride = 1);
    const struct bench random = CURVE(.stride = 0);

    reset(EXEC_SILICON);
    made_memory.lap = 1000;
    assert_int_equal(made_curve(&in_order)->spoiled, SERIES_CLEAN);
    reset(EXEC_SILICON);
    made_memory.lap = 1000;
    assert_int_equal(made_curve(&random)->spoiled, SERIES_FALLS);
}

/* A size that is marked as shared does not make the others doubtful. */
TEST(a_size_on_a_shared_core_does_not_make_a_chase_fall)
{
    const struct bench random = CURVE(.stride = 0);
    static struct series c;

    c = (struct series){.out = {.bench = &random}, .n = 8};
    for (size_t i = 0; i < c.n; i++)
        c.point[i] =
            (struct point){.x = 4 * KIB << i, .ticks = 4, .cycles = 4, .lo = 3.9, .hi = 4.1};
    c.point[2].cycles = 8;
    c.point[2].lo = c.point[2].hi = 8;
    c.spoiled = SERIES_CLEAN;
    kind_curve.steps->judge(&c, EXEC_SILICON);
    assert_int_equal(c.spoiled, SERIES_FALLS);
    assert_int_equal(c.falls_at, c.point[3].x);
    c.point[2].shared = true;
    c.spoiled = SERIES_CLEAN;
    kind_curve.steps->judge(&c, EXEC_SILICON);
    assert_int_equal(c.spoiled, SERIES_CLEAN);
}

static bool stay_on, is_off; /* the prefetchers cannot be disabled; they are off now */

static const char *prefetch(const struct platform *p, unsigned number, bool off, const char **why)
{
    assert_int_equal(number, 0);
    *why = "they stay on";
    if (off && stay_on)
        return NULL;
    is_off = off;
    return off ? "off" : "on";
}

/* Off during the row that asks for it, and as found after it, whatever happens. */
TEST(prefetchers_are_off_during_the_row_alone)
{
    const struct bench row = CURVE(.stride = 0);
    const struct bench b = CURVE(.no_prefetch = true);

    assert_int_equal(measure_other(&b)->out.status, ROW_UNSUPPORTED); /* no such function */
    reset(EXEC_SILICON);
    machine.platform.prefetch = prefetch;
    assert_string_equal(made_curve(&row)->prefetch, "on");
    for (unsigned i = 0; i < 3; i++) {
        reset(EXEC_SILICON);
        machine.platform.prefetch = prefetch;
        stay_on = i == 1;
        machine.area = i == 2 ? 0 : machine.area;
        const struct series *c = made_curve(&b);
        assert_int_equal(c->out.status, i == 0 ? ROW_OK : ROW_UNSUPPORTED);
        assert_false(is_off);
        if (i == 0)
            assert_string_equal(c->prefetch, "off");
        if (i == 1)
            assert_string_equal(c->out.why, "they stay on");
    }
}
