/*
 * Curves of several cores, by threads in place of cores: each works on separate memory, they
 * begin together, a defect on any of them fails the row, and so does one that does not come. The
 * walks are simulated.
 */
#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity */
#include "tests/unit/bench/machine.h"

#include <sched.h>

#include "bench/kinds/team.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/stream.h"
#include "bench/kinds/curve_visit.h"
#include "bench/kinds/kinds.h"
#include "bench/result/series.h"
#include "lib/stats/mathx.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

static unsigned broken; /* the core whose walks have a defect; MACHINE_CORES: none */

/* --- walks -------------------------------------------------------------------------------- */

uint64_t stream_read_16(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps,
                        uint64_t *word)
{
    const uint64_t *words = (const uint64_t *)(const void *)at;

    assert_ptr_equal(at, to);
    *word = machine_core() == broken;
    for (uint64_t i = 0; i < laps * iterations * (STREAM_UNROLL / 8); i++)
        *word ^= words[i];
    return 1;
}

uint64_t stream_write_16(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps,
                         uint64_t *word)
{
    uint64_t *words = (uint64_t *)(void *)at;

    assert_ptr_equal(at, to);
    for (uint64_t i = machine_core() == broken; i < laps * iterations * (STREAM_UNROLL / 8); i++)
        words[i] = *word;
    return 1;
}

#define NO_STREAM(name_)                                                                           \
    uint64_t name_(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps, uint64_t *word)   \
    {                                                                                              \
        (void)at, (void)to, (void)iterations, (void)laps, (void)word;                              \
        return 0;                                                                                  \
    }
NO_STREAM(stream_read_32)
NO_STREAM(stream_write_32)
NO_STREAM(stream_write_nt)
NO_STREAM(stream_write_rep)
NO_STREAM(stream_copy_16)
NO_STREAM(stream_copy_32)
NO_STREAM(stream_copy_rep)

uint64_t chase_walk(void *const *at, uint64_t iterations, void *const **end)
{
    assert_int_equal(machine_core(), 0); /* the others stream */
    for (uint64_t i = 0; i < iterations * CHASE_UNROLL; i++)
        at = (void *const *)*at;
    *end = broken == 0 ? (void *const *)*at : at; /* a line too far */
    return 100 + 7 * iterations * CHASE_UNROLL;
}

static uint8_t *flushed;

uint64_t flush_clflush(uint8_t *lines, uint64_t iterations)
{
    assert_int_equal(machine_core(), 0);
    flushed = lines;
    return 100 + 50 * iterations * FLUSH_UNROLL;
}

#define A_FLUSH(name_)                                                                             \
    uint64_t name_(uint8_t *lines, uint64_t iterations)                                            \
    {                                                                                              \
        if (broken == 1)                                                                           \
            lines[0] ^= 1;                                                                         \
        return flush_clflush(lines, iterations);                                                   \
    }
A_FLUSH(flush_clflushopt)
A_FLUSH(flush_clwb)
A_FLUSH(flush_clflush_wait)
A_FLUSH(flush_clflushopt_wait)
A_FLUSH(flush_clwb_wait)

/* --- the machine -------------------------------------------------------------------------- */

/* AMD's leaf 8000_001D: 128 KiB that 4 threads share. And all CLFLUSHes. */
static struct cpuid_regs cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    if (leaf == 1)
        return (struct cpuid_regs){.ebx = 8 << 8, .edx = 1 << 19};
    if (leaf == 7)
        return (struct cpuid_regs){.ebx = 1 << 23 | 1 << 24};
    if (leaf == 0x8000001d && subleaf == 0)
        return (struct cpuid_regs){3 | 2 << 5 | 3 << 14, 7 << 22 | 63, 255, 0};
    return (struct cpuid_regs){0};
}

uint64_t __wrap_gate_patience(const struct engine *e, uint64_t ticks);

/* Long where the others come, however busy the host is. */
uint64_t __wrap_gate_patience(const struct engine *e, uint64_t ticks)
{
    return machine.absent ? 2000000 : 1ull << 40;
}

static void reset(void)
{
    machine_reset(EXEC_SILICON);
    machine_add_cores();
    broken = MACHINE_CORES;
    machine.platform.cpuid = cpuid;
    machine.real_time = true;
    machine.area = 4 * MIB;
    for (unsigned i = 0; i < MACHINE_CORES; i++)
        machine.plan->core[i].engine.facts.tsc_hz = 1e8;
}

#define ENOUGH 60000 /* ms, even where the TSC is much faster than the made one */

static const struct series *measure_in(enum bench_team team, enum bench_load load, uint32_t ms)
{
    static struct bench_curve shape;
    static struct bench row;

    shape = (struct bench_curve){.load = load, .team = team, .ms = ms};
    row =
        (struct bench){.suite = "memory", .name = "made", .kind = &kind_shared_curve, .of = &shape};
    const struct series *c = (const struct series *)(const void *)machine_measure(&row);
    assert_int_equal(machine.areas, 0); /* whatever happened */
    return c;
}

static const struct series *measure(enum bench_team team, enum bench_load load)
{
    return measure_in(team, load, ENOUGH);
}

TEST(one_two_and_all_cores_share_the_memory)
{
    static const enum bench_load loads[] = {BENCH_READ_16, BENCH_WRITE_16};
    uint64_t lines = 0;

    for (unsigned k = 0; k < 2; k++) {
        reset();
        const struct series *c = measure(BENCH_CORES, loads[k]);
        assert_int_equal(c->out.status, ROW_OK);
        assert_int_equal(c->n, 3);
        lines = 0;
        for (unsigned i = 0; i < 3; i++) {
            const struct point *p = &c->point[i];
            assert_int_equal(p->x, i + 1);
            assert_int_equal(p->visits, c->rounds);
            assert_true(p->ticks > 0 && p->lo <= p->ticks && p->ticks <= p->hi);
            assert_false(is_known(p->cycles));
            lines += (i + 1) * p->set / STREAM_LINE;
        }
        /* 512 KiB are wanted: one core has all, two and three share it. */
        assert_int_equal(c->point[0].set, 512 * KIB);
        assert_int_equal(c->point[1].set, 256 * KIB);
        assert_int_equal(c->point[2].set, 128 * KIB);
        assert_int_equal(c->checked, lines);
        assert_false(c->less_memory);
        assert_int_equal(c->out.nmis, machine.guarded);
        assert_true(machine.wish.shared);
    }
}

/* Two cores share the memory of node 0, the third has that of node 1 for itself. */
TEST(each_core_has_memory_of_its_node)
{
    reset();
    machine_add_node();
    machine.area = 512 * KIB;
    const struct series *c = measure(BENCH_CORES, BENCH_READ_16);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(machine.asked[0], 0);
    assert_int_equal(machine.asked[1], 1);
    assert_int_equal(machine.asked[2], 1);
    assert_int_equal(c->point[0].set, 512 * KIB);
    assert_int_equal(c->point[1].set, 256 * KIB);
    assert_int_equal(c->point[2].set, 256 * KIB);
    reset();
    machine_add_node();
    c = measure(BENCH_LOADED, BENCH_READ_16);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(machine.asked[2], 1);
}

TEST(latency_has_a_point_per_rate_of_the_others)
{
    reset();
    const struct series *c = measure(BENCH_LOADED, BENCH_READ_16);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->n, 7);
    assert_int_equal(c->point[0].x, 0); /* one rate is 0 */
    for (size_t i = 0; i < c->n; i++) {
        assert_true(i == 0 || c->point[i].x >= c->point[i - 1].x);
        assert_true(c->point[i].ticks > 6.999 && c->point[i].ticks < 7.001);
        assert_int_equal(c->point[i].visits, c->rounds);
        assert_int_equal(c->point[i].set, 128 * KIB); /* of the half that has the map, too */
    }
    assert_false(c->less_memory);
}

TEST(lines_that_another_core_holds_have_two_states)
{
    reset();
    const struct series *c = measure(BENCH_HELD, BENCH_FLUSH_OPT);
    assert_int_equal(c->out.status, ROW_OK);
    assert_int_equal(c->n, 2);
    assert_int_equal(c->point[0].x, LINE_HELD_CLEAN);
    assert_int_equal(c->point[1].x, LINE_HELD_DIRTY);
    assert_int_equal(c->checked, 2 * 2 * FLUSH_LINES);
    assert_true(c->point[1].ticks > 49.999 && c->point[1].ticks < 50.001);
}

/* Where the system may give a core no CPU that is not a failure; otherwise it is. */
TEST(a_row_without_a_curve_has_its_reason)
{
    static const struct {
        enum bench_team team;
        enum bench_load load;
        uint64_t area; /* 0: as usual; 1: none */
        unsigned broken, absent;
        bool starved, alone;
        unsigned late;
        enum row_status status;
        const char *why;
    } cases[] = {
        {BENCH_CORES, BENCH_READ_16, .broken = 0, .status = ROW_WRONG, .why = "word"},
        {BENCH_CORES, BENCH_READ_16, .broken = 1, .status = ROW_WRONG, .why = "word"},
        {BENCH_CORES, BENCH_READ_16, .broken = 2, .status = ROW_WRONG, .why = "word"},
        {BENCH_LOADED, BENCH_WRITE_16, .broken = 0, .status = ROW_WRONG, .why = ""},
        {BENCH_LOADED, BENCH_WRITE_16, .broken = 1, .status = ROW_WRONG, .why = ""},
        {BENCH_LOADED, BENCH_WRITE_16, .broken = 2, .status = ROW_WRONG, .why = ""},
        {BENCH_HELD, BENCH_WRITE_BACK, .broken = 1, .status = ROW_WRONG, .why = "flushed"},
#define FINE .broken = MACHINE_CORES, .status = ROW_UNSUPPORTED
        {BENCH_CORES, BENCH_READ_16, 1, FINE, .why = "no memory is made"},
        {BENCH_CORES, BENCH_READ_16, 256 * KIB, FINE, .why = "memory"}, /* two sets */
        {BENCH_CORES, BENCH_READ_16, FINE, .absent = 2, .starved = true, .why = ""},
        {BENCH_CORES, BENCH_READ_16, .broken = MACHINE_CORES, .absent = 2, .status = ROW_WRONG,
         .why = ""},
        {BENCH_CORES, BENCH_READ_16, FINE, .late = 60, .why = "not given the CPU"}, /* given up */
        {BENCH_CORES, BENCH_READ_16, FINE, .alone = true, .why = "cores=all"},
        {BENCH_CORES, BENCH_COPY_32, FINE, .why = "needs AVX"},
    };

    EACH_CASE (c, cases) {
        reset();
        machine.area = c->area == 1 ? 0 : c->area ? c->area : machine.area;
        broken = c->broken;
        machine.absent = c->absent;
        machine.starved = c->starved;
        machine.plan->late = c->late;
        if (c->alone)
            machine.plan->n = machine.plan->all = 1;
        const struct series *curve = measure(c->team, c->load);
        assert_int_equal(curve->out.status, c->status);
        assert_non_null(strstr(curve->out.why, c->why));
        assert_true(c->late == 0 || curve->n == 0);
    }
    reset();
    machine.stop_at = 1;
    assert_null(measure(BENCH_CORES, BENCH_READ_16));
}

TEST(too_little_memory_is_stated)
{
    reset();
    machine.area = 448 * KIB;
    const struct series *c = measure(BENCH_CORES, BENCH_READ_16);
    assert_int_equal(c->out.status, ROW_OK);
    assert_true(c->less_memory);
    reset();
    machine.area = 512 * KIB - 1;
    c = measure(BENCH_LOADED, BENCH_READ_16);
    assert_true(c->out.status != ROW_OK || c->less_memory);
}

/* One core and all cores remain. */
TEST(numbers_of_cores_are_left_out_if_the_time_is_over)
{
    reset();
    const struct series *c = measure_in(BENCH_CORES, BENCH_READ_16, 0);
    assert_int_equal(c->out.status, ROW_OK);
    assert_true(c->less_time);
    assert_int_equal(c->n, 2);
    assert_int_equal(c->point[0].x, 1);
    assert_int_equal(c->point[1].x, MACHINE_CORES);
}

/* On a machine whose other programs take the CPU, the run does not wait for each row. */
TEST(a_core_that_is_late_is_remembered)
{
    reset();
    machine.absent = 2;
    machine.starved = true;
    assert_int_equal(measure_in(BENCH_CORES, BENCH_READ_16, 0)->out.status, ROW_UNSUPPORTED);
    assert_true(machine.plan->late > 0);
}

/* All on one CPU, since those of some machines have TSCs that differ. */
static void on_one_cpu(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

BEFORE_ALL(on_one_cpu);
