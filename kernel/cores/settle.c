#include "kernel/cores/smp.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/features.h"

#define LEAF7_TSC_ADJUST (1u << 1) /* EBX */
/* These bits reflect CR4, not what the core supports. */
#define LEAF1_OSXSAVE (1u << 27) /* ECX */
#define LEAF7_OSPKE   (1u << 4)  /* ECX */

static struct core_features read_features(void)
{
    struct cpuid_regs one = cpuid(1, 0), seven = {0}, seven_one = {0}, extended = {0};

    if (cpuid(0, 0).eax >= 7) {
        seven = cpuid(7, 0);
        if (seven.eax >= 1)
            seven_one = cpuid(7, 1);
    }
    if (cpuid(0x80000000, 0).eax >= 0x80000001)
        extended = cpuid(0x80000001, 0);
    return (struct core_features){{one.ecx & ~LEAF1_OSXSAVE, one.edx, seven.ebx,
                                   seven.ecx & ~LEAF7_OSPKE, seven.edx, seven_one.eax, extended.ecx,
                                   extended.edx}};
}

static uint32_t read_microcode(const struct cpu *cpu)
{
    uint64_t v;

    if (cpu->vendor == VENDOR_INTEL) {
        /* SDM vol. 3A section 10.11.7.1: CPUID writes the revision to the MSR. */
        (void)msr_write(MSR_PATCH_LEVEL, 0);
        (void)cpuid(1, 0);
    }
    return msr_read(MSR_PATCH_LEVEL, &v) ? features_microcode(cpu, v) : 0;
}

static void read_tsc_adjust(struct core_facts *f)
{
    uint64_t v;

    if (cpuid(0, 0).eax < 7 || !(cpuid(7, 0).ebx & LEAF7_TSC_ADJUST))
        return;
    f->has_tsc_adjust = msr_read(MSR_TSC_ADJUST, &v);
    f->tsc_adjust = (int64_t)v;
}

/* Records the differences from the boot core. */
static void compare_with_boot_core(const struct cores *all, struct core_facts *f,
                                   struct core_texts *t, const struct core_features *features)
{
    const struct cores_given *g = &all->given;
    struct mtrr mtrr;

    if (cores_differ_features(&all->features, features, t->features, sizeof t->features))
        f->features = t->features;
    if (g->mtrr && mtrr_read(&mtrr, g->cpu) &&
        cores_differ_mtrr(g->mtrr, &mtrr, t->mtrr, sizeof t->mtrr))
        f->mtrr = t->mtrr;
}

void core_inspect(const struct core *c)
{
    struct cores *all = c->cores;
    struct core_facts *f = &all->facts[c->index];
    struct core_place *place = &all->place[c->index];
    struct core_features features = read_features();

    topology_place(place, all->given.cpu, cpuid_here, NULL);
    f->apic_id = c->apic_id;
    f->package = place->package;
    f->core = place->core;
    f->thread = place->thread;
    if (place->type != CORE_TYPE_UNKNOWN)
        f->type = core_type_names[place->type];
    f->microcode = read_microcode(all->given.cpu);
    read_tsc_adjust(f);
    if (c->index == 0)
        all->features = features;
    else
        compare_with_boot_core(all, f, &all->texts[c->index], &features);
}

/* Sets the registers as on the boot core; LA57 and long mode are already set. XCR0 gets what this
 * core supports. */
static void set_registers(const struct cores *all)
{
    cpu_setup();
    wrmsr(MSR_EFER, all->efer);
    write_cr4(all->cr4 & ~CR4_MCE); /* mce_enable() sets it after clearing the banks */
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
    set_registers(all);
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
