#include "kernel/cores/smp.h"
#include "lib/cpu/tsc_rate.h"

/* At least a minute: the boot core prints its first lines on a slow console before it calls. */
#define CALL_TICKS (60 * TSC_HZ_MAX)
#define SILENCE_US 1000000 /* without an arrival, until the boot core stops waiting */
#define HOME_US    1000000 /* limit for a core to restore its state */

#define FOUR_GIB (4ull << 30)

/* --- the procedure, on the core itself ------------------------------------------------------- */

/* Waits to be called. False: sent home, or not called in time. */
static bool await_call(struct lent_core *l)
{
    if (!WAIT_FOR(lent_state_of(l) != LENT_WAITS, CALL_TICKS))
        (void)change(&l->state, LENT_WAITS, LENT_HOME);
    return lent_state_of(l) == LENT_CALLED;
}

/* Restores what core_settle() changed on this core. */
static void unsettle(const struct core *c, const struct settled *was)
{
    lfence_restore(was->lfence);
    if (was->irq.lapic.present)
        irq_restore_lent(&was->irq);
    mce_restore(&was->mce, c->cores->given.cpu);
}

/* Returns to serve_between(), on the firmware's stack. */
static _Noreturn void go_home(struct core *c)
{
    c->leaving = true;
    unsettle(c, &c->lent->settled);
    entry_return(c->lent->way_back, 0);
}

static void on_own_stack(void *core)
{
    struct core *c = core;

    c->lent->why_not = core_settle(c, &c->lent->settled);
    if (!c->lent->why_not)
        core_serve(c);
    go_home(c);
}

static void serve_between(struct lent_core *l)
{
    cpu_state_cet_off(&l->firmware);
    cpu_setup();
    (void)entry_visit(l->core, l->core->stack_top, on_own_stack, &l->way_back);
    cpu_state_restore(&l->firmware);
    cpu_state_cet_on(&l->firmware);
}

static void visit_kernel(struct lent_core *l)
{
    uint64_t flags = read_rflags();
    uint16_t tss;

    cli();
    cpu_state_save(&l->firmware);
    tss = cpu_state_tss_selector(&l->firmware, SELECTOR_TSS, SELECTOR_LAST);
    if (tss == 0) {
        l->why_not = "the firmware's GDT there has no free entry, which its TR needs afterwards";
    } else {
        gdt_move_tss(&l->core->gdt, tss);
        serve_between(l);
    }
    if (flags & RFLAGS_IF)
        sti();
}

void lent_serve(struct lent *l)
{
    uint32_t ticket = __atomic_fetch_add(&l->tickets, 1, __ATOMIC_SEQ_CST);
    struct lent_core *own = &l->core[ticket];

    if (ticket >= l->room)
        return;
    own->apic_id = core_apic_id();
    own->stack = (uint64_t)__builtin_frame_address(0);
    traps_borrow(&own->traps);
    if (change(&own->state, LENT_NONE, LENT_WAITS) && await_call(own)) {
        visit_kernel(own);
        __atomic_store_n(&own->back, true, __ATOMIC_SEQ_CST);
    }
    traps_return(&own->traps);
}

/* --- where a core came from ------------------------------------------------------------------ */

/* Checks that the running core's LAPIC is in the boot core's mode and at its address. Returns NULL,
 * or the difference. */
static const char *find_apic_difference(const struct lapic *l, uint32_t *id)
{
    uint64_t base;

    if (!msr_read(MSR_APIC_BASE, &base))
        return "no IA32_APIC_BASE";
    if (!(base & BASE_ENABLED) || !(base & BASE_X2APIC) != !l->x2apic)
        return "its APIC is not in the boot core's mode";
    if (!l->x2apic && (base & BASE_ADDRESS) != l->address)
        return "its APIC's address is not the boot core's";
    return lapic_read_id(l, id);
}

static struct irq_masked lent_mask(const struct core *c)
{
    struct irq_masked masked = irq_mask_core(c->cores->given.irq, true);

    park_accept(c->parking); /* second: irq_mask_core() has saved the firmware's value */
    return masked;
}

/* Returns to the firmware if the core was notified to do so and did not notice. */
static void lent_nmi(struct core *c)
{
    if (c->go_home && !c->leaving)
        go_home(c);
}

/* Sleeps until the core is sent home. */
static void lent_stop(struct core *c)
{
    /* A core that faulted on its way home, or before it could be woken, can only halt. */
    if (c->leaving || !c->lent->settled.irq.lapic.present)
        cpu_halt();
    while (!c->go_home)
        park_sleep(c);
    go_home(c);
}

static bool await_back(const struct core *c)
{
    return WAIT_FOR(lent_is_back(c->lent), cores_ticks(c->cores, HOME_US));
}

/* Takes the core out of whatever it runs by an NMI. If it still does not come back, boot/cores.c
 * names it at the end. */
static void lent_give_up(struct core *c)
{
    c->go_home = true;
    if (!lent_is_back(c->lent) && lapic_ipi(c->parking->lapic, c->apic_id, ICR_NMI))
        (void)await_back(c);
}

/* --- the boot core --------------------------------------------------------------------------- */

static const char *lent_obstacle(struct cores *c)
{
    const struct handoff *h = c->given.handoff;

    if (h->lent)
        return NULL;
    return h->lent_refused[0] ? h->lent_refused : "the firmware has no MP services to lend them";
}

/* Returns whether our page tables map the firmware's stack, to which the core returns. */
static bool stack_is_mapped(const struct cores *c, uint64_t stack)
{
    return stack < FOUR_GIB || memory_is_ram(c->given.handoff, stack, sizeof stack);
}

/* Calls a waiting core, unless it is not in the list or has already come up. */
static void call_one(struct cores *c, struct lent_core *l)
{
    unsigned i = cores_find(&c->list, l->apic_id);

    if (i == 0 || i == c->count || c->core[i])
        return;
    if (!stack_is_mapped(c, l->stack)) {
        l->why_not = "the firmware runs it on a stack outside of the memory map";
        return;
    }
    l->core = c->made[i];
    l->core->lent = l;
    l->core->apic_id = l->apic_id;
    if (change(&l->state, LENT_WAITS, LENT_CALLED))
        (void)WAIT_FOR(__atomic_load_n(&c->core[i], __ATOMIC_SEQ_CST) || lent_is_back(l),
                       cores_ticks(c, SILENCE_US));
}

static const char *lent_why_not(const struct cores *c, unsigned i)
{
    const struct lent *l = c->given.handoff->lent;

    if (c->lost)
        return c->lost;
    for (uint32_t k = 0; k < l->room; k++) {
        const struct lent_core *one = &l->core[k];
        if (one->apic_id == c->list.id[i] && lent_state_of(one) != LENT_NONE)
            return one->why_not ? one->why_not : "it was called and did not arrive";
    }
    return "the firmware did not let it run the procedure (MP services)";
}

/* Calls the waiting cores in order of arrival, one after the other: the next one when the previous
 * one serves. Each becomes the core of its number in c->made. Sends the rest home. */
static const char *lent_bring(struct cores *c)
{
    struct lent *l = c->given.handoff->lent;
    uint64_t silence = cores_ticks(c, SILENCE_US), last = rdtsc();

    for (uint32_t i = 0; i < l->room && i + 1 < c->count; i++) {
        while (lent_state_of(&l->core[i]) == LENT_NONE && rdtsc() - last < silence)
            pause();
        if (lent_state_of(&l->core[i]) != LENT_WAITS)
            continue;
        call_one(c, &l->core[i]);
        last = rdtsc();
    }
    lent_dismiss(l);
    return NULL;
}

const struct core_origin core_lent = {
    .refused = lent_obstacle,
    .bring = lent_bring,
    .why_not = lent_why_not,
    .join_apic = find_apic_difference,
    .mask = lent_mask,
    .nmi = lent_nmi,
    .stop = lent_stop,
    .give_up = lent_give_up,
};

/* On the running core: takes the wake-ups that are still pending, before the firmware gets the
 * interrupts back. */
static void take_pending_wakes(void)
{
    write_cr8(CR8_ONLY_HIGHEST);
    take_irqs();
    write_cr8(CR8_HOLD_ALL);
}

void lent_home(const struct cores *c, struct lent *l)
{
    if (l)
        lent_dismiss(l);
    for (uint32_t i = l ? l->room : 0; i-- > 0;) {
        struct core *core = l->core[i].core;
        if (!lent_lost(&l->core[i]))
            continue;
        core->go_home = true;
        if (!park_wake(core) || !await_back(core))
            lent_give_up(core);
    }
    for (unsigned i = 1; !l && i < c->count; i++)
        if (c->core[i] && !c->core[i]->asleep)
            c->core[i]->origin->give_up(c->core[i]);
    if (c->given.boot && c->given.boot->parking)
        take_pending_wakes();
}
