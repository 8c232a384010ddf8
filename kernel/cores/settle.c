#include "kernel/cores/settle.h"
#include "kernel/cores/inspect.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/registers.h"
#include "kernel/trap/traps.h"

void settle_like_boot(struct cores *c)
{
    c->registers = (struct core_registers){.cr4 = read_cr4(), .efer = rdmsr(MSR_EFER)};
}

/* Sets the registers as on the boot core; LA57 and long mode are already set. XCR0 gets what this
 * core supports. */
static void set_registers(const struct core_registers *boot)
{
    cpu_setup();
    wrmsr(MSR_EFER, boot->efer);
    write_cr4(boot->cr4 & ~CR4_MCE); /* mce_enable() sets it after clearing the banks */
    cpu_setup_paging();
}

/* Finds the core's number by its APIC id. Returns NULL, or why the core cannot be used. */
static const char *identify(struct core *c)
{
    const struct cores *all = c->cores;
    const char *why_not = c->origin->join_apic(&all->given.irq->lapic, &c->apic_id);
    unsigned i = cores_find(&all->list, c->apic_id);

    if (why_not)
        return why_not;
    if (i == 0 || i == all->count)
        return "a core arrived whose APIC id is not in the list";
    c->index = i;
    return NULL;
}

const char *core_settle(struct core *c, struct settled *was)
{
    struct cores *all = c->cores;
    const char *why_not;

    core_load(c);
    traps_load();
    set_registers(&all->registers);
    paging_use(all->given.paging, c, false);
    why_not = identify(c);
    if (why_not)
        return why_not;
    was->irq = c->origin->mask(c);
    was->mce = mce_enable(all->given.cpu);
    was->lfence = lfence_make_serializing(all->given.cpu);
    __atomic_add_fetch(&all->lvt_stuck, was->irq.lvt_stuck, __ATOMIC_RELAXED);
    if (was->lfence != all->given.lfence)
        __atomic_add_fetch(&all->lfence_not, 1, __ATOMIC_RELAXED);
    core_inspect(c);
    return NULL;
}

void core_unsettle(const struct core *c, const struct settled *was)
{
    lfence_restore(was->lfence);
    if (was->irq.lapic.present)
        irq_restore_lent(&was->irq);
    mce_restore(&was->mce, c->cores->given.cpu);
}
