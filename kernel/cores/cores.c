#include "kernel/cores/smp.h"
#include "bench/api/report.h"
#include "kernel/cpu/instructions.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/fmt.h"

/* The lists of struct cores, one entry per core, for the functions that count or allocate them. */
#define LISTS(X) X(made) X(core) X(facts) X(texts) X(place) X(list.id)

uint64_t cores_list_cost(unsigned cores)
{
    uint64_t cost = 0;

#define COUNT(of) cost += arena_cost(cores * sizeof(*((struct cores *)0)->of));
    LISTS(COUNT)
#undef COUNT
    return cost;
}

static bool take_lists(struct cores *c)
{
    unsigned room = c->given.handoff->cores;
    bool all = true;

#define TAKE(of)                                                                                   \
    c->of = arena_take(c->given.arena, room * sizeof(*c->of));                                     \
    all = all && c->of;
    LISTS(TAKE)
#undef TAKE
    c->list.room = room;
    return all;
}

bool cores_make_list(struct cores *c)
{
    const struct handoff *h = c->given.handoff;
    const struct madt *madt = c->given.madt;
    const struct lapic *lapic = &c->given.irq->lapic;
    struct cores_known known = {h->mp_cpu, h->mp_cpus};

    if (!take_lists(c))
        return false;
    c->from = "mp_services";
    if (madt && madt->cpus_enabled > 0) {
        known = (struct cores_known){madt->cpu, madt->cpus};
        c->from = "madt";
    }
    cores_list(&c->list, &known, lapic->present ? lapic->id : core_apic_id());
    c->count = c->list.count;
    c->core[0] = c->given.boot;
    c->core[0]->apic_id = c->list.id[0];
    for (unsigned i = 1; i < c->count; i++) {
        c->facts[i].apic_id = c->list.id[i];
        c->facts[i].why_not = "not started";
    }
    return true;
}

uint64_t cores_ticks(const struct cores *c, uint64_t microseconds)
{
    uint64_t hz = c->given.tsc_hz ? c->given.tsc_hz : TSC_HZ_MAX;

    return microseconds * (hz / 1000) / 1000;
}

void cores_wait(const struct cores *c, uint64_t microseconds)
{
    (void)WAIT_FOR(false, cores_ticks(c, microseconds));
}

void cores_report_end(const struct cores *c, struct report *r)
{
    for (unsigned i = 1; i < c->count; i++) {
        const struct core *core = c->core[i];
        if (!core)
            continue;
        /* If a row ran on it, the row's record reports the fault. */
        if (core->faulted && !core->row_suite) {
            report_eventf(r, "fault", "core %u (APIC id %u): %s", i, core->apic_id, core->fault);
            report_failed(r, "a core", "fault");
        }
        if (core->nmis + core->machine_checks > 0)
            report_eventf(r, "nmi", "core %u (APIC id %u): %llu NMIs or machine checks in all", i,
                          core->apic_id, (unsigned long long)(core->nmis + core->machine_checks));
    }
    r->faulted = r->faulted || c->faulted > 0;
}
