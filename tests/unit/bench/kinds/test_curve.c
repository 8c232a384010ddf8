/* A curve over sizes on a simulated machine: which sizes are measured, how often, and what spoils
 * it. test_curve_loads.c has the kinds of loads. */
#include "tests/unit/bench/kinds/made_memory.h"

#include "bench/kinds/chase.h"
#include "bench/engine/loop.h"
#include "bench/kinds/kinds.h"
#include "lib/curve/sizes.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"

#define VISITS 16 /* of a point, as long as there is time */
#define ROUNDS 5

static const struct bench row = {.suite = "memory",
                                 .name = "made",
                                 .kind = &kind_curve,
                                 .of = &(const struct bench_curve){.ms = 2000}};

static void reset(enum execution execution)
{
    made_memory_reset(execution);
}

TEST(two_caches_and_memory_are_found)
{
    reset(EXEC_SILICON);
    const struct series *c = made_curve(&row);
    assert_non_null(c);
    assert_null(c->out.why);
    assert_int_equal(c->out.nmis, machine.guarded);
    assert_int_equal(machine.plan->core[0].nmis, machine.guarded);
    assert_int_equal(c->wanted, 256 * KIB);
    assert_int_equal(c->point[c->n - 1].x, 256 * KIB);
    assert_int_equal(c->rounds, ROUNDS);
    assert_int_equal(c->spoiled, SERIES_CLEAN);
    assert_false(c->less_memory || c->less_time);
    for (size_t i = 0; i < c->n; i++) {
        const struct point *p = &c->point[i];
        assert_int_equal(p->visits, VISITS);
        assert_false(p->shared);
        assert_close(p->cycles, made_latency((uint64_t)p->x), 0.001);
        assert_close(p->ticks, made_latency((uint64_t)p->x) * MACHINE_TPC, 0.001);
        assert_true(p->lo <= p->cycles && p->cycles <= p->hi);
        assert_close(p->hi - p->lo, 0, 0.1);
    }
    assert_int_equal(c->levels, 3);
    assert_int_equal(c->level[0].to, 8 * KIB);
    assert_int_equal(c->level[0].cache, 0);
    assert_int_equal(c->level[1].to, 64 * KIB);
    assert_int_equal(c->level[1].cache, 2);
    assert_int_equal(c->level[2].cache, -1);
}

TEST(sizes_are_added_between_values_that_differ)
{
    unsigned seen = 0;
    uint64_t lines = 0;

    reset(EXEC_SILICON);
    const struct series *c = made_curve(&row);
    for (size_t i = 0; i < c->n; i++) {
        seen += c->point[i].x == 10 * KIB || c->point[i].x == 80 * KIB ||
                c->point[i].x == 9 * KIB || c->point[i].x == 72 * KIB;
        lines += (uint64_t)c->point[i].x / CHASE_LINE * VISITS;
    }
    assert_int_equal(seen, 4);
    assert_int_equal(c->n, 13 + 4);
    assert_int_equal(c->checked, lines);
}

/* The pairs on a core that is shared now and then are repeated, and not used. */
TEST(a_neighbour_all_the_time_spoils_the_curve)
{
    static bool (*const is_shared[])(void) = {always, now_and_then};

    EACH_CASE (shared, is_shared) {
        reset(EXEC_SILICON);
        machine.is_shared = *shared;
        const struct series *c = made_curve(&row);
        assert_int_equal(c->out.status, ROW_OK);
        assert_int_equal(c->spoiled, *shared == always ? SERIES_SHARED : SERIES_CLEAN);
        assert_true(*shared == always || machine.plan->core[0].engine.facts.witness.shared > 0);
        for (size_t i = 0; i < c->n; i++) {
            assert_int_equal(c->point[i].shared, *shared == always);
            assert_close(c->point[i].cycles, made_latency((uint64_t)c->point[i].x), 0.001);
        }
    }
}

static unsigned leaves_after; /* this number of visits */

static bool until_it_leaves(void)
{
    return machine.guarded <= leaves_after;
}

/* What is left of the time goes to the visits that it disturbed. */
TEST(points_are_measured_again_when_the_neighbour_has_left)
{
    reset(EXEC_SILICON);
    made_curve(&row);
    leaves_after = machine.guarded;
    reset(EXEC_SILICON);
    machine.is_shared = until_it_leaves;
    const struct series *c = made_curve(&row);
    assert_true(machine.guarded > leaves_after);
    assert_int_equal(c->spoiled, SERIES_CLEAN);
    for (size_t i = 0; i < c->n; i++) {
        assert_false(c->point[i].shared);
        assert_int_equal(c->point[i].visits, VISITS);
    }
}

TEST(a_row_without_a_curve_has_its_reason)
{
    static const struct cpu other = {.vendor = VENDOR_UNKNOWN};

    static const struct {
        uint64_t area;
        unsigned wrong_walk; /* 41: the second of a warm-up and a pair */
        bool no_area, no_lfence;
        enum row_status status;
        const char *why;
    } cases[] = {
        {1 << 20, 41, false, false, ROW_WRONG, "did not end at the element"},
        {0, 0, false, false, ROW_UNSUPPORTED, "no memory is made"},
        {1 << 20, 0, true, false, ROW_UNSUPPORTED, ""},
        {MADE_PAGE, 0, false, false, ROW_UNSUPPORTED, ""},
        {1 << 20, 0, false, true, ROW_UNSUPPORTED, "LFENCE"},
    };

    EACH_CASE (c, cases) {
        reset(EXEC_SILICON);
        machine.area = c->area;
        made_memory.wrong_walk = c->wrong_walk;
        if (c->no_area)
            machine.platform.areas.map = NULL;
        if (c->no_lfence)
            machine.platform.cpu = &other;
        const struct series *curve = made_curve(&row);
        assert_int_equal(curve->out.status, c->status);
        assert_non_null(strstr(curve->out.why, c->why));
        assert_int_equal(curve->n, 0);
    }
}

TEST(with_little_memory_the_curve_ends_earlier)
{
    reset(EXEC_SILICON);
    machine.area = 70 * KIB;
    const struct series *c = made_curve(&row);
    assert_int_equal(c->out.status, ROW_OK);
    assert_true(c->less_memory);
    assert_false(c->less_time);
    assert_int_equal(c->point[c->n - 1].x, 64 * KIB);
}

/* However slow the machine is, the row keeps to its time, or measures two sizes. Each point has
 * enough visits for an interval. */
TEST(a_curve_takes_at_most_its_rows_time)
{
    for (double slow = 1; slow < 1e4; slow *= 4) {
        reset(EXEC_SILICON);
        made_memory.slow = slow;
        uint64_t from = tsc_now();
        const struct series *c = made_curve(&row);
        double seconds = (double)(tsc_now() - from) / MACHINE_HZ;
        assert_true(seconds <= 1.1 * bench_curve(&row)->ms / 1e3 || c->n == 2);
        assert_true(c->less_time || c->point[c->n - 1].x == 256 * KIB);
        for (size_t i = 0; i < c->n; i++)
            assert_close(c->point[i].cycles, slow * made_latency((uint64_t)c->point[i].x),
                         slow * 0.01);
        for (size_t i = 0; i < c->n; i++) {
            assert_in_range(c->point[i].visits, VISITS_LEAST, VISITS);
            assert_true(is_known(c->point[i].lo) && is_known(c->point[i].hi));
        }
    }
}

TEST(counted_instructions_have_one_round)
{
    reset(EXEC_INSTRUCTIONS);
    const struct series *c = made_curve(&row);
    assert_int_equal(c->rounds, 1);
    assert_int_equal(c->point[c->n - 1].x, 256 * KIB);
    for (size_t i = 0; i < c->n; i++) {
        assert_int_equal(c->point[i].visits, 1);
        assert_close(c->point[i].cycles, c->point[i].ticks / 2, 1e-6);
    }
}

TEST(an_emulator_gives_ticks_and_no_cycles)
{
    reset(EXEC_EMULATED);
    const struct series *c = made_curve(&row);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->spoiled, SERIES_EMULATED);
    assert_false(is_known(c->point[0].cycles));
    assert_true(is_known(c->point[0].ticks));
}

TEST(without_cpuid_data_levels_have_no_cache)
{
    reset(EXEC_SILICON);
    made_memory.no_cpuid = true;
    const struct series *c = made_curve(&row);
    assert_int_equal(c->caches, 0);
    assert_int_equal(c->wanted, SIZES_BEYOND * SIZES_NO_CACHE);
    assert_true(c->less_memory);
    assert_int_equal(c->levels, 3);
    assert_int_equal(c->level[0].cache, -1);
}

TEST(a_user_who_stops_the_run_leaves_no_curve)
{
    for (unsigned at = 1; at <= 60; at += 59) { /* in the first pass, and in a later one */
        reset(EXEC_SILICON);
        machine.stop_at = at;
        assert_null(made_curve(&row));
    }
}
