#include "kernel/cores/deadline.h"
#include "lib/text/fmt.h"

/* SDM vol. 3A figure 11-23: the enable bit of the spurious-interrupt vector register; the low byte
 * is the vector. */
#define SPURIOUS_ENABLE (1u << 8)
#define MWAIT_C1        0 /* EAX: the shallowest state */

#define ASLEEP_US 1000000 /* limit for an idle core to fall asleep */
#define SETTLE_US 2       /* the two instructions between setting `asleep` and sleeping */
#define PRINT_US  2000000 /* limit of a fault's report at 9600 baud; the printing core may fault */

/* --- sleeping and waking ---------------------------------------------------------------------- */

void park_accept(const struct parking *p)
{
    lapic_write(p->lapic, LAPIC_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
}

static void mwait_once(struct core *c)
{
    const struct parking *p = c->parking;
    bool needs_timer = p->timer_stops && (c->watches || c->beats);

    __asm__ volatile("monitor" : : "a"(&c->wakes), "c"(0), "d"(0) : "memory");
    if (c->wakes != c->slept)
        return;
    /* Interrupts are enabled: for deadlines, and in deep states for the wake-up, whose handler sets
     * `woke`. Otherwise the wake-up is a write. */
    sleep_mwait(needs_timer ? MWAIT_C1 : p->hint);
    if (p->how == PARK_MWAIT)
        c->woke = rdtsc();
    c->early += c->wakes == c->slept;
}

/* Sleeps until a wake-up. `patience` NULL: for as long as that takes. False: none came while
 * deadline_may_sleep(). */
static bool sleep_for(struct core *c, struct deadline_patience *patience)
{
    write_cr8(CR8_ONLY_HIGHEST);
    /* An NMI, a machine check or an SMI also ends HLT and MWAIT: then the core sleeps again. */
    while (c->wakes == c->slept && (!patience || deadline_may_sleep(c, patience))) {
        c->asleep = true;
        if (c->parking->how == PARK_HLT)
            sleep_hlt();
        else
            mwait_once(c);
    }
    c->asleep = false;
    bool woken = c->wakes != c->slept;
    c->slept += woken;
    write_cr8(CR8_HOLD_ALL);
    return woken;
}

void park_sleep(struct core *c)
{
    (void)sleep_for(c, NULL);
}

bool park_await(struct core *c, uint64_t ticks)
{
    uint64_t began = rdtsc();

    write_cr8(CR8_ONLY_HIGHEST);
    while (c->wakes == c->slept && rdtsc() - began < ticks) {
        take_irqs();
        pause();
    }
    bool woken = c->wakes != c->slept;
    c->slept = c->wakes;
    write_cr8(CR8_HOLD_ALL);
    return woken;
}

bool park_wake(struct core *c)
{
    if (c->parking->how == PARK_MWAIT) {
        __atomic_add_fetch(&c->wakes, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    return lapic_ipi(c->parking->lapic, c->apic_id, ICR_FIXED | VECTOR_WAKE);
}

void park_interrupt(struct core *c, unsigned vector)
{
    c->woke = rdtsc();
    if (!c->parking || vector == VECTOR_SPURIOUS) /* which needs no EOI (SDM 11.9) */
        return;
    if (vector == VECTOR_WAKE)
        __atomic_add_fetch(&c->wakes, 1, __ATOMIC_SEQ_CST);
    if (vector == VECTOR_SIGNAL) {
        if (c->on_signal)
            c->on_signal(c);
        c->signalled = true;
    }
    lapic_write(c->parking->lapic, LAPIC_EOI, 0);
}

/* Waits, bounded, until `c` executes nothing. False: it does not fall asleep. */
static bool asleep(const struct core *c)
{
    bool is = WAIT_FOR(c->asleep, cores_ticks(c->cores, ASLEEP_US));

    (void)WAIT_FOR(!is, cores_ticks(c->cores, SETTLE_US));
    return is;
}

/* --- on every core that takes part ----------------------------------------------------------- */

/* Takes a core out of its rendezvous, once: on the core itself when it has finished, or on the boot
 * core, which gives it up. Then it counts no more, however late it finishes. False: it is in none.
 * *left: cores that have not finished. */
static bool take_out(struct core *c, uint32_t *left)
{
    struct core_rendezvous *m = __atomic_exchange_n(&c->job.rendezvous, NULL, __ATOMIC_SEQ_CST);

    c->job.fn = NULL;
    if (m)
        *left = __atomic_sub_fetch(&m->left, 1, __ATOMIC_SEQ_CST);
    return m;
}

/* Leaves the rendezvous. True: this core was the last. */
static bool leave_rendezvous(struct core *c)
{
    struct core *boot = c->cores->given.boot;
    uint32_t left;
    bool last = take_out(c, &left) && left == 0;

    /* If the wake-up cannot be sent, the boot core stays asleep: no other way exists to
     * wake it. */
    if (last && c != boot)
        (void)park_wake(boot);
    return last;
}

/* True: this core was the last. */
static bool take_part(struct core *c)
{
    const struct cores_given *g = &c->cores->given;
    struct core_job job = c->job;

    if (!job.fn || !job.rendezvous) /* given up before it began */
        return false;
    deadline_awake(c);
    paging_use(g->paging, c, c->tables && job.rendezvous->n > 1);
    /* The boot core was about to sleep when it woke this core. A failure cannot be reported
     * here. */
    if (!job.rendezvous->boot_takes_part)
        (void)asleep(g->boot);
    job.fn(job.ctx, c->index);
    paging_use(g->paging, c, false);
    return leave_rendezvous(c);
}

/* Stops counters that a run which ended by a fault has left running. */
static void stop_counters(struct core_cycles *c)
{
    if (!c->pmc.of)
        return;
    c->retired.timer.stop(&c->retired.timer);
    c->pmc.timer.stop(&c->pmc.timer);
}

void core_serve(struct core *c)
{
    __atomic_store_n(&c->cores->core[c->index], c, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&c->cores->up, 1, __ATOMIC_SEQ_CST);
    while (!c->go_home) {
        park_sleep(c);
        (void)take_part(c);
    }
    stop_counters(&c->cycles);
}

/* --- the caller, on the boot core ------------------------------------------------------------ */

static void hand_out(struct cores *all, core_fn *fn, void *ctx)
{
    struct core_rendezvous *m = &all->rendezvous;

    for (unsigned k = 0; k < m->n; k++)
        all->core[m->list[k]]->job = (struct core_job){fn, ctx, m};
}

/* Returns NULL, or why one core of the list cannot be called now. */
static const char *find_obstacle_to_call(const struct cores *all, const unsigned *list, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        unsigned i = list[k];
        if (i >= all->count)
            return "there is no core of that number";
        if (all->facts[i].why_not)
            return all->facts[i].why_not;
        if (i > 0 && !asleep(all->core[i]))
            return "it still runs what it was given before";
    }
    return NULL;
}

/* Wakes the rendezvous's cores. Those that cannot be woken are excluded for good. False: no core is
 * left to wait for. */
static bool wake_rendezvous(struct cores *all)
{
    struct core_rendezvous *m = &all->rendezvous;
    uint32_t left;

    for (unsigned k = 0; k < m->n; k++) {
        struct core *c = all->core[m->list[k]];
        if (c == all->given.boot)
            continue;
        m->sent = rdtsc();
        if (park_wake(c))
            continue;
        all->facts[c->index].why_not = "the interrupt that wakes it cannot be sent";
        if (take_out(c, &left) && left == 0)
            return false;
    }
    return true;
}

/* Returns NULL, or why the first core of the list that did not finish did not. */
static const char *team_outcome(struct cores *all, const unsigned *list, unsigned n)
{
    const char *why_not = NULL;

    for (unsigned k = 0; k < n; k++) {
        unsigned i = list[k];
        const struct core *c = all->core[i];
        if (i > 0 && !c->faulted && !asleep(c))
            all->facts[i].why_not = "it did not go back to sleep";
        if (!why_not)
            why_not = all->facts[i].why_not;
    }
    return why_not;
}

/* Excludes a core that has stopped for good; c->fault says why. */
static void note_stop(struct core *c)
{
    struct cores *all = c->cores;

    c->faulted = true;
    if (c->index > 0)
        all->facts[c->index].why_not = c->fault;
    else
        all->lost = c->fault; /* it has no number yet */
    __atomic_add_fetch(&all->faulted, 1, __ATOMIC_SEQ_CST);
}

static void note_hang(struct core *c)
{
    fmt_buf(c->fault, sizeof c->fault,
            "it hangs: for %u s, %u times deadline=, it has not begun or ended a row",
            DEADLINE_PATIENCE * c->cores->given.handoff->options.deadline, DEADLINE_PATIENCE);
    note_stop(c);
    c->deadline = 0;
}

/* Stops and excludes the cores that have not finished; `hang`: as a fault, which fails the run.
 * Those that are just leaving have left then, and their wake-up has come. */
static void give_up_missing(struct cores *all, bool hang)
{
    const struct core_rendezvous *m = &all->rendezvous;
    uint32_t left;

    for (unsigned k = 0; k < m->n; k++) {
        struct core *c = all->core[m->list[k]];
        if (!take_out(c, &left) || c->faulted)
            continue;
        if (hang)
            note_hang(c);
        else
            all->facts[c->index].why_not = "it did not answer and was stopped";
        c->origin->give_up(c);
    }
    (void)WAIT_FOR(__atomic_load_n(&m->left, __ATOMIC_SEQ_CST) == 0, cores_ticks(all, ASLEEP_US));
    (void)park_await(all->given.boot, cores_ticks(all, SETTLE_US));
}

/* Sleeps until all have finished. A wake-up that came too late for an earlier rendezvous does not
 * end it. False: the cores that are left have run out of patience. */
static bool await_rendezvous(struct cores *all)
{
    struct deadline_patience patience = {0};

    while (sleep_for(all->given.boot, &patience))
        if (__atomic_load_n(&all->rendezvous.left, __ATOMIC_SEQ_CST) == 0)
            return true;
    return false;
}

static const char *call_cores(struct cores *all, const unsigned *list, unsigned n, core_fn *fn,
                              void *ctx)
{
    struct core *boot = all->given.boot;
    const char *why_not = find_obstacle_to_call(all, list, n);
    bool boot_in = false;

    if (why_not)
        return why_not;
    for (unsigned k = 0; k < n; k++)
        boot_in = boot_in || list[k] == 0;
    all->rendezvous =
        (struct core_rendezvous){.list = list, .n = n, .boot_takes_part = boot_in, .left = n};
    hand_out(all, fn, ctx);
    if (wake_rendezvous(all) && !(boot_in && take_part(boot)) && !await_rendezvous(all))
        give_up_missing(all, true);
    deadline_awake(boot);
    return team_outcome(all, list, n);
}

bool cores_try(struct cores *all, const unsigned *list, unsigned n, core_fn *fn, void *ctx,
               void (*here)(void *ctx), uint64_t ticks)
{
    if (find_obstacle_to_call(all, list, n))
        return false;
    all->rendezvous =
        (struct core_rendezvous){.list = list, .n = n, .boot_takes_part = true, .left = n};
    hand_out(all, fn, ctx);
    if (!wake_rendezvous(all))
        return false;
    if (here)
        here(ctx);
    if (!WAIT_FOR(__atomic_load_n(&all->rendezvous.left, __ATOMIC_SEQ_CST) == 0, ticks)) {
        give_up_missing(all, false);
        return false;
    }
    /* Its wake-up is on its way. */
    return park_await(all->given.boot, ticks) && !team_outcome(all, list, n);
}

const char *cores_run(struct cores *all, unsigned i, core_fn *fn, void *ctx)
{
    if (i > 0)
        return call_cores(all, &i, 1, fn, ctx);
    fn(ctx, 0);
    return NULL;
}

const char *cores_together(struct cores *all, const unsigned *list, unsigned n, core_fn *fn,
                           void *ctx)
{
    return n == 1 ? cores_run(all, list[0], fn, ctx) : call_cores(all, list, n, fn, ctx);
}

/* --- traps ----------------------------------------------------------------------------------- */

static void note_fault(struct core *c, const struct trap_frame *f)
{
    fault_describe(c, f, c->fault, sizeof c->fault);
    note_stop(c);
}

_Noreturn void core_faulted(struct core *c, const struct trap_frame *f,
                            void (*print)(const struct core *c, const struct trap_frame *f))
{
    uint32_t *printing = &c->cores->printing;

    if (!c->faulted) {
        note_fault(c, f);
        /* Bounded: the core that prints may hang. Then both print at once. */
        (void)WAIT_FOR(change(printing, 0, c->index + 1), cores_ticks(c->cores, PRINT_US));
        print(c, f);
        __atomic_store_n(printing, 0, __ATOMIC_SEQ_CST);
    }
    (void)leave_rendezvous(c);
    c->origin->stop(c);
    cpu_halt();
}
