/*
 * The probe on a core whose windows are simulated: each takes the cost of its recipe and its chain,
 * seen through a clock that moves in steps. So the cost of a probe is known, and what it must find.
 */
#include "tests/unit/close.h"
#include "tests/unit/cmocka_unit.h"

/* --- the core --------------------------------------------------------------------------------- */

#include "tests/unit/linked_tsc.h" /* the TSC is this core's */

#define HZ 2e9

static struct {
    double step, ticks_per_cycle;
    double exit; /* ticks that CPUID takes */
    double bend; /* core cycles that chains of 50 and 100 adds take longer */
    double now;  /* ticks */
} core;

uint64_t tsc_now(void)
{
    return (uint64_t)(core.now / core.step) * (uint64_t)core.step;
}

#include "bench/engine/engine.h"
#include "bench/engine/probe_run.h"
#include "bench/engine/interleave.h"
#include "bench/engine/window.h"
#include "tests/unit/bench/fake_witness.h"

const struct unit unit_chain_nop, unit_chain_add, unit_chain_imul, unit_chain_div, unit_chain_addsd,
    unit_chain_before;

void witness_open(struct engine *e)
{
}

void engine_executed_by(struct engine *e, const struct behave_verdict *v)
{
    e->facts.execution = v->execution;
}

/* --- its windows ------------------------------------------------------------------------------ */

static struct {
    enum recipe recipe;
    const struct unit *unit;
    unsigned links;
} built[GROWING_BODIES];
static unsigned windows_built;
static double spent[RECIPE_COUNT]; /* ticks in windows of each recipe */

static double cycles_of(const struct unit *unit, unsigned links)
{
    double bend = unit == &unit_chain_add && (links == 50 || links == 100) ? core.bend : 0;
    double each = unit == &unit_chain_nop    ? 0.25
                  : unit == &unit_chain_imul ? 3
                  : unit == &unit_chain_div  ? 12
                                             : 1;

    return links * each + bend;
}

static struct window_result window(unsigned i, uint64_t delay)
{
    bool exits = built[i].recipe == RECIPE_CPUID || built[i].recipe == RECIPE_PAOLONI;
    double began = core.now;

    core.now += (double)delay * core.ticks_per_cycle;
    uint64_t from = tsc_now();
    core.now += (exits ? core.exit : 0) + 60 * core.ticks_per_cycle;
    core.now += cycles_of(built[i].unit, built[i].links) * core.ticks_per_cycle;
    uint64_t to = tsc_now();
    core.now += 20.3 + (exits ? core.exit : 0); /* the way out */
    spent[built[i].recipe] += core.now - began;
    return (struct window_result){.ticks = to - from};
}

#define EIGHT(LIST, n)                                                                             \
    LIST(n##0) LIST(n##1) LIST(n##2) LIST(n##3) LIST(n##4) LIST(n##5) LIST(n##6) LIST(n##7)
#define ALL(LIST)                                                                                  \
    EIGHT(LIST, 0)                                                                                 \
    EIGHT(LIST, 01)                                                                                \
    EIGHT(LIST, 02) EIGHT(LIST, 03) EIGHT(LIST, 04) EIGHT(LIST, 05) EIGHT(LIST, 06) EIGHT(LIST, 07)
#define WINDOW(i)                                                                                  \
    static struct window_result window_##i(struct object *o, const void *f, uint64_t iterations,   \
                                           uint64_t delay, uint64_t stack)                         \
    {                                                                                              \
        (void)o, (void)f, (void)iterations, (void)stack;                                           \
        return window(i, delay);                                                                   \
    }
#define NAME(i) window_##i,
ALL(WINDOW)
static const window_fn functions[GROWING_BODIES] = {ALL(NAME)};

void code_begin(struct code *c, const struct platform *p)
{
    windows_built = 0;
}

void code_end(struct code *c)
{
}

window_fn code_window(struct code *c, const struct window_spec *spec)
{
    unsigned i = windows_built++;

    assert_true(i < GROWING_BODIES);
    built[i].recipe = spec->recipe;
    built[i].unit = spec->unit;
    built[i].links = spec->copies;
    return functions[i];
}

/* --- the probe -------------------------------------------------------------------------------- */

static const struct cpu cpu = {.vendor = VENDOR_INTEL,
                               .tsc = true,
                               .sse2 = true,
                               .rdtscp = true,
                               .lfence_always_serializing = true};
static uint64_t data[sizeof(struct object) / sizeof(uint64_t) + 1], memory[INTERLEAVE_NEED];
static const struct platform platform = {.cpu = &cpu, .data = (uint8_t *)data};
static struct options options;
static struct engine engine;
static struct probe probe;

static void probe_core_of(double step, double ticks_per_cycle, double exit, double bend)
{
    memset(&core, 0, sizeof core);
    memset(spent, 0, sizeof spent);
    core.step = step;
    core.ticks_per_cycle = ticks_per_cycle;
    core.exit = exit;
    core.bend = bend;
    options_default(&options);
    engine = (struct engine){.p = &platform,
                             .facts.o = &options,
                             .facts.recipe = RECIPE_LFENCE,
                             .facts.probed = RECIPE_LFENCE,
                             .facts.tsc_hz = HZ,
                             .memory = memory};
    probe_run(&engine, &probe);
    assert_int_equal(engine.facts.execution, EXEC_SILICON);
}

TEST(a_point_of_the_recipe_in_use_is_known_to_half_a_core_cycle)
{
    static const double steps[] = {1, 2, 26, 40};

    EACH_CASE (c, steps) {
        probe_core_of(*c, 0.61, 100, 0);
        assert_close(engine.facts.step, *c, 1e-9);
        assert_close(engine.facts.ticks_per_cycle, 0.61, 0.001);
        assert_int_equal(probe.recipe[RECIPE_LFENCE].groups, 4 * 8); /* placements, rounds */
        assert_true(probe.recipe[RECIPE_LFENCE].line.straight);
        for (unsigned i = 2; i < LINEARITY_POINTS; i++) {
            const struct linearity_point *p = &probe.recipe[RECIPE_LFENCE].point[i];
            assert_close(p->cycles, 0, 0.5);
            assert_true(p->half <= 0.5 || p->adds == 1000);
        }
        assert_int_equal(probe_judge(&engine, &probe).result, SELFTEST_PASS);
    }
}

TEST(a_bend_is_found)
{
    probe_core_of(26, 0.61, 100, 8);
    assert_int_equal(probe_judge(&engine, &probe).result, SELFTEST_FAIL);
    probe_core_of(26, 0.61, 100, 0.5);
    assert_int_equal(probe_judge(&engine, &probe).result, SELFTEST_PASS);
}

/* Two budgets, of the table and of the regression, and the time to learn the cost of a window; or
 * the fewest windows that a table can have. */
TEST(recipes_that_are_not_in_use_have_a_bounded_time)
{
    static const double exits[] = {100, 1000, 10000, 70000};
    static const unsigned least =
        4 * 2 * 2 * ENGINE_BLOCK; /* placements, iterations, forward and back */

    EACH_CASE (c, exits) {
        probe_core_of(26, 0.61, *c, 0);
        for (unsigned r = 0; r < RECIPE_COUNT; r++) {
            if (r == RECIPE_LFENCE || probe.recipe[r].why_not)
                continue;
            bool fewest = probe.recipe[r].windows == least;
            assert_true(probe.recipe[r].windows >= least && probe.recipe[r].windows <= 2048);
            assert_true(probe.recipe[r].growing >= 2 && probe.recipe[r].growing <= 64);
            assert_true(fewest || spent[r] <= 3 * growing_ticks(&engine));
        }
        assert_int_equal(probe.recipe[RECIPE_PLAIN].windows, 2048);
    }
    assert_int_equal(probe.recipe[RECIPE_CPUID].windows, least);
    assert_int_equal(probe.recipe[RECIPE_CPUID].growing, 2);
}

TEST(windows_are_rounded_up_to_equal_rounds)
{
    static const size_t asked[][2] = {{1, 32},      {32, 32},     {33, 64},    {64, 64},
                                      {512, 512},   {513, 576},   {576, 576},  {750, 768},
                                      {1024, 1024}, {1025, 1056}, {2048, 2048}};

    EACH_CASE (c, asked)
        assert_int_equal(interleave_windows((*c)[0]), (*c)[1]);
}
