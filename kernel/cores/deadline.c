#include "kernel/cores/deadline.h"

#define TRY_US      2000   /* when each source must fire in its test, ... */
#define TRY_MOST_US 100000 /* ... and when the test gives up */
#define KICK_US     50000  /* limit for a sleeping core, in a state that takes 10 ms, to look */
/* An NMI that is early by more than this part of the interval is not the timer's: clocks differ by
 * less. */
#define EARLY_PART 32
#define PER_SECOND 1000000u

#define ANY DEADLINE_SOURCES /* in place of a source */

static struct deadlines *all; /* the trap hooks take no context */

static uint64_t ticks_to_us(uint64_t ticks)
{
    uint64_t a_us = cores_ticks(all->cores, PER_SECOND) / PER_SECOND;

    return ticks / (a_us ? a_us : 1) + 1;
}

static const struct lapic *own_lapic(void)
{
    return &all->cores->given.irq->lapic;
}

/* SET + source: that source is set. A core that changes FREE or SET to CLAIMED then sets or frees
 * it. */
enum { FREE, CLAIMED, SET };

static void set_state(uint32_t state)
{
    __atomic_store_n(&all->state, state, __ATOMIC_SEQ_CST);
}

/* --- looking at the deadlines ----------------------------------------------------------------- */

/* Sends c an NMI, once per row. The core that sends it may be held up between any two of these
 * steps, and the NMI then arrives in a later row of c. */
static void end_overdue_row(struct core *c)
{
    if (!change(&c->notified, false, true))
        return;
    __atomic_add_fetch(&c->notified_begun, 1, __ATOMIC_SEQ_CST);
    (void)lapic_ipi(own_lapic(), c->apic_id, ICR_NMI);
    __atomic_add_fetch(&c->notified_sent, 1, __ATOMIC_SEQ_CST);
}

/* Ends the rows that are past their deadline, except c's own. Returns the ticks to the next
 * deadline; 0: there is no other. */
static uint64_t look_at_deadlines(const struct core *c)
{
    const struct cores *cores = all->cores;
    uint64_t next = 0;

    for (unsigned i = 0; i < cores->count; i++) {
        struct core *other = cores->core[i];
        uint64_t deadline = other ? other->deadline : 0; /* the other core may clear it meanwhile */
        if (!deadline || other->faulted || other->notified)
            continue;
        int64_t left = (int64_t)(deadline - rdtsc());
        if (left > 0)
            next = next == 0 || (uint64_t)left < next ? (uint64_t)left : next;
        else if (other != c)
            end_overdue_row(other);
    }
    return next;
}

/* --- setting a source ------------------------------------------------------------------------- */

/* Returns a core that sleeps, the boot core last. NULL: no core sleeps. */
static const struct core *sleeper(const struct core *but)
{
    const struct cores *c = all->cores;

    for (unsigned k = 1; k <= c->count; k++) {
        unsigned i = k % c->count;
        const struct core *core = c->core[i];
        if (core && core != but && core->asleep && !core->faulted && !core->job.fn &&
            (i == 0 || !c->facts[i].why_not))
            return core;
    }
    return NULL;
}

/* Makes a sleeping core check the deadlines and set its timer. */
static bool kick(const struct core *c)
{
    uint32_t before = all->looked;

    return lapic_ipi(own_lapic(), c->apic_id, ICR_FIXED | VECTOR_WATCH) &&
           WAIT_FOR(all->looked != before, cores_ticks(all->cores, KICK_US));
}

/* Makes a sleeping core watch: c itself, which an interrupt woke, or another that it wakes. */
static bool set_core(struct core *c, uint64_t ticks)
{
    const struct core *watcher = c->asleep ? c : sleeper(c);

    if (!watcher)
        return false;
    set_state(SET + DEADLINE_CORE);
    if (watcher != c)
        return kick(watcher);
    c->watches = true;
    apic_timer_start(own_lapic(), VECTOR_WATCH, all->apic_hz, ticks_to_us(ticks));
    return true;
}

/* Sets the counter for c's own row; it does not count while c sleeps. So the state stays FREE, and
 * the next core sets its own source. */
static bool set_counter(struct core *c)
{
    uint64_t left = c->deadline - rdtsc();
    bool is_set =
        c->deadline && (int64_t)left > 0 && !counter_nmi_start(c, &all->counter, own_lapic(), left);

    if (is_set)
        set_state(FREE);
    return is_set;
}

static bool set_timer(unsigned source, uint64_t ticks)
{
    uint64_t began = rdtsc(), us;
    volatile uint64_t *due = &all->due[source - DEADLINE_HPET];

    *due = began;
    set_state(SET + source);
    us = nmi_timer_start(&all->timer[source - DEADLINE_HPET], ticks_to_us(ticks));
    *due = began + cores_ticks(all->cores, us - us / EARLY_PART);
    return true;
}

static bool set_source(struct core *c, unsigned source, uint64_t ticks)
{
    switch (source) {
    case DEADLINE_CORE:
        return set_core(c, ticks);
    case DEADLINE_COUNTER:
        return set_counter(c);
    default: /* HPET, PIT */
        return set_timer(source, ticks);
    }
}

/* Sets the first source that works and is free. */
static bool set_any(struct core *c, uint64_t ticks)
{
    for (unsigned i = 0; i < DEADLINE_SOURCES; i++) {
        unsigned source = (all->first + i) % DEADLINE_SOURCES;
        if (!all->source[source].why_not && set_source(c, source, ticks))
            return true;
    }
    return false;
}

/* Sets a source, or ANY, for the next deadline. Called by the core that changed the state to
 * CLAIMED. A row that begins meanwhile finds it CLAIMED and sets no timer; the second
 * look_at_deadlines() covers that row. */
static void arm_source(struct core *c, unsigned source)
{
    uint64_t next;

    do {
        next = look_at_deadlines(c);
        if (next && (source == ANY ? set_any(c, next) : set_source(c, source, next)))
            return;
        set_state(FREE);
    } while (!next && look_at_deadlines(c) && change(&all->state, FREE, CLAIMED));
}

/* --- interrupts ------------------------------------------------------------------------------- */

/* Looks at the deadlines, and sets the source again if it was set. */
static void fired(struct core *c, unsigned source)
{
    if (change(&all->state, SET + source, CLAIMED))
        arm_source(c, source);
    else
        (void)look_at_deadlines(c);
}

void deadline_interrupt(struct core *c, unsigned vector)
{
    if (vector == VECTOR_WATCH && all && all->cores && c->asleep) {
        c->watches = false;
        fired(c, DEADLINE_CORE);
        __atomic_add_fetch(&all->looked, 1, __ATOMIC_SEQ_CST);
    }
    park_interrupt(c, vector);
}

/* Returns the timer that may have sent this NMI to the boot core. ANY: no timer. */
static unsigned timer_of_nmi(const struct core *c)
{
    for (unsigned i = DEADLINE_HPET; i < DEADLINE_SOURCES; i++)
        if (c == all->cores->given.boot && is_past(all->due[i - DEADLINE_HPET]))
            return i;
    return ANY;
}

/* Starts the counter again. It fires early if the core is faster than its TSC, or if the deadline
 * is beyond the counter's range. */
static bool counter_fired(struct core *c)
{
    int64_t left = (int64_t)(c->deadline - rdtsc());

    if (!counter_nmi_came(c))
        return false;
    counter_nmi_again(c, own_lapic(), c->deadline && left > 0 ? (uint64_t)left : UINT64_MAX);
    return true;
}

bool deadline_nmi(struct core *c, struct trap_frame *f)
{
    unsigned source;

    if (!all || !all->cores)
        return false;
    source = timer_of_nmi(c);
    /* Two NMIs of end_overdue_row() can arrive as one, so they are not counted as they arrive. */
    if (!counter_fired(c) && c->notified_begun == c->notified_done && source == ANY)
        return false;
    c->own_nmis++;
    if (source != ANY) {
        all->due[source - DEADLINE_HPET] = 0;
        fired(c, source);
    }
    /* Between two guarded calls the deadline ends the next call. */
    if (deadline_passed(c))
        (void)guard_leave(c, f, GUARD_DEADLINE);
    else
        c->notified = false; /* for an earlier row, or deadline_later() moved the deadline */
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

bool deadline_may_sleep(struct core *c, struct deadline_patience *p)
{
    const struct core_rendezvous *m = &c->cores->rendezvous;
    uint64_t now = rdtsc(), seen = 0;
    bool runs = p->since == 0;

    if (!all || !all->cores)
        return true;
    for (unsigned k = 0; k < m->n; k++) {
        uint64_t deadline = c->cores->core[m->list[k]]->deadline;
        runs = runs || (deadline && !is_past(deadline));
        seen += deadline;
    }
    if (runs || seen != p->seen)
        *p = (struct deadline_patience){now, seen};
    if (now - p->since > DEADLINE_PATIENCE * all->row)
        return false;
    if (all->apic_hz && !c->watches) {
        c->beats = true;
        apic_timer_start(own_lapic(), VECTOR_ROW, all->apic_hz, ticks_to_us(all->row));
    }
    return true;
}

void deadline_awake(struct core *c)
{
    if ((!c->watches && !c->beats) || !all || !all->cores)
        return;
    apic_timer_stop(own_lapic(), VECTOR_WATCH);
    c->beats = false;
    if (!c->watches)
        return;
    c->watches = false;
    if (change(&all->state, SET + DEADLINE_CORE, CLAIMED))
        arm_source(c, ANY);
}

void deadline_alone(void)
{
    if (!all || !all->cores)
        return;
    all->source[DEADLINE_CORE].why_not = "the other cores are stopped";
    for (unsigned i = 1; i < all->cores->count; i++)
        if (all->cores->core[i])
            all->cores->core[i]->deadline = 0;
    if (change(&all->state, SET + DEADLINE_CORE, CLAIMED))
        set_state(FREE);
}

static bool any_left(void)
{
    const struct cores *cores = all->cores;

    for (unsigned i = 0; i < cores->count; i++)
        if (cores->core[i] && cores->core[i]->deadline)
            return true;
    return false;
}

/* Leaves DEADLINE_CORE set: when it fires, it finds no deadline or a later one. */
static void stop_timers(struct core *c)
{
    for (unsigned i = DEADLINE_HPET; i < DEADLINE_SOURCES; i++) {
        if (!change(&all->state, SET + i, CLAIMED))
            continue;
        nmi_timer_stop(&all->timer[i - DEADLINE_HPET]);
        all->due[i - DEADLINE_HPET] = 0;
        arm_source(c, ANY);
    }
}

void deadline_begin(struct core *c, uint64_t ran)
{
    uint64_t left, sent;

    if (!all || !all->cores)
        return;
    deadline_awake(c);
    c->notified = false;
    /* An NMI that was sent has arrived by now, separately or merged with another one. */
    sent = __atomic_load_n(&c->notified_sent, __ATOMIC_SEQ_CST);
    if (sent == __atomic_load_n(&c->notified_begun, __ATOMIC_SEQ_CST))
        c->notified_done = sent;
    left = all->row > ran ? all->row - ran : 0;
    __atomic_store_n(&c->deadline, rdtsc() + left, __ATOMIC_SEQ_CST);
    if (change(&all->state, FREE, CLAIMED))
        arm_source(c, ANY);
}

void deadline_end(struct core *c)
{
    __atomic_store_n(&c->deadline, 0, __ATOMIC_SEQ_CST);
    if (!all || !all->cores)
        return;
    counter_nmi_stop(c, own_lapic());
    if (!any_left())
        stop_timers(c);
}

/* --- from the machine's start to its end ------------------------------------------------------ */

void deadline_open(struct deadlines *d, struct cores *c, struct paging *p, const struct madt *madt,
                   const struct hpet_table *hpet)
{
    uint32_t boot = c->given.irq->lapic.id;
    bool borrowed = c->given.handoff->borrowed;

    d->cores = c;
    d->row = cores_ticks(c, (uint64_t)c->given.handoff->options.deadline * PER_SECOND);
    nmi_timer_hpet(&d->timer[0], p, madt, hpet, boot, NULL);
    nmi_timer_pit(&d->timer[1], p, madt, borrowed, boot);
    d->source[DEADLINE_CORE] = (struct deadline_source){
        "core", borrowed ? "the firmware uses the cores' timers" : "no other core sleeps"};
    d->source[DEADLINE_COUNTER] =
        (struct deadline_source){"counter", counter_nmi_find(&d->counter, &c->given.irq->lapic)};
    d->source[DEADLINE_HPET] = (struct deadline_source){"hpet", d->timer[0].why_not};
    d->source[DEADLINE_PIT] = (struct deadline_source){"pit", d->timer[1].why_not};
}

/* Ends by itself if the source does not fire. */
static void spin_for(void *ticks)
{
    (void)WAIT_FOR(false, *(uint64_t *)ticks);
}

static const char *try_one(struct core *c, unsigned source)
{
    uint64_t most = cores_ticks(all->cores, TRY_MOST_US);
    struct guard_ended ended;
    bool ended_it;

    c->deadline = rdtsc() + cores_ticks(all->cores, TRY_US);
    set_state(CLAIMED);
    ended_it = set_source(c, source, cores_ticks(all->cores, TRY_US)) &&
               !guard_call(c, spin_for, &most, &ended);
    deadline_end(c);
    set_state(FREE);
    return ended_it ? NULL : "it caused no NMI";
}

void deadline_try(struct deadlines *d)
{
    struct cores *c = d->cores;
    struct core *boot = c->given.boot;

    all = d;
    if (!c->given.handoff->borrowed && !c->why_alone && sleeper(boot))
        d->source[DEADLINE_CORE].why_not = NULL;
    if (!d->source[DEADLINE_CORE].why_not)
        d->apic_hz = apic_timer_measure(own_lapic(), cores_ticks(c, PER_SECOND));
    for (unsigned i = 0; i < DEADLINE_SOURCES; i++)
        if (!d->source[i].why_not)
            d->source[i].why_not = try_one(boot, i);
}

void deadline_close(struct deadlines *d)
{
    if (!d->cores)
        return;
    counter_nmi_stop(d->cores->given.boot, &d->cores->given.irq->lapic);
    for (unsigned i = 0; i < 2; i++)
        nmi_timer_close(&d->timer[i]);
    d->cores = NULL;
}
