#include "tests/unit/bench/made_core.h"
#include "bench/engine/guard.h"
#include "bench/engine/poll.h"
#include "bench/engine/cycle.h"
#include "bench/engine/interleave.h"
#include "bench/engine/witness.h"
#include "lib/stats/mathx.h"

#define PAGE 4096

struct made_core core;
static uint64_t memory[INTERLEAVE_NEED];

/* --- the platform ----------------------------------------------------------------------------- */

struct cpuid_regs made_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    return (struct cpuid_regs){0};
}

static bool area_map(const struct platform *p, const struct platform_wish *wish,
                     struct platform_area *area, const char **why)
{
    *why = "no memory is made";
    core.wish = *wish;
    if (core.area == 0)
        return false;
    core.areas++;
    *area = (struct platform_area){.bytes = wish->bytes < core.area ? wish->bytes : core.area,
                                   .page = wish->page};
    area->at = aligned_alloc(PAGE, (area->bytes + PAGE - 1) / PAGE * PAGE);
    assert_non_null(area->at);
    area->code = wish->code ? area->at : NULL; /* only its addresses are used */
    return true;
}

static bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                         const char **why)
{
    *why = "no code is executed";
    core.executable = execute;
    return !(execute && core.no_code);
}

static void area_free(const struct platform *p, struct platform_area *area)
{
    core.areas--;
    free(area->at);
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    core.began = tsc_now();
}

static void row_longer(const struct platform *p, unsigned ms)
{
    core.ms = ms;
}

static void row_end(const struct platform *p)
{
}

static uint64_t nmis(void)
{
    return core.polls;
}

/* --- the rest of bench/ ----------------------------------------------------------------------- */

uint32_t witness_adds(uint32_t iterations)
{
    core.evicts = true;
    return (uint32_t)(60 + 64 * iterations * MADE_TPC);
}

struct cycle_mark cycle_begin(struct engine *e)
{
    return (struct cycle_mark){0};
}

struct cycle_mark cycle_end(struct engine *e)
{
    return (struct cycle_mark){0};
}

double cycle_ratio(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to)
{
    return UNKNOWN;
}

bool poll_go_on(const struct engine *e)
{
    core.poll.stopped = ++core.polls == core.stop_at;
    return !core.poll.stopped;
}

void poll_show(const struct engine *e, double done)
{
    assert_true(done >= 0 && done <= 1);
    double ticks = (double)(tsc_now() - core.began);
    if (done > 0 && ticks / done > core.promised)
        core.promised = ticks / done;
}

bool guard_run(const struct engine *e, struct outcome *out, void (*fn)(void *ctx), void *ctx)
{
    fn(ctx);
    return true;
}

struct plan_core *plan_core(struct plan *plan, unsigned number)
{
    assert_int_equal(number, 0);
    return plan->core;
}

const char *plan_on(struct plan *plan, unsigned k, void (*fn)(void *, unsigned), void *ctx)
{
    assert_int_equal(k, 0);
    fn(ctx, 0);
    return plan->core->back ? NULL : "it did not come back";
}

/* --- for tests -------------------------------------------------------------------------------- */

void made_core_reset(enum execution execution)
{
    static const struct cpu cpu = {.vendor = VENDOR_AMD, .max_ext_leaf = 0x8000001e, .tsc = true};

    core = (struct made_core){.area = 1 << 20};
    options_default(&core.options);
    core.platform = (struct platform){.cpu = &cpu,
                                      .cpuid = made_cpuid,
                                      .areas.map = area_map,
                                      .areas.free = area_free,
                                      .areas.execute = area_execute,
                                      .row.begin = row_begin,
                                      .row.longer = row_longer,
                                      .row.end = row_end,
                                      .events.nmis = nmis};
    core.core.engine = (struct engine){.p = &core.platform,
                                       .memory = memory,
                                       .step_cycles = 1,
                                       .facts = {.o = &core.options,
                                                 .execution = execution,
                                                 .ticks_per_instruction = 2,
                                                 .ticks_per_cycle = MADE_TPC,
                                                 .tsc_hz = MADE_HZ,
                                                 .step = 1,
                                                 .cycle = {.by = CYCLES_RULER}}};
    core.plan = (struct plan){.p = &core.platform, .core = &core.core, .poll = &core.poll};
}

bool always(void)
{
    return true;
}

bool now_and_then(void)
{
    static unsigned readings;

    return ++readings % 5 == 0;
}
