#include "kernel/cores/smp.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/features.h"
#include "lib/cpu/tsc_rate.h"

#define CALL_US    1000000 /* limit of the first call, which does nothing */
#define HOLD_US    50000   /* time that MWAIT must hold a core; an emulator may run it late */
#define EARLY_MOST 100    /* early ends of MWAIT tolerated in a test: interrupts and NMIs are few */
#define OWN_US     100000 /* limit of an interrupt that the boot core sends to itself */

#define LEAF7_TSC_ADJUST (1u << 1) /* EBX */
/* These bits reflect CR4, not what the core supports. */
#define LEAF1_OSXSAVE (1u << 27) /* ECX */
#define LEAF7_OSPKE   (1u << 4)  /* ECX */

/* --- the list --------------------------------------------------------------------------------- */

/* The lists of struct cores, one entry per core, for the functions that count or allocate
 * them. */
#define LISTS(X) X(made) X(core) X(facts) X(texts) X(place) X(list.id)

/* Returns the bytes of arena that make_list() takes for this number of cores. */
static uint64_t list_cost(unsigned cores)
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

/* Makes the list from the MADT or from MP services; it includes the boot core. False: the arena is
 * too small. */
static bool make_list(struct cores *c)
{
    const struct handoff *h = c->given.handoff;
    const struct madt *madt = c->given.madt;
    const struct lapic *lapic = &c->given.irq->lapic;
    struct cores_known known = {.cpu = h->mp_cpu, .cpus = h->mp_cpus, .left_out = h->mp_left_out};

    if (!take_lists(c))
        return false;
    c->from = "mp_services";
    if (madt && madt->cpus_enabled > 0) {
        known = (struct cores_known){madt->cpu,           madt->cpus, madt->cpus_empty,
                                     madt->cpus_left_out, h->mp_cpu,  h->mp_cpus};
        if (h->mp_left_out)
            known.mets = 0;
        c->from = "madt";
    }
    cores_list(&c->list, &known, lapic->present ? lapic->id : core_apic_id());
    c->count = c->list.count;
    c->core[0] = c->given.boot;
    c->core[0]->apic_id = c->list.id[0];
    for (unsigned i = 0; i < c->count; i++) {
        c->facts[i].apic_id = c->list.id[i];
        c->facts[i].node = numa_of_cpu(&h->numa, c->list.id[i]);
        c->facts[i].why_not = i > 0 ? "not started" : NULL;
    }
    return true;
}

/* --- on each core: setting it up like the boot core, reading its properties ------------------- */

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

/* Fills the entries of place, facts and texts of the core `c`, on which it runs, once its number is
 * known; on the boot core first. */
static void inspect(const struct core *c)
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
    if (!all->given.handoff->numa.from)
        f->node = place->node;
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
    inspect(c);
    return NULL;
}

/* --- from the list to cores that can be called ------------------------------------------------ */

/* Lists the cores that get their own buffers (share=together). False: no core does. */
static bool have_buffers(struct core_list *named, const struct options *o)
{
    return o->share == SHARE_TOGETHER && core_list_parse(named, o->cores);
}

uint64_t cores_cost(const struct handoff *h)
{
    struct core_list named;
    unsigned cores = h->cores;
    uint64_t buffers =
        have_buffers(&named, &h->options) ? core_list_count(&named, cores) * paging_own_cost(h) : 0;

    return list_cost(cores) + (cores - 1) * core_cost(CORE_STACK_SIZE) + buffers;
}

/* Chooses HLT where MWAIT is requested but not available; `refused` says why. */
static struct parking choose_parking(const struct cpu *cpu, const struct lapic *lapic,
                                     enum park asked)
{
    struct parking p = {.lapic = lapic};

    p.timer_stops = feature_lacks(FEATURE_ARAT, cpuid_here, NULL);
    if (asked == PARK_DEEP)
        p.refused = cstates_deepest(&p.hint, cpu, cpuid_here, NULL);
    else if (asked == PARK_MWAIT && !cpu->monitor)
        p.refused = "this CPU has no MONITOR (CPUID 1 ECX[3])";
    /* SDM vol. 2A CPUID, leaf 5: the largest line that MONITOR watches, in bytes. */
    if (asked != PARK_HLT && !p.refused && (cpuid(5, 0).ebx & 0xffff) > CORE_LINE)
        p.refused = "MONITOR watches more bytes than a core has to itself";
    p.how = p.refused ? PARK_HLT : asked;
    return p;
}

/* Returns whether a wake-up interrupt of the running core to itself arrives within `ticks`. */
static bool gets_own_wake(struct core *c, uint64_t ticks)
{
    return park_wake(c) && park_await(c, ticks);
}

/* Returns NULL, or why no other core can be used. */
static const char *find_obstacle(struct cores *c)
{
    struct core *boot = c->given.boot;
    const char *why_not;

    if (!c->given.irq->lapic.present)
        return "the boot core's APIC cannot be used";
    why_not = c->origin->refused(c);
    if (why_not)
        return why_not;
    c->parking = choose_parking(c->given.cpu, &c->given.irq->lapic, c->given.handoff->options.park);
    boot->parking = &c->parking;
    park_accept(boot->parking);
    if (!gets_own_wake(boot, cores_ticks(c, OWN_US)))
        return "the boot core does not get the interrupt that it sends to itself";
    return NULL;
}

/* Makes a struct core with its stacks for each core of the list. */
static const char *make_cores(struct cores *c)
{
    for (unsigned i = 1; i < c->count; i++) {
        struct core *core = core_new(c->given.arena, CORE_STACK_SIZE);
        if (!core)
            return "the arena has no room for their stacks";
        if (!paging_core(c->given.paging, core))
            return "the page tables have no room for the pages below their stacks";
        core->cores = c;
        core->parking = &c->parking;
        core->origin = c->origin;
        c->made[i] = core;
    }
    return NULL;
}

static void name_missing(struct cores *c)
{
    for (unsigned i = 1; i < c->count; i++)
        c->facts[i].why_not = c->core[i] ? NULL : c->origin->why_not(c, i);
}

static void count_call(void *ctx, unsigned core)
{
    (void)core;
    ++*(unsigned *)ctx;
}

static void try_all(struct cores *c)
{
    for (unsigned i = 1; i < c->count; i++) {
        unsigned before = c->called;
        if (c->facts[i].why_not)
            continue;
        if (!cores_try(c, &i, 1, count_call, &c->called, NULL, cores_ticks(c, CALL_US)) ||
            c->called != before + 1)
            c->facts[i].why_not = "it started, but does not wake when it is called";
        else if (!time_compare_tsc(c, i))
            c->facts[i].why_not = "its TSC could not be compared with the boot core's";
    }
}

/* Returns whether MWAIT holds `c`, which is parked, for this many ticks. An emulator's MWAIT
 * returns at once, so the core would run its loop all the time. */
static bool is_held_by_mwait(const struct core *c, uint64_t ticks)
{
    uint64_t before = c->early;

    return !WAIT_FOR(c->early - before >= EARLY_MOST, ticks);
}

/* Switches all n cores to HLT, parked ones too, and sets `refused`. */
static void give_up_mwait(struct parking *p, struct core *const *cores, unsigned n)
{
    p->how = PARK_HLT;
    p->refused = "MWAIT returns at once here, as an emulator's does";
    for (unsigned i = 0; i < n; i++) /* a write to its line ends a running MWAIT */
        if (cores[i])
            __atomic_fetch_add(&cores[i]->wakes, 0, __ATOMIC_SEQ_CST);
}

/* A core that does not stay parked disturbs the one that measures. Testing one core is enough. */
static void try_mwait(struct cores *c)
{
    unsigned i = 1;

    while (i < c->count && c->facts[i].why_not)
        i++;
    if (c->parking.how != PARK_HLT && i < c->count &&
        !is_held_by_mwait(c->core[i], cores_ticks(c, HOLD_US)))
        give_up_mwait(&c->parking, c->core, c->count);
}

/* How long a parked core takes to begin: in a deep state perhaps milliseconds. */
static void time_wakes(struct cores *c)
{
    int64_t ticks;

    for (unsigned i = 1; i < c->count; i++) {
        if (c->facts[i].why_not)
            continue;
        if (!time_wake(c, i, &ticks))
            c->facts[i].why_not = "it did not wake from a longer sleep";
        else if (ticks > (int64_t)c->wake_most)
            c->wake_most = (uint64_t)ticks;
    }
}

static const char *make_buffers(struct cores *c)
{
    struct core_list named;

    if (!have_buffers(&named, &c->given.handoff->options))
        return NULL;
    for (unsigned i = 1; i < c->count; i++)
        if (!c->facts[i].why_not && core_list_has(&named, i) &&
            !paging_own(c->given.paging, c->given.arena, c->core[i]))
            return "share=together: the arena has no room for each core's buffers";
    return NULL;
}

const char *cores_bring_up(struct cores *c)
{
    uint64_t began = rdtsc();

    c->given.boot->cores = c;
    c->origin = handoff_starts_cores(c->given.handoff) ? &core_started : &core_lent;
    c->cr4 = read_cr4();
    c->efer = rdmsr(MSR_EFER);
    if (!make_list(c))
        return "the list of cores: the arena is too small";
    inspect(c->given.boot);
    for (unsigned i = 1; i < c->count; i++)
        c->place[i] = c->place[0]; /* until inspect() runs on the core */
    if (c->count == 1)
        return NULL;
    c->why_alone = find_obstacle(c);
    if (!c->why_alone)
        c->why_alone = make_cores(c);
    if (!c->why_alone)
        c->why_alone = c->origin->bring(c);
    if (!c->why_alone) {
        name_missing(c);
        try_all(c);
        try_mwait(c);
        time_wakes(c);
    }
    c->start_ticks = rdtsc() - began;
    return make_buffers(c);
}

/* --- for all users ---------------------------------------------------------------------------- */

uint64_t cores_ticks(const struct cores *c, uint64_t microseconds)
{
    uint64_t hz = c->given.tsc_hz ? c->given.tsc_hz : TSC_HZ_MAX;

    return microseconds * (hz / 1000) / 1000;
}
