/*
 * A curve over sizes on a simulated machine: two caches and memory with known latencies and sizes.
 * The chase is laid out and followed in real memory; the time of a walk is computed from the length
 * of the cycle that it is in.
 */
// links: bench/cores/one_core.c
#include "tests/unit/fake_tsc.h"

#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>
#include "bench/memory/chase.c"
#include "bench/memory/curve.c"
#include "bench/memory/flush.h"
#include "bench/memory/jumps.h"
#include "bench/memory/near.h"
#include "bench/memory/needs.c"
#include "bench/sample/pairs.c"
#include "bench/memory/point.c"
#include "bench/figure/visits.c"
#include "bench/memory/visit.c"
#include "tests/unit/close.h"
#include "tests/unit/fake_own.h"

#define KIB 1024ull
#define HZ  1e9
#define TPC 0.5 /* ticks per core cycle */

/* The machine; set by each test. */
static struct {
    uint64_t area;    /* bytes that there are; 0: none */
    double slow;      /* factor of every time */
    unsigned astray;  /* the walk that ends a line too far, counted from 1; 0: none */
    unsigned stop_at; /* the visit before which the user stops the run; 0: none */
    bool no_cpuid;
    bool pages;                /* the elements are in separate pages */
    enum line_state bad_state; /* whose lines are lost */
    bool no_code, executable;  /* the platform executes none; the area is executable now */
    bool stay_on, off;         /* the prefetchers cannot be disabled; they are off now */
    uint32_t lost_page;        /* a chain of this number of jumps leaves one out */
    unsigned areas, visits, walks;
} made;

static double latency(uint64_t bytes)
{
    return bytes <= 8 * KIB ? 4 : bytes <= 64 * KIB ? 14 : 200;
}

/* TLBs of 64 and 512 entries. */
static double page_latency(uint64_t pages)
{
    return pages <= 64 ? 4 : pages <= 512 ? 11 : 100;
}

/* Returns the lines of the cycle that a line is in. */
static uint64_t cycle_of(void *const *at)
{
    void *const *p = at;
    uint64_t n = 0;

    do {
        p = (void *const *)*p;
        n++;
    } while (p != at);
    return n;
}

uint64_t chase_walk(void *const *at, uint64_t turns, void *const **end)
{
    uint64_t steps = turns * CHASE_TURN;
    uint64_t n = cycle_of(at);
    double one = made.pages ? page_latency(n) : latency(n * CHASE_LINE);
    double cycles = one * (double)steps;
    uint64_t ticks = 100 + (uint64_t)(cycles * TPC * made.slow);

    steps += ++made.walks == made.astray;
    for (uint64_t i = 0; i < steps; i++)
        at = (void *const *)*at;
    *end = at;
    fake_tsc += ticks;
    return ticks;
}

/* Jumps over n pages take what a chase does, and 10 cycles more. */
void jumps_build(struct jumps *j, uint8_t *at, const uint8_t *code, uint64_t bytes, uint64_t page,
                 uint64_t seed)
{
    (void)seed;
    assert_false(made.executable);
    *j = (struct jumps){.at = at, .code = code, .page = page, .n = (uint32_t)(bytes / page)};
}

uint32_t jumps_check(const struct jumps *j)
{
    assert_true(made.executable);
    return j->n == made.lost_page ? 0 : j->n;
}

bool jumps_time(const struct jumps *j, struct jumps_ticks *t)
{
    uint64_t ticks = (uint64_t)((page_latency(j->n) + 10) * TPC * 1000);

    *t = (struct jumps_ticks){50 + ticks, 50 + 2 * ticks, 1000};
    fake_tsc += 3 * ticks;
    return true;
}

/* The other loads have separate tests (test_memory_jumps.c, test_stream.c, test_memory_near.c,
 * test_memory_flush.c). */
const char *flush_lacks(const struct platform *p, enum bench_load load)
{
    (void)p;
    return load == BENCH_WRITE_BACK ? "needs CLWB" : NULL;
}

void flush_build(struct flush *f, const struct bench_curve *kind, enum line_state state,
                 uint8_t *at, uint64_t evict)
{
    (void)kind;
    memset(at, 1, FLUSH_BYTES + evict);
    *f = (struct flush){.state = state, .lines = at, .evict = evict};
}

uint64_t flush_check(const struct flush *f)
{
    return made.bad_state && f->state == made.bad_state ? 0 : 2 * FLUSH_LINES;
}

uint64_t flush_time(const struct flush *f, uint64_t lines)
{
    uint64_t ticks = (uint64_t)(made.slow * (300 + (double)lines * (2 + f->state)));

    fake_tsc += ticks;
    return ticks;
}

void near_build(struct near_place *p, enum bench_load load, uint8_t *at, int32_t offset)
{
    *p = (struct near_place){.load = load, .store = at, .at = at + offset};
}

uint64_t near_check(const struct near_place *p)
{
    return p->at - p->store == 13 ? 0 : 1; /* that offset has a defect */
}

uint64_t near_time(const struct near_place *p, uint64_t operations)
{
    uint64_t ticks = operations * (p->at == p->store ? 2 : 9);

    fake_tsc += ticks;
    return ticks;
}

void stream_build(struct stream *s, enum bench_load load, uint8_t *at, uint64_t bytes)
{
    *s = (struct stream){.load = load, .at = at, .lines = bytes / STREAM_LINE};
}

uint64_t stream_check(const struct stream *s)
{
    return s->lines - (s->load == BENCH_WRITE_NT); /* that one has a defect */
}

struct stream_ticks stream_time(const struct stream *s, unsigned i)
{
    uint64_t cycles = 3 * s->lines + s->lines * (s->lines < 200 ? 9 : 0);

    (void)i;
    fake_tsc += cycles / 2;
    return (struct stream_ticks){50 + cycles / 2, 50 + cycles, s->lines};
}

uint32_t own_adds(uint32_t turns)
{
    return (uint32_t)(60 + 64 * turns * TPC);
}

struct cycle_mark cycle_begin(struct engine *e)
{
    (void)e;
    return (struct cycle_mark){0};
}

struct cycle_mark cycle_end(struct engine *e)
{
    (void)e;
    return (struct cycle_mark){0};
}

double cycle_ratio(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to)
{
    (void)e, (void)from, (void)to;
    return UNKNOWN;
}

/* AMD's leaf 8000_001D: 8 KiB of data, 8 KiB of instructions, 64 KiB of both. */
static struct cpuid_regs cpuid_made(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    static const struct cpuid_regs cache[] = {
        {1 | 1 << 5, 7 << 22 | 63, 15, 0},
        {2 | 1 << 5, 7 << 22 | 63, 15, 0},
        {3 | 2 << 5, 7 << 22 | 63, 127, 0},
    };

    (void)ctx;
    if (leaf == 0x80000005) /* L1 TLBs: 64 entries for data, 32 for code, fully associative */
        return (struct cpuid_regs){.ebx = 0xffu << 24 | 64 << 16 | 0xffu << 8 | 32};
    if (leaf == 0x80000006) /* L2 TLB for data: 512 entries, 4 ways */
        return (struct cpuid_regs){.ebx = 4u << 28 | 512 << 16};
    if (leaf == 0x8000001d && subleaf < 3 && !made.no_cpuid)
        return cache[subleaf];
    return (struct cpuid_regs){0};
}

static bool area_made(const struct platform *p, const struct platform_wish *wish,
                      struct platform_area *area, const char **why)
{
    (void)p;
    *why = "no memory is made";
    if (made.area == 0)
        return false;
    made.areas++;
    *area = (struct platform_area){.bytes = wish->bytes < made.area ? wish->bytes : made.area,
                                   .page = wish->page};
    area->at = aligned_alloc(PAGE, (area->bytes + PAGE - 1) / PAGE * PAGE);
    assert_non_null(area->at);
    area->code = wish->code ? area->at : NULL; /* only its addresses are used */
    return true;
}

static bool execute_made(const struct platform *p, const struct platform_area *area, bool execute,
                         const char **why)
{
    (void)p, (void)area;
    *why = "no code is executed";
    made.executable = execute;
    return !(execute && made.no_code);
}

static void area_unmade(const struct platform *p, struct platform_area *area)
{
    (void)p;
    made.areas--;
    free(area->at);
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    (void)p, (void)suite, (void)name, (void)ran;
}

static void row_longer(const struct platform *p, unsigned ms)
{
    (void)p;
    assert_int_equal(ms, 2000);
}

static void row_end(const struct platform *p)
{
    (void)p;
}

static uint64_t nmis(void)
{
    return 3;
}

static struct pace pace;

bool pace_go_on(const struct engine *e)
{
    (void)e;
    pace.stopped = ++made.visits == made.stop_at;
    return !pace.stopped;
}

void pace_show(const struct engine *e, double done)
{
    (void)e;
    assert_true(done >= 0 && done <= 1);
}

bool guard_run(const struct engine *e, struct row *row, void (*fn)(void *ctx), void *ctx)
{
    (void)e, (void)row;
    fn(ctx);
    return true;
}

struct seat *plan_seat(struct plan *plan, unsigned core)
{
    assert_int_equal(core, 0);
    return plan->seat;
}

const char *plan_on(struct plan *plan, unsigned k, void (*fn)(void *, unsigned), void *ctx)
{
    assert_int_equal(k, 0);
    fn(ctx, 0);
    return plan->seat->back ? NULL : "it did not come back";
}

static const struct cpu cpu = {.vendor = VENDOR_AMD, .max_ext_leaf = 0x8000001e, .tsc = true};
static struct options options;
static struct seat seat;
static struct plan plan;
static uint64_t memory[INTERLEAVE_NEED];
static struct platform platform;
static const struct bench row = {
    .suite = "memory", .name = "made", .form = FORM_CURVE, .curve = {.ms = 2000}};

static void reset(enum execution execution)
{
    memset(&made, 0, sizeof made);
    memset(&fake_own, 0, sizeof fake_own);
    made.area = 1 << 20;
    made.slow = 1;
    options_default(&options);
    platform = (struct platform){.cpu = &cpu,
                                 .cpuid = cpuid_made,
                                 .area = area_made,
                                 .area_free = area_unmade,
                                 .area_execute = execute_made,
                                 .row_begin = row_begin,
                                 .row_longer = row_longer,
                                 .row_end = row_end,
                                 .nmis = nmis};
    pace = (struct pace){0};
    seat = (struct seat){.engine = {.p = &platform,
                                    .memory = memory,
                                    .step_cycles = 1,
                                    .facts = {.o = &options,
                                              .execution = execution,
                                              .ticks_per_instruction = 2,
                                              .ticks_per_cycle = TPC,
                                              .tsc_hz = HZ,
                                              .step = 1,
                                              .cycle = {.by = CYCLES_RULER}}}};
    plan = (struct plan){.seat = &seat, .pace = &pace};
}

static const struct curve *measure_row(void)
{
    const struct curve *c = curve_measure(&plan, &row, 0);

    assert_int_equal(made.areas, 0); /* given back, whatever happened */
    return c;
}

static void two_caches_and_memory(void **state)
{
    (void)state;
    reset(EXEC_SILICON);
    const struct curve *c = measure_row();
    assert_non_null(c);
    assert_null(c->row.why);
    assert_int_equal(c->wanted, 256 * KIB);
    assert_int_equal(c->point[c->n - 1].bytes, 256 * KIB);
    assert_int_equal(c->rounds, POINT_ROUNDS);
    assert_int_equal(c->spoiled, CURVE_CLEAN);
    assert_false(c->less_memory || c->less_time);
    for (size_t i = 0; i < c->n; i++) {
        const struct curve_point *p = &c->point[i];
        assert_int_equal(p->visits, POINT_VISITS);
        assert_false(p->shared);
        assert_close(p->cycles, latency(p->bytes), 0.001);
        assert_close(p->ticks, latency(p->bytes) * TPC, 0.001);
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

static void sizes_are_added_where_it_bends(void **state)
{
    unsigned seen = 0;

    (void)state;
    reset(EXEC_SILICON);
    const struct curve *c = measure_row();
    for (size_t i = 0; i < c->n; i++)
        seen += c->point[i].bytes == 10 * KIB || c->point[i].bytes == 80 * KIB ||
                c->point[i].bytes == 9 * KIB || c->point[i].bytes == 72 * KIB;
    assert_int_equal(seen, 4);
    assert_int_equal(c->n, 13 + 4);
}

static void every_element_is_counted(void **state)
{
    uint64_t lines = 0;

    (void)state;
    reset(EXEC_SILICON);
    const struct curve *c = measure_row();
    for (size_t i = 0; i < c->n; i++) {
        uint64_t bytes = c->point[i].bytes;
        bool first = bytes != 9 * KIB && bytes != 72 * KIB; /* visited before the passes too */
        lines += bytes / CHASE_LINE * (POINT_VISITS + first);
    }
    assert_int_equal(c->elements, lines);
}

static bool always(void)
{
    return true;
}

static void a_neighbour_all_the_time(void **state)
{
    (void)state;
    reset(EXEC_SILICON);
    fake_own.is_shared = always;
    const struct curve *c = measure_row();
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->spoiled, CURVE_SHARED);
    for (size_t i = 0; i < c->n; i++) {
        assert_true(c->point[i].shared);
        assert_close(c->point[i].cycles, latency(c->point[i].bytes), 0.001);
    }
}

static unsigned readings;

static bool now_and_then(void)
{
    return ++readings % 5 == 0;
}

/* The pairs on a shared core are repeated, and not used. */
static void a_neighbour_now_and_then(void **state)
{
    (void)state;
    reset(EXEC_SILICON);
    fake_own.is_shared = now_and_then;
    const struct curve *c = measure_row();
    assert_int_equal(c->spoiled, CURVE_CLEAN);
    assert_true(fake_own.shared > 0);
    for (size_t i = 0; i < c->n; i++)
        assert_false(c->point[i].shared);
}

static void a_walk_that_goes_astray_fails_the_row(void **state)
{
    (void)state;
    reset(EXEC_SILICON);
    made.astray = 40;
    const struct curve *c = measure_row();
    assert_int_equal(c->row.status, ROW_WRONG);
    assert_non_null(strstr(c->row.why, "did not end at the element"));
    assert_int_equal(c->n, 0);
}

static void no_memory(void **state)
{
    (void)state;
    reset(EXEC_SILICON);
    made.area = 0;
    const struct curve *c = measure_row();
    assert_int_equal(c->row.status, ROW_UNSUPPORTED);
    assert_string_equal(c->row.why, "no memory is made");
    reset(EXEC_SILICON);
    platform.area = NULL;
    assert_int_equal(measure_row()->row.status, ROW_UNSUPPORTED);
    reset(EXEC_SILICON);
    made.area = PAGE;
    assert_int_equal(measure_row()->row.status, ROW_UNSUPPORTED);
}

static void little_memory(void **state)
{
    (void)state;
    reset(EXEC_SILICON);
    made.area = 70 * KIB;
    const struct curve *c = measure_row();
    assert_int_equal(c->row.status, ROW_OK);
    assert_true(c->less_memory);
    assert_false(c->less_time);
    assert_int_equal(c->point[c->n - 1].bytes, 64 * KIB);
}

static double seconds_of(void)
{
    uint64_t from = fake_tsc;

    (void)measure_row();
    return (double)(fake_tsc - from) / HZ;
}

/* However slow the machine is, the row keeps to its time, or measures two sizes twice. */
static void little_time(void **state)
{
    (void)state;
    for (double slow = 1; slow < 1e4; slow *= 4) {
        reset(EXEC_SILICON);
        made.slow = slow;
        double seconds = seconds_of();
        const struct curve *c = &((const struct measuring *)(const void *)memory)->curve;
        assert_true(seconds <= 1.1 * row.curve.ms / 1e3 || c->n == 2);
        assert_true(c->less_time || c->point[c->n - 1].bytes == 256 * KIB);
        for (size_t i = 0; i < c->n; i++)
            assert_close(c->point[i].cycles, slow * latency(c->point[i].bytes), slow * 0.01);
    }
}

/* Sizes can be left out; states cannot, so they are measured as little as possible. */
static void no_state_is_left_out(void **state)
{
    static const struct bench b = {.form = FORM_CURVE,
                                   .curve = {.load = BENCH_FLUSH_OPT, .ms = 2000}};

    (void)state;
    reset(EXEC_SILICON);
    made.slow = 1e6;
    const struct curve *c = curve_measure(&plan, &b, 0);
    assert_int_equal(c->n, 5);
    assert_in_range(c->point[4].visits, 2, 4);
    assert_false(c->less_time);
}

static void counted_instructions(void **state)
{
    (void)state;
    reset(EXEC_INSTRUCTIONS);
    const struct curve *c = measure_row();
    assert_int_equal(c->rounds, 1);
    assert_int_equal(c->point[c->n - 1].bytes, 256 * KIB);
    for (size_t i = 0; i < c->n; i++) {
        assert_int_equal(c->point[i].visits, 1);
        assert_close(c->point[i].cycles, c->point[i].ticks / 2, 1e-6);
    }
    assert_true(curve_guess(&seat.engine, &row) < HZ);
}

static void an_emulator(void **state)
{
    (void)state;
    reset(EXEC_EMULATED);
    const struct curve *c = measure_row();
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->spoiled, CURVE_EMULATED);
    assert_false(is_known(c->point[0].cycles));
    assert_true(is_known(c->point[0].ticks));
}

static void no_cpuid_data(void **state)
{
    (void)state;
    reset(EXEC_SILICON);
    made.no_cpuid = true;
    const struct curve *c = measure_row();
    assert_int_equal(c->caches, 0);
    assert_int_equal(c->wanted, SIZES_BEYOND * SIZES_NO_CACHE);
    assert_true(c->less_memory);
    assert_int_equal(c->levels, 3);
    assert_int_equal(c->level[0].cache, -1);
}

static const struct curve *measure_other(const struct bench *b)
{
    reset(EXEC_SILICON);
    return curve_measure(&plan, b, 0);
}

/* A cost per lap makes small sets slower: that is no sign of a neighbour, as it is in a chase. */
static void other_loads(void **state)
{
    static const struct bench read = {.form = FORM_CURVE,
                                      .curve = {.load = BENCH_READ_16, .ms = 2000}};
    static const struct bench broken = {.form = FORM_CURVE,
                                        .curve = {.load = BENCH_WRITE_NT, .ms = 2000}};
    static const struct bench wide = {.form = FORM_CURVE,
                                      .curve = {.load = BENCH_READ_32, .ms = 2000}};
    const struct curve *c = measure_other(&read);

    (void)state;
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->spoiled, CURVE_CLEAN);
    assert_close(c->point[0].cycles, 12, 0.1);
    assert_close(c->point[c->n - 1].cycles, 3, 0.1);
    assert_int_equal(c->point[1].bytes, 8 * KIB); /* one size per octave */
    c = measure_other(&broken);
    assert_int_equal(c->row.status, ROW_WRONG);
    assert_non_null(strstr(c->row.why, "every word"));
    c = measure_other(&wide); /* this CPUID has no AVX */
    assert_int_equal(c->row.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(c->row.why, "AVX"));
}

/* Points are the row's offsets, also negative ones, without levels. */
static void offsets(void **state)
{
    static const int32_t offset[] = {-8, 0, 4096}, defect[] = {0, 13};
    static const struct bench b = {
        .form = FORM_CURVE,
        .curve = {.load = BENCH_ALIAS, .ms = 2000, .offset = offset, .offsets = 3}};
    static const struct bench broken = {
        .form = FORM_CURVE,
        .curve = {.load = BENCH_ALIAS, .ms = 2000, .offset = defect, .offsets = 2}};
    const struct curve *c = measure_other(&b);

    (void)state;
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->n, 3);
    assert_int_equal((int64_t)c->point[0].bytes, -8);
    assert_close(c->point[0].cycles, 18, 0.01);
    assert_close(c->point[1].cycles, 4, 0.01);
    assert_int_equal(c->point[1].visits, POINT_VISITS);
    assert_int_equal(c->levels, 0);
    assert_int_equal(c->wanted, NEAR_BYTES);
    assert_false(c->less_memory);
    c = measure_other(&broken);
    assert_int_equal(c->row.status, ROW_WRONG);
    assert_non_null(strstr(c->row.why, "offset"));
}

/* A point per state that CPUID's caches allow: here there is no L3. */
static void states_of_a_line(void **state)
{
    static const enum line_state there[] = {LINE_ABSENT, LINE_CLEAN_L1, LINE_CLEAN_L2,
                                            LINE_DIRTY_L1, LINE_DIRTY_L2};
    static const struct bench b = {.form = FORM_CURVE,
                                   .curve = {.load = BENCH_FLUSH_OPT, .ms = 2000}};
    static const struct bench lacking = {.form = FORM_CURVE,
                                         .curve = {.load = BENCH_WRITE_BACK, .ms = 2000}};
    const struct curve *c = measure_other(&b);

    (void)state;
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->wanted, FLUSH_BYTES + 16 * KIB); /* L1 has 8 KiB */
    assert_int_equal(c->n, 5);
    for (size_t i = 0; i < c->n; i++) {
        assert_int_equal(c->point[i].bytes, there[i]);
        assert_close(c->point[i].cycles, (2 + there[i]) / TPC, 0.01);
        assert_int_equal(c->point[i].visits, POINT_VISITS);
    }
    assert_int_equal(c->levels, 0);
    reset(EXEC_SILICON);
    made.bad_state = LINE_DIRTY_L2;
    c = curve_measure(&plan, &b, 0);
    assert_int_equal(c->row.status, ROW_WRONG);
    assert_non_null(strstr(c->row.why, "flushed"));
    c = measure_other(&lacking);
    assert_int_equal(c->row.status, ROW_UNSUPPORTED);
}

/* An element per page: levels end at what the TLBs reach, and the curve goes to 4 times that. */
static void the_reach_of_tlbs(void **state)
{
    static const struct bench b = {.form = FORM_CURVE, .curve = {.load = BENCH_PAGES, .ms = 2000}};

    (void)state;
    reset(EXEC_SILICON);
    made.pages = true;
    made.area = 16 << 20;
    const struct curve *c = curve_measure(&plan, &b, 0);
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->wanted, 8 << 20);
    assert_int_equal(c->point[0].bytes, 64 * KIB);
    assert_int_equal(c->levels, 3);
    assert_int_equal(c->level[0].to, 64 * PAGE);
    assert_int_equal(c->cache[c->level[0].cache].level, 1);
    assert_int_equal(c->cache[c->level[0].cache].size, 64 * PAGE);
    assert_int_equal(c->level[1].to, 512 * PAGE);
    assert_int_equal(c->cache[c->level[1].cache].level, 2);
    assert_close(c->level[2].value, 100, 0.01);
}

/* Code: the TLBs are those for code. Large pages: those for such pages, without any here. */
static void the_reach_of_other_tlbs(void **state)
{
    static const struct bench code = {.form = FORM_CURVE,
                                      .curve = {.load = BENCH_CODE, .ms = 2000}};
    static const struct bench large = {.form = FORM_CURVE,
                                       .curve = {.load = BENCH_CODE, .page = BENCH_2M, .ms = 2000}};

    (void)state;
    reset(EXEC_SILICON);
    made.area = 16 << 20;
    const struct curve *c = curve_measure(&plan, &code, 0);
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->caches, 1); /* the L2 TLB is for data only */
    assert_int_equal(c->cache[0].size, 32 * PAGE);
    assert_int_equal(c->wanted, 4 * 32 * PAGE);
    assert_int_equal(c->levels, 1);
    assert_close(c->level[0].value, 14, 0.01);
    assert_int_equal(c->level[0].to, 64 * PAGE);
    reset(EXEC_SILICON);
    made.area = 64 << 20;
    c = curve_measure(&plan, &large, 0);
    assert_int_equal(c->row.status, ROW_OK);
    assert_int_equal(c->page, BENCH_2M);
    assert_int_equal(c->caches, 0);
    assert_int_equal(c->wanted, JUMPS_REACH); /* not four times 1024 pages: jumps have 32 bits */
    assert_int_equal(c->point[0].bytes, 8 << 20);
    assert_int_equal(c->point[c->n - 1].bytes, 64 << 20);
    reset(EXEC_SILICON);
    made.lost_page = 64;
    assert_int_equal(curve_measure(&plan, &code, 0)->row.status, ROW_WRONG);
    reset(EXEC_SILICON);
    made.no_code = true;
    c = curve_measure(&plan, &code, 0);
    assert_int_equal(c->row.status, ROW_UNSUPPORTED);
    assert_string_equal(c->row.why, "no code is executed");
}

/* Prefetchers do not matter to the simulated machine: strides cost what a random order does. */
static void strides(void **state)
{
    static const struct bench b = {.form = FORM_CURVE, .curve = {.stride = 16, .ms = 2000}};
    const struct curve *c = measure_other(&b);

    (void)state;
    assert_int_equal(c->levels, 3);
    assert_close(c->level[1].value, 14, 0.001);
}

static const char *prefetch_made(const struct platform *p, unsigned core, bool off,
                                 const char **why)
{
    (void)p;
    assert_int_equal(core, 0);
    *why = "they stay on";
    if (off && made.stay_on)
        return NULL;
    made.off = off;
    return off ? "off" : "on";
}

/* Off during the row that asks for it, and as found after it, whatever happens. */
static void prefetchers(void **state)
{
    static const struct bench b = {.form = FORM_CURVE, .curve = {.no_prefetch = true, .ms = 2000}};

    (void)state;
    assert_int_equal(measure_other(&b)->row.status, ROW_UNSUPPORTED); /* no such function */
    reset(EXEC_SILICON);
    platform.prefetch = prefetch_made;
    assert_string_equal(measure_row()->prefetch, "on");
    for (unsigned i = 0; i < 3; i++) {
        reset(EXEC_SILICON);
        platform.prefetch = prefetch_made;
        made.stay_on = i == 1;
        made.area = i == 2 ? 0 : made.area;
        const struct curve *c = curve_measure(&plan, &b, 0);
        assert_int_equal(c->row.status, i == 0 ? ROW_OK : ROW_UNSUPPORTED);
        assert_false(made.off);
        if (i == 0)
            assert_string_equal(c->prefetch, "off");
        if (i == 1)
            assert_string_equal(c->row.why, "they stay on");
    }
}

static void the_user_stops_it(void **state)
{
    (void)state;
    for (unsigned at = 1; at <= 60; at += 59) { /* in the first pass, and in a later one */
        reset(EXEC_SILICON);
        made.stop_at = at;
        assert_null(measure_row());
    }
}

static void without_a_documented_lfence(void **state)
{
    static const struct cpu other = {.vendor = VENDOR_UNKNOWN};

    (void)state;
    reset(EXEC_SILICON);
    platform.cpu = &other;
    const struct curve *c = measure_row();
    assert_int_equal(c->row.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(c->row.why, "LFENCE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_caches_and_memory),
        cmocka_unit_test(sizes_are_added_where_it_bends),
        cmocka_unit_test(every_element_is_counted),
        cmocka_unit_test(a_neighbour_all_the_time),
        cmocka_unit_test(a_neighbour_now_and_then),
        cmocka_unit_test(a_walk_that_goes_astray_fails_the_row),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(little_time),
        cmocka_unit_test(counted_instructions),
        cmocka_unit_test(an_emulator),
        cmocka_unit_test(no_cpuid_data),
        cmocka_unit_test(other_loads),
        cmocka_unit_test(offsets),
        cmocka_unit_test(states_of_a_line),
        cmocka_unit_test(no_state_is_left_out),
        cmocka_unit_test(the_reach_of_tlbs),
        cmocka_unit_test(the_reach_of_other_tlbs),
        cmocka_unit_test(strides),
        cmocka_unit_test(prefetchers),
        cmocka_unit_test(the_user_stops_it),
        cmocka_unit_test(without_a_documented_lfence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
