#include "kernel/cores/cores.h"
#include "kernel/cores/lent.h"
#include "kernel/cores/park.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/lfence.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/mtrr_read.h"
#include "kernel/devices/irq.h"
#include "kernel/devices/lapic.h"
#include "kernel/machine/machine.h"
#include "lib/cpu/features.h"

#define MSR_TSC_ADJUST   0x3b /* SDM vol. 3B section 18.17.3 */
#define MSR_PATCH_LEVEL  0x8b /* IA32_BIOS_SIGN_ID; AMD APM vol. 2 appendix A: PATCH_LEVEL */
#define MSR_EFER         0xc0000080
#define CR4_MCE          (1ull << 6)
#define CR4_OSXSAVE      (1ull << 18)
#define LEAF7_TSC_ADJUST (1u << 1)  /* EBX */
#define LEAF1_OSXSAVE    (1u << 27) /* ECX; says what CR4 has, not what the core can */
#define LEAF7_OSPKE      (1u << 4)  /* ECX; the same */

static struct machine *machine;
static struct {
    uint64_t cr4, efer, xcr0;
} boot;

static uint64_t xcr0_read(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static void xcr0_write(uint64_t v)
{
    __asm__ volatile("xsetbv" : : "a"((uint32_t)v), "d"((uint32_t)(v >> 32)), "c"(0));
}

void core_setup_init(struct machine *m)
{
    machine = m;
    boot.cr4 = read_cr4();
    boot.efer = rdmsr(MSR_EFER);
    if (boot.cr4 & CR4_OSXSAVE)
        boot.xcr0 = xcr0_read();
}

/* --- facts ------------------------------------------------------------------------------------ */

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
        /* SDM vol. 3A section 10.11.7.1: the revision is put there by CPUID. */
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

void core_read_facts(struct machine *m, const struct core *c)
{
    struct core_facts *f = &m->cores.facts[c->index];
    struct core_texts *t = &m->cores.texts[c->index];
    struct core_features features = read_features();
    struct core_place *place = &m->cores.place[c->index];
    struct mtrr mtrr;

    topology_place(place, &m->cpu, cpuid_here, NULL);
    f->apic_id = c->apic_id;
    f->package = place->package;
    f->core = place->core;
    f->thread = place->thread;
    if (place->type != CORE_TYPE_UNKNOWN)
        f->type = core_type_names[place->type];
    f->microcode = read_microcode(&m->cpu);
    read_tsc_adjust(f);
    if (c == m->core) {
        m->cores.features = features;
        return;
    }
    if (cores_differ_features(&m->cores.features, &features, t->features, sizeof t->features))
        f->features = t->features;
    if (m->has_mtrr && mtrr_read(&mtrr, &m->cpu) &&
        cores_differ_mtrr(&m->mtrr, &mtrr, t->mtrr, sizeof t->mtrr))
        f->mtrr = t->mtrr;
}

/* --- arrival ---------------------------------------------------------------------------------- */

/* As on the boot core; LA57, long mode and the tables are already. What XCR0 was. */
static uint64_t set_registers(void)
{
    uint64_t xcr0 = 0;

    cpu_setup();
    wrmsr(MSR_EFER, boot.efer);
    write_cr4(boot.cr4 & ~CR4_MCE);
    if (boot.cr4 & CR4_OSXSAVE) {
        xcr0 = xcr0_read();
        xcr0_write(boot.xcr0);
    }
    cpu_setup_paging();
    return xcr0;
}

/* Who this is, by its own APIC. NULL, or why it cannot be used. */
static const char *identify(struct core *c,
                            const char *(*apic)(const struct lapic *l, uint32_t *id))
{
    const char *why_not = apic(&machine->irq.lapic, &c->apic_id);
    unsigned i = cores_find(&machine->cores.list, c->apic_id);

    if (why_not)
        return why_not;
    if (i == 0 || i == machine->cores.count)
        return "a core arrived whose APIC id is not in the list";
    c->index = i;
    return NULL;
}

/* Its LFENCE, and what it tells of itself; from here on it can be called. */
static enum lfence_state settle(struct core *c, const struct irq_masked *masked)
{
    struct cores *cores = &machine->cores;
    enum lfence_state lfence = lfence_make_serializing(&machine->cpu);

    __atomic_add_fetch(&cores->lvt_stuck, masked->lvt_stuck, __ATOMIC_RELAXED);
    if (lfence != machine->lfence)
        __atomic_add_fetch(&cores->lfence_not, 1, __ATOMIC_RELAXED);
    core_read_facts(machine, c);
    return lfence;
}

/* Until it is sent home, which befalls none but the firmware's. */
static void serve(struct core *c)
{
    __atomic_store_n(&machine->cores.core[c->index], c, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&machine->cores.up, 1, __ATOMIC_SEQ_CST);
    while (!c->go_home) {
        park_sleep(c);
        core_work(c);
    }
}

void core_arrive(struct core *c)
{
    struct irq_masked masked;
    const char *why_not;

    core_load(c);
    traps_load();
    (void)set_registers();
    why_not = identify(c, lapic_follow);
    if (why_not) {
        machine->cores.lost = why_not;
        cpu_halt();
    }
    park_accept();
    masked = irq_mask_core(&machine->irq);
    (void)mce_enable(&machine->cpu);
    (void)settle(c, &masked);
    serve(c);
}

_Noreturn void core_arrive_lent(struct core *c)
{
    struct lent_core *l = c->lent;

    core_load(c);
    traps_load();
    l->xcr0 = set_registers();
    paging_use(&machine->paging, c, false);
    l->why_not = identify(c, lapic_is_alike);
    if (l->why_not)
        lent_leave(c);
    l->irq = irq_mask_lent(&machine->irq);
    park_accept();
    l->mce = mce_enable(&machine->cpu);
    l->lfence = settle(c, &l->irq);
    serve(c);
    lent_leave(c);
}

void core_unsettle(struct core *c)
{
    const struct lent_core *l = c->lent;

    lfence_restore(l->lfence);
    if (l->irq.lapic.present)
        irq_restore_lent(&l->irq);
    mce_restore(&l->mce, &machine->cpu);
    if (l->xcr0) /* bit 0 is always set where it was read */
        xcr0_write(l->xcr0);
}
