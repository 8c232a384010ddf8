/* A curve over a count on a simulated machine, whose limit is known: how counts are chosen, planned
 * and visited, and what spoils a curve. lib/limits has the tests of the rule and of the code. */
#include "tests/unit/bench/machine.h"

#include "bench/engine/loop.h"
#include "bench/kinds/kinds.h"
#include "bench/result/series.h"
#include "bench/kinds/limit_code.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"

#define LIMIT      313 /* fillers that fit between two loads */
#define ITERATIONS 16
/* What a curve has if there is time: passes, visits of a count in each, pairs of walks in these. */
enum { ROUNDS = 4, PER_ROUND = 3, PAIRS = 5 };
enum { ROUNDS_LEAST = 2, COUNTS_LEAST = 8 };

/* The machine; set by each test. */
static struct made_limit {
    double slow;    /* factor of every time */
    double noise;   /* every time is off by at most this share */
    unsigned wrong; /* the walk that fails, counted from 1; 0: none */
    bool falls, leaves, halfway, full;
    unsigned walks, warmed;
    uint64_t seed;  /* of the last visit, ... */
    uint32_t count; /* ... and its count */
} made;
static struct rng rng;

static double cycles_of(uint32_t count)
{
    if (made.falls && count > 400)
        return 250;
    if (made.leaves)
        return count <= 32 ? 4 : 4 + (count - 32) / 10.0;
    if (made.halfway && count > LIMIT && count <= LIMIT + 8)
        return 560 + 20.0 * (count - LIMIT);
    return (count <= LIMIT ? 430 : 850) + count / 6.0;
}

bool setting_make(struct limits_setting *s, const struct platform *p,
                  const struct bench_limit *kind, uint32_t count, uint64_t seed, bool quick)
{
    assert_int_not_equal(seed, made.seed); /* another place each time */
    made.seed = seed;
    made.count = count;
    *s =
        (struct limits_setting){.kind = kind, .count = count, .iterations = quick ? 1 : ITERATIONS};
    return !made.full;
}

void setting_warm(struct limits_setting *s)
{
    made.warmed++;
}

bool setting_walks(void *ctx, unsigned i, struct pair_ticks *t)
{
    struct limits_setting *s = ctx;
    double off = 1 + made.noise * (2 * rng_unit(&rng) - 1);
    double ticks = cycles_of(s->count) * MACHINE_TPC * made.slow * off * (double)s->iterations;

    *t = (struct pair_ticks){100 + (uint64_t)ticks, 100 + (uint64_t)(2 * ticks), s->iterations};
    machine.tsc += t->once + t->twice;
    s->operations += s->iterations;
    if (++made.walks == made.wrong)
        s->wrong = "a planted defect";
    return !s->wrong;
}

static const struct bench window = {
    .suite = "limits",
    .name = "window",
    .kind = &kind_limit,
    .of = &(const struct bench_limit){
        .kind = LIMITS_WINDOW, .first = 16, .most = 832, .apart = 16, .within = 1.25, .ms = 700}};
static const struct bench masks = {
    .suite = "limits",
    .name = "masks",
    .kind = &kind_limit,
    .of = &(const struct bench_limit){
        .kind = LIMITS_WINDOW, .param = FILL_KOR, .first = 16, .most = 32, .ms = 700}};
static const struct bench octaves = {
    .suite = "limits",
    .name = "octaves",
    .kind = &kind_limit,
    .of = &(const struct bench_limit){
        .kind = LIMITS_PATTERN, .first = 4, .most = 512, .leaves = 1.25, .ms = 700}};

static void reset(enum execution execution)
{
    machine_reset(execution);
    machine.plan->core[0].engine.spare = (struct spare){0};
    memset(&made, 0, sizeof made);
    made.slow = 1;
    rng = (struct rng){1};
}

static const struct series *measure(const struct bench *b)
{
    const struct series *l = (const struct series *)(const void *)machine_measure(b);

    assert_in_range(machine.ms, 700, 1400); /* what earlier rows left included */
    return l;
}

TEST(a_limit_is_found_exactly)
{
    reset(EXEC_SILICON);
    made.noise = 0.02;
    const struct series *l = measure(&window);
    assert_non_null(l);
    assert_null(l->out.why);
    assert_int_equal(l->spoiled, SERIES_CLEAN);
    assert_false(l->less_time);
    assert_int_equal(l->rounds, ROUNDS);
    assert_int_equal(l->steps, 1);
    assert_int_equal(l->step[0].at, LIMIT);
    assert_int_equal(l->step[0].from, LIMIT);
    assert_int_equal(l->step[0].to, LIMIT + 1);
    for (size_t i = 0; i < l->n; i++) {
        const struct point *p = &l->point[i];
        assert_true(i == 0 || p->x > p[-1].x);
        assert_in_range(p->visits, ROUNDS * PER_ROUND, VISITS_MOST);
        assert_close(p->cycles, cycles_of((uint32_t)p->x), 0.02 * cycles_of((uint32_t)p->x));
        assert_close(p->ticks, cycles_of((uint32_t)p->x) * MACHINE_TPC,
                     0.02 * cycles_of((uint32_t)p->x));
        assert_true(p->lo <= p->cycles && p->cycles <= p->hi);
    }
    assert_int_equal(made.warmed, machine.guarded);
    assert_int_equal(l->out.nmis, machine.guarded);
    assert_int_equal(machine.plan->core[0].nmis, machine.guarded);
    assert_true(l->checked >= l->n * ROUNDS * PER_ROUND * PAIRS * ITERATIONS);
}

TEST(counts_go_up_by_octaves)
{
    static const uint32_t grid_of[] = {4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

    reset(EXEC_INSTRUCTIONS); /* only the grid */
    const struct series *l = measure(&octaves);
    for (size_t i = 0; i < sizeof grid_of / sizeof grid_of[0]; i++)
        assert_int_equal(l->point[i].x, grid_of[i]);
    reset(EXEC_SILICON);
    made.leaves = true;
    l = measure(&octaves);
    assert_int_equal(l->steps, 1);
    assert_in_range(l->step[0].at, 36, 42); /* 4 + 25% */
    assert_in_range(l->step[0].to, 42, 46);
}

static bool around_the_step(void)
{
    return made.count > LIMIT + 8 && made.count < 450;
}

static unsigned leaves_after; /* this number of visits */

static bool around_the_step_at_first(void)
{
    return around_the_step() && made.warmed <= leaves_after;
}

/* What is left of the time goes to the visits that it disturbed. */
TEST(a_step_is_measured_again_when_its_neighbour_has_left)
{
    reset(EXEC_SILICON);
    made.halfway = true;
    measure(&window);
    leaves_after = made.warmed;
    reset(EXEC_SILICON);
    made.halfway = true;
    machine.is_shared = around_the_step_at_first;
    const struct series *l = measure(&window);
    assert_true(made.warmed > leaves_after);
    assert_int_equal(l->spoiled, SERIES_CLEAN);
    assert_int_equal(l->steps, 1);
    for (size_t i = 0; i < l->n; i++) {
        assert_false(l->point[i].shared);
        assert_int_equal(l->point[i].visits, ROUNDS * PER_ROUND);
    }
}

TEST(uncertain_figures_are_not_judged)
{
    reset(EXEC_SILICON);
    for (unsigned tenths = 1; tenths <= 5; tenths++) {
        made.noise = tenths / 10.0;
        const struct series *l = measure(&window);
        assert_int_equal(l->spoiled, SERIES_CLEAN);
        assert_int_equal(l->steps, 1);
        assert_in_range(LIMIT, l->step[0].from, l->step[0].to);
    }
}

TEST(what_spoils_a_limit_is_reported)
{
    static const struct {
        enum execution execution;
        bool (*is_shared)(void);
        struct made_limit made;
        enum row_status status;
        enum series_spoiled spoiled;
        unsigned steps;
    } cases[] = {
        {.is_shared = always, .spoiled = SERIES_SHARED},
        {.is_shared = now_and_then, .steps = 1},
        /* Only the lower half of a step in two parts is left: "no step" would be wrong. */
        {.is_shared = around_the_step, .made.halfway = true, .spoiled = SERIES_UNCERTAIN},
        {.made.falls = true, .spoiled = SERIES_FALLS},
        {.made.noise = 0.8, .spoiled = SERIES_UNCERTAIN},
        {.execution = EXEC_EMULATED, .spoiled = SERIES_EMULATED},
        {.made.wrong = 1, .status = ROW_WRONG},
        {.made.wrong = 1000, .status = ROW_WRONG},
        {.made.wrong = 1999, .status = ROW_WRONG},
        {.made.full = true, .status = ROW_WRONG},
    };

    EACH_CASE (c, cases) {
        reset(c->execution);
        made = c->made;
        made.slow = 1;
        machine.is_shared = c->is_shared;
        const struct series *l = measure(&window);
        assert_int_equal(l->out.status, c->status);
        assert_int_equal(l->spoiled, c->spoiled);
        assert_int_equal(l->steps, c->steps);
        assert_true(c->steps == 0 || l->step[0].at == LIMIT);
        assert_int_equal(l->n == 0, c->status == ROW_WRONG);
        if (c->made.wrong)
            assert_string_equal(l->out.why, "a planted defect");
        if (l->n == 0)
            continue;
        assert_int_equal(is_known(l->point[0].cycles), c->execution != EXEC_EMULATED);
        assert_true(is_known(l->point[0].ticks));
        assert_int_equal(l->point[0].shared, c->is_shared == always);
        assert_true(!c->made.falls || l->falls_at > 400);
        assert_true(c->is_shared != now_and_then ||
                    machine.plan->core[0].engine.facts.witness.shared > 0);
    }
}

TEST(a_user_who_stops_the_run_leaves_no_limit)
{
    for (unsigned at = 1; at <= 501; at += 100) {
        reset(EXEC_SILICON);
        machine.stop_at = at;
        assert_null(measure(&window));
        assert_int_equal(machine.guarded, at);
    }
}

/* However slow the machine is, the row keeps to its time, or measures a few counts. */
TEST(a_limit_takes_at_most_its_rows_time)
{
    for (double slow = 1; slow < 1e4; slow *= 4) {
        reset(EXEC_SILICON);
        made.slow = slow;
        uint64_t from = machine.tsc;
        const struct series *l = measure(&window);
        double seconds = (double)(machine.tsc - from) / MACHINE_HZ;
        assert_true(seconds <= 1.2 * bench_limit(&window)->ms / 1e3 || l->n == COUNTS_LEAST);
        assert_true(l->less_time || l->point[l->n - 1].x == 832);
        assert_in_range(l->rounds, ROUNDS_LEAST, ROUNDS);
        assert_close(l->point[0].cycles, slow * cycles_of(16), slow * 2);
    }
}

/* The fraction that is done and the time for it imply the row's time, already after one count. */
TEST(shown_progress_implies_about_the_rows_time)
{
    for (double slow = 1; slow <= 64; slow *= 4) {
        reset(EXEC_SILICON);
        made.slow = slow;
        measure(&window);
        assert_true(machine.promised > 0 && machine.promised <= 2 * machine.ms / 1e3 * MACHINE_HZ);
    }
}

TEST(counted_instructions_have_one_round_and_no_limit)
{
    reset(EXEC_INSTRUCTIONS);
    const struct series *l = measure(&window);
    assert_int_equal(l->spoiled, SERIES_COUNTED);
    assert_int_equal(l->n, 52); /* the grid, nothing is added */
    assert_int_equal(l->rounds, 1);
    assert_int_equal(made.walks, 2 * 52); /* in the first pass, and in one more */
    assert_int_equal(made.warmed, 0);
    assert_close(l->point[0].cycles, l->point[0].ticks / 2, 1e-6);
}

TEST(a_limit_names_a_missing_instruction_set)
{
    static const struct cpu other = {.vendor = VENDOR_UNKNOWN};

    reset(EXEC_SILICON);
    const struct series *l = measure(&masks); /* this CPUID has no leaf 7 */
    assert_int_equal(l->out.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(l->out.why, "AVX-512"));
    machine.platform.cpu = &other;
    l = measure(&window);
    assert_int_equal(l->out.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(l->out.why, "LFENCE"));
    assert_int_equal(machine.guarded, 0);
}

/* --- a kind with the defaults of the loop ----------------------------------------------------- */

static unsigned visits_made;

static const char *lacks_nothing(const struct platform *p, const struct bench *b)
{
    return NULL;
}

static unsigned ms_of(const struct bench *b)
{
    return 700;
}

static void add_strides(struct loop *w)
{
    for (unsigned x = 64; x <= 4096 && machine.area; x *= 2)
        (void)loop_add(w, x);
}

/* Costs as much as the stride, and 1 ms. */
static void visit_stride(struct loop *w, int64_t x, struct loop_visit *v)
{
    v->exclusive = v->all = (struct pairs_figure){5, (float)(x * MACHINE_TPC), (float)x, 0.1f};
    machine.tsc += (uint64_t)(made.slow * MACHINE_HZ / 1e3);
    visits_made++;
}

static const struct loop_steps plain_steps = {.first_share = 0.4,
                                              .passes = 4,
                                              .passes_least = 3,
                                              .per_pass = 3,
                                              .bytes = sizeof(struct loop),
                                              .lacks = lacks_nothing,
                                              .points = add_strides,
                                              .visit = visit_stride};
static const struct kind kind_plain = {.name = "curve",
                                       .point = "stride",
                                       .steps = &plain_steps,
                                       .ms = ms_of,
                                       .measure = loop_measure};
static const struct bench strides = {.suite = "s", .name = "strides", .kind = &kind_plain};

static const struct series *measure_strides(double slow)
{
    reset(EXEC_SILICON);
    made.slow = slow;
    visits_made = 0;
    return (const struct series *)(const void *)machine_measure(&strides);
}

TEST(a_kind_of_points_needs_only_its_points_and_a_visit)
{
    const struct series *s = measure_strides(1);

    assert_null(s->out.why);
    assert_int_equal(s->n, 7);
    assert_int_equal(s->rounds, 4);
    assert_int_equal(s->spoiled, SERIES_NOT_JUDGED);
    for (size_t i = 0; i < s->n; i++) {
        assert_int_equal(s->point[i].x, 64u << i);
        assert_in_range(s->point[i].visits, 4 * 3, VISITS_MOST);
        assert_close(s->point[i].cycles, (double)s->point[i].x, 1e-3);
    }
    s = measure_strides(30); /* the passes take 7 times 30 ms each */
    assert_int_equal(s->rounds, 3);
    assert_int_equal(visits_made, 7 * (1 + 3));
    reset(EXEC_EMULATED);
    s = (const struct series *)(const void *)machine_measure(&strides);
    assert_int_equal(s->spoiled, SERIES_EMULATED);
    assert_int_equal(s->rounds, 1);
}

TEST(a_kind_without_points_is_not_supported)
{
    reset(EXEC_SILICON);
    machine.area = 0;
    const struct series *s = (const struct series *)(const void *)machine_measure(&strides);
    assert_int_equal(s->out.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(s->out.why, "no points"));
}
