#include "kernel/machine/machine.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/features.h"

#define BUSY_US 5000 /* a P-state changes within some hundred us, HWP's within a few ms */

static void count_smis(struct core_controls *q)
{
    struct counter_access access = counter_access_here();
    struct core_counters has;

    core_counters_decode(&has, cpuid_here, NULL);
    const char *why = core_counter_start(&core_current()->smis, &has, COUNT_SMIS, &access);
    if (why)
        q->smi_why_not = why;
}

/* Runs on the core itself, with its settings. The other cores sleep. */
static void measure_clock(struct machine *m, unsigned core)
{
    struct core_clock *k = &m->controls.core[core].clock;
    struct counter_access access = counter_access_here();
    struct core_counters has;

    core_counters_decode(&has, cpuid_here, NULL);
    k->measured = true;
    k->why_not = aperf_busy(&k->grown, &has, &access, cores_ticks(&m->cores, BUSY_US));
    k->has_status =
        controls_status(&m->controls.core[core].of[CONTROL_FREQ], &m->cpu, &msr_here, &k->status);
}

/* Runs on the core itself. */
static void apply_here(void *ctx, unsigned core)
{
    struct machine *m = ctx;
    struct core_controls *q = &m->controls;

    if (q->smi_event)
        count_smis(q);
    controls_plan(&q->core[core], &m->handoff->options, &m->cpu, cpuid_here, NULL, &msr_here);
    controls_apply(&q->core[core], &msr_here);
    if (core == 0 || m->handoff->options.freq != FREQ_KEEP)
        measure_clock(m, core);
}

/* Runs on the core itself, too. */
static void restore_here(void *ctx, unsigned core)
{
    struct core_controls *q = ctx;
    struct counter_access access = counter_access_here();

    if (!controls_restore(&q->core[core], &msr_here))
        q->stuck = true;
    if (!core_counter_stop(&core_current()->smis, &access))
        q->stuck = true;
}

static void count_failures(struct core_controls *q, const struct controls *core)
{
    q->cores++;
    for (unsigned i = 0; i < CONTROL_IDS; i++)
        q->failed[i] += core->of[i].asked && !core->of[i].in_force;
}

const char *core_controls_apply_all(struct machine *m)
{
    const struct options *o = &m->handoff->options;
    struct core_controls *q = &m->controls;
    struct cores *all = &m->cores;
    bool asked = o->turbo == SETTING_OFF || o->prefetch == SETTING_OFF || o->freq != FREQ_KEEP;
    uint64_t smis;

    *q = (struct core_controls){.core = arena_take(&m->arena, all->count * sizeof(*q->core))};
    if (!q->core)
        return "the cores' settings: the arena is too small";
    q->smi_counter = features_smi_counter(&m->cpu) && msr_read(MSR_SMI_COUNT, &smis);
    q->c1e = controls_c1e(&m->cpu, &msr_here, &q->has_c1e);
    q->smi_event = features_smi_event(&m->cpu);
    apply_here(m, 0);
    count_failures(q, &q->core[0]);
    for (unsigned i = 1; (asked || q->smi_event) && i < all->count; i++)
        if (!all->facts[i].why_not && !cores_run(all, i, apply_here, m))
            count_failures(q, &q->core[i]);
    q->smi_counter = q->smi_counter || (q->smi_event && !q->smi_why_not);
    return NULL;
}

void core_controls_restore_all(struct machine *m, bool others)
{
    struct core_controls *q = &m->controls;

    if (!q->core)
        return;
    restore_here(q, 0);
    for (unsigned i = 1; others && i < m->cores.count; i++) {
        if ((q->core[i].keeps > 0 || q->smi_event) && !m->cores.facts[i].why_not)
            (void)cores_run(&m->cores, i, restore_here, q);
        q->stuck = q->stuck || q->core[i].keeps > 0;
    }
}

const char *core_controls_prefetch(const struct platform *p, unsigned core, bool off,
                                   const char **why)
{
    struct machine *m = p->context;
    struct controls *c = &m->controls.core[core];
    struct control *s = &c->of[CONTROL_PREFETCH];

    if (!s->control && !s->why_not) /* no option changes anything on this core */
        controls_plan(c, &m->handoff->options, &m->cpu, cpuid_here, NULL, &msr_here);
    *why = s->why_not;
    if (off)
        *why = controls_prefetch_off(c, &msr_here);
    else if (!controls_prefetch_back(c, &msr_here))
        m->controls.stuck = true;
    if (!s->control || (off && *why))
        return NULL;
    if (s->now == 0)
        return "on";
    return s->now == s->mask ? "off" : "partly off";
}

uint64_t core_controls_smis(void)
{
    const struct core_counter *event = &core_current()->smis;
    struct counter_access access = counter_access_here();
    uint64_t smis = 0;

    if (event->steps > 0)
        (void)core_counter_read(event, &access, &smis);
    else
        (void)msr_read(MSR_SMI_COUNT, &smis);
    return (uint32_t)smis;
}
