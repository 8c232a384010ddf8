#include "kernel/cpu/core.h"
#include "bench/api/tsc.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/msr.h"

static bool read_pmc(void *ctx, uint32_t index, uint64_t *v)
{
    (void)ctx;
    return pmc_read(index, v);
}

static uint64_t read_tsc(void *ctx)
{
    (void)ctx;
    return rdtsc();
}

static void run_chain(void *ctx, uint32_t adds)
{
    (void)ctx;
    chain_adds(adds);
}

struct counter_access counter_access_here(void)
{
    return (struct counter_access){msr_here, NULL, read_pmc, read_tsc, run_chain};
}

static const char *start_counter(struct timer *t)
{
    struct counter_timer *c = t->context;
    const char *why = core_counter_start(&c->counter, &c->of->has, c->event, &c->of->access);

    t->bits = c->counter.bits;
    return why;
}

static enum timer_status read_counter(struct timer *t, uint64_t *count)
{
    struct counter_timer *c = t->context;

    return core_counter_read(&c->counter, &c->of->access, count) ? TIMER_OK : TIMER_FAILED;
}

static void stop_counter(struct timer *t)
{
    struct counter_timer *c = t->context;

    c->of->stuck = !core_counter_stop(&c->counter, &c->of->access) || c->of->stuck;
}

static void init_counter(struct core_cycles *of, struct counter_timer *c,
                         enum core_counter_event event)
{
    c->of = of;
    c->event = event;
    c->timer = (struct timer){.name = "pmc",
                              .start = start_counter,
                              .read = read_counter,
                              .stop = stop_counter,
                              .context = c};
}

static const char *start_aperf(struct timer *t)
{
    struct core_cycles *c = t->context;

    return aperf_start(&c->ratio, &c->has, &c->access);
}

static enum timer_status count_aperf(struct timer *t, uint64_t *count)
{
    struct core_cycles *c = t->context;

    switch (aperf_read(&c->ratio, &c->access, count)) {
    case APERF_OK:
        return TIMER_OK;
    case APERF_AGAIN:
        return TIMER_AGAIN;
    case APERF_FAILED:
        break;
    }
    return TIMER_FAILED;
}

static void init(struct core_cycles *c)
{
    *c = (struct core_cycles){
        .access = counter_access_here(),
        .aperf =
            {.name = "aperf", .start = start_aperf, .read = count_aperf, .bits = 64, .context = c},
    };
    init_counter(c, &c->pmc, COUNT_CYCLES);
    init_counter(c, &c->retired, COUNT_INSTRUCTIONS);
    core_counters_decode(&c->has, cpuid_here, NULL);
}

struct timer *core_cycles_retired(void *context, const char **why)
{
    struct core_cycles *c = &core_current()->cycles;

    (void)context;
    if (!c->pmc.of)
        init(c);
    *why = core_counter_absent(&c->has);
    return *why ? NULL : &c->retired.timer;
}

struct timer *core_cycles_timer(struct core_cycles *c, unsigned id, const char **why)
{
    bool aperf = id == CYCLE_APERF;

    if (!c->pmc.of)
        init(c);
    if (id == CYCLE_PERF) {
        *why = timer_of_a_process;
        return NULL;
    }
    if (!aperf && id != CYCLE_PMC)
        return cycle_plain(id, cpu_has_rdtscp(cpuid_here, NULL), why);
    *why = aperf ? aperf_absent(&c->has) : core_counter_absent(&c->has);
    return *why ? NULL : aperf ? &c->aperf : &c->pmc.timer;
}
