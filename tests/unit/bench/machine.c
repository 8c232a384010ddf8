#include "tests/unit/bench/machine.h"
#include "tests/unit/one_tsc.h"
#include <pthread.h>
#include "bench/api/registry.h"
#include "bench/engine/engine.h"
#include "bench/engine/witness.h"
#include "bench/kinds/kinds.h"
#include "lib/stats/witness_rule.h"

#define PAGE 4096

struct machine machine;

/* Without a row there is no registry. Its kind has the memory that rows of several cores use. */
static size_t shared_memory(const struct options *o, unsigned all)
{
    return 1 << 20;
}

static const struct kind kind_none = {.name = "none", .memory = shared_memory};
BENCH(machine, none, .kind = &kind_none);

/* --- the platform ----------------------------------------------------------------------------- */

struct cpuid_regs machine_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    return (struct cpuid_regs){0};
}

static bool area_map(const struct platform *p, const struct platform_wish *wish,
                     struct platform_area *area, const char **why)
{
    *why = "no memory is made";
    machine.wish = *wish;
    machine.asked[wish->node]++;
    if (machine.area == 0)
        return false;
    machine.areas++;
    *area = (struct platform_area){.bytes = wish->bytes < machine.area ? wish->bytes : machine.area,
                                   .page = wish->page,
                                   .node = wish->node ? (int)wish->node - 1 : 0};
    area->at = aligned_alloc(PAGE, (area->bytes + PAGE - 1) / PAGE * PAGE);
    assert_non_null(area->at);
    area->code = wish->code ? area->at : NULL; /* only its addresses are used */
    return true;
}

static bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                         const char **why)
{
    *why = "no code is executed";
    machine.executable = execute;
    return !(execute && machine.no_code);
}

static void area_free(const struct platform *p, struct platform_area *area)
{
    machine.areas--;
    free(area->at);
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    machine.began = tsc_now();
}

static void row_longer(const struct platform *p, unsigned ms)
{
    machine.ms = ms;
}

static void row_end(const struct platform *p)
{
}

static uint64_t nmis(void)
{
    return machine.guarded;
}

static bool guarded(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    if (++machine.guarded == machine.stop_at) {
        ended->by = GUARD_STOPPED;
        return false;
    }
    fn(ctx);
    return true;
}

static bool stop_key(const struct platform *p)
{
    return false;
}

static const char *lacks(unsigned needs)
{
    return NULL;
}

static void show(void *ctx, double done)
{
    double ticks = (double)(tsc_now() - machine.began);

    assert_true(done >= 0 && done <= 1);
    if (done > 0 && ticks / done > machine.promised)
        machine.promised = ticks / done;
}

/* --- its cores: threads ----------------------------------------------------------------------- */

static _Thread_local unsigned running;

unsigned machine_core(void)
{
    return running;
}

struct task {
    void (*fn)(void *, unsigned);
    void *ctx;
    unsigned core;
};

static void *core_runs(void *argument)
{
    const struct task *t = argument;

    running = t->core;
    if (!machine.absent || t->core != machine.absent)
        t->fn(t->ctx, t->core);
    return NULL;
}

static const char *together(const struct platform *p, const unsigned *list, unsigned n,
                            void (*fn)(void *, unsigned), void *ctx)
{
    pthread_t thread[MACHINE_CORES];
    struct task task[MACHINE_CORES];

    for (unsigned i = 0; i < n; i++) {
        task[i] = (struct task){fn, ctx, list[i]};
        assert_int_equal(pthread_create(&thread[i], NULL, core_runs, &task[i]), 0);
    }
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    return NULL;
}

static const char *run(const struct platform *p, unsigned core, void (*fn)(void *, unsigned),
                       void *ctx)
{
    return together(p, &core, 1, fn, ctx);
}

static uint64_t starved(const struct platform *p, unsigned *core)
{
    *core = machine.absent;
    return machine.starved ? PLATFORM_STARVED_NS : 0;
}

/* --- its clock, and the witness's windows ----------------------------------------------------- */

#define READING  26 /* ticks */
#define OVERHEAD 60
#define WIDTH    4   /* NOPs per core cycle */
#define SHARED   1.6 /* the factor by which a neighbour slows them */

uint64_t tsc_now(void)
{
    return machine.real_time ? __builtin_ia32_rdtsc() : (machine.tsc += READING);
}

static uint32_t window(double cycles)
{
    uint32_t ticks = (uint32_t)(OVERHEAD + cycles * MACHINE_TPC);

    machine.tsc += ticks;
    return ticks;
}

uint32_t witness_nops(uint32_t iterations)
{
    bool shared = machine.is_shared && machine.is_shared();

    return window(iterations * (double)WITNESS_UNIT / WIDTH * (shared ? SHARED : 1));
}

uint32_t witness_adds(uint32_t iterations)
{
    machine.evicts = true;
    return window(iterations * 64.0);
}

/* --- for tests -------------------------------------------------------------------------------- */

static uint64_t *memory;

static void make_plan(enum execution execution)
{
    struct engine boot = {.p = &machine.platform,
                          .step_cycles = 1,
                          .facts = {.o = &machine.options,
                                    .execution = execution,
                                    .ticks_per_instruction = 2,
                                    .ticks_per_cycle = MACHINE_TPC,
                                    .tsc_hz = MACHINE_HZ,
                                    .rounds = 1,
                                    .step = 1,
                                    .cycle = {.by = CYCLES_RULER}}};

    engine_memory(&boot, memory);
    witness_open(&boot);
    machine.plan = plan_make(&boot);
    machine.plan->poll->show = show;
    machine.plan->poll->hz = 1; /* polls and shows as often as it may */
    for (unsigned k = 1; k < machine.plan->all; k++)
        machine.plan->core[k].engine.facts.cycle = boot.facts.cycle;
}

void machine_reset(enum execution execution)
{
    static const struct cpu cpu = {
        .vendor = VENDOR_AMD, .max_leaf = 7, .max_ext_leaf = 0x8000001e, .tsc = true, .sse2 = true};

    machine = (struct machine){.area = 1 << 20, .tsc = 1000000};
    options_default(&machine.options);
    if (!memory)
        memory = calloc(bench_memory_need(&machine.options, MACHINE_CORES), sizeof *memory);
    assert_non_null(memory);
    machine.platform = (struct platform){.cpu = &cpu,
                                         .cpuid = machine_cpuid,
                                         .guarded = guarded,
                                         .lacks = lacks,
                                         .memory = memory,
                                         .user.stop_key = stop_key,
                                         .areas.map = area_map,
                                         .areas.free = area_free,
                                         .areas.execute = area_execute,
                                         .row.begin = row_begin,
                                         .row.longer = row_longer,
                                         .row.end = row_end,
                                         .events.nmis = nmis};
    make_plan(execution);
}

void machine_add_cores(void)
{
    static struct platform_cores cores;

    cores = (struct platform_cores){.count = MACHINE_CORES,
                                    .facts = machine.facts,
                                    .run = run,
                                    .together = together,
                                    .starved = starved};
    enum execution execution = machine.plan->core[0].engine.facts.execution;

    machine.platform.cores = &cores;
    strcpy(machine.options.cores, "all");
    make_plan(execution);
}

void machine_add_node(void)
{
    machine.numa = (struct numa){.from = "made", .nodes = 2, .bytes = {machine.area, machine.area}};
    machine.platform.numa = &machine.numa;
    machine.facts[MACHINE_CORES - 1].node = 1;
}

const struct outcome *machine_measure(const struct bench *b)
{
    return kind_of(b)->measure(machine.plan, b, 0);
}

bool always(void)
{
    return true;
}

/* For a fifth of the time, longer than a reading takes. */
bool now_and_then(void)
{
    return (machine.tsc >> 16) % 5 == 0;
}
