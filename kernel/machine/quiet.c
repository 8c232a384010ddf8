#include "kernel/machine/quiet.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"
#include "kernel/machine/machine.h"
#include "lib/cpu/features.h"

#define MSR_SMI_COUNT 0x34 /* SDM vol. 4 table 2-15: bits 31:0 */

uint64_t quiet_cost(unsigned cores)
{
    return arena_cost(cores * sizeof(struct quiet));
}

/* On the core itself. */
static void settle(void *ctx, unsigned core)
{
    struct machine *m = ctx;
    struct msr_access here = msr_here();
    struct quiet *q = &m->quiet.core[core];

    quiet_plan(q, &m->handoff->options, &m->cpu, cpuid_here, NULL, &here);
    quiet_apply(q, &here);
}

static void unsettle(void *ctx, unsigned core)
{
    struct machine *m = ctx;
    struct msr_access here = msr_here();

    if (!quiet_restore(&m->quiet.core[core], &here))
        m->quiet.stuck = true;
}

static void count_failures(struct quieted *q, const struct quiet *core)
{
    q->cores++;
    for (unsigned i = 0; i < QUIET_IDS; i++)
        q->failed[i] += core->of[i].asked && !core->of[i].in_force;
}

const char *machine_quiet(struct machine *m)
{
    const struct options *o = &m->handoff->options;
    struct quieted *q = &m->quiet;
    struct msr_access here = msr_here();
    bool asked = o->turbo == SETTING_OFF || o->prefetch == SETTING_OFF || o->freq != FREQ_KEEP;
    uint64_t smis;

    q->core = arena_take(&m->arena, m->cores.count * sizeof(*q->core));
    if (!q->core)
        return "the cores' settings: the arena is too small";
    q->smi_counter = features_smi_counter(&m->cpu) && msr_read(MSR_SMI_COUNT, &smis);
    q->c1e = quiet_c1e(&m->cpu, &here, &q->c1e_known);
    settle(m, 0);
    count_failures(q, &q->core[0]);
    for (unsigned i = 1; asked && i < m->cores.count; i++) {
        if (m->cores.facts[i].why_not || core_run(i, settle, m))
            continue;
        count_failures(q, &q->core[i]);
    }
    return NULL;
}

void machine_unquiet(struct machine *m, bool others)
{
    struct quieted *q = &m->quiet;

    if (!q->core)
        return;
    unsettle(m, 0);
    for (unsigned i = 1; others && i < m->cores.count; i++) {
        if (q->core[i].keeps > 0 && !m->cores.facts[i].why_not)
            (void)core_run(i, unsettle, m);
        q->stuck = q->stuck || q->core[i].keeps > 0;
    }
}

uint64_t quiet_smis(void)
{
    uint64_t smis;

    (void)msr_read(MSR_SMI_COUNT, &smis);
    return (uint32_t)smis;
}
