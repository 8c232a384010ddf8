#include "kernel/cores/deadline.h"
#include "kernel/cpu/cpu.h"
#include "kernel/trap/guard.h"

#define TRY_US      2000   /* after which each source is to fire when it is tried, */
#define TRY_MOST_US 100000 /* and when it is given up */
#define MEASURE_US  1000   /* of an APIC's timer against the TSC */
#define KICK_US     10000  /* for a core that sleeps to look at the deadlines */
/* A source that fires earlier than this part of its time was not it: clocks differ by less. */
#define EARLY_PART 32
#define PER_SECOND 1000000u

#define APIC_DIVIDE_16 3u /* SDM vol. 3A figure 11-10 */
#define APIC_MASKED    (1u << 16)
#define APIC_MOST      0xffffffffu

static struct deadlines *all; /* the traps' hooks take no context */

static uint64_t ticks_to_us(uint64_t ticks)
{
    uint64_t a_us = cores_ticks(all->cores, PER_SECOND) / PER_SECOND;

    return ticks / (a_us ? a_us : 1) + 1;
}

/* --- a core's own APIC timer ------------------------------------------------------------------ */

static void write_own(uint32_t offset, uint32_t v)
{
    lapic_write(&all->cores->given.irq->lapic, offset, v);
}

/* How fast it counts: alike on all cores. */
static void measure_own(void)
{
    uint64_t began = rdtsc(), ticks = cores_ticks(all->cores, MEASURE_US);
    uint32_t left = APIC_MOST;

    write_own(LAPIC_TIMER_INITIAL, APIC_MOST);
    while (rdtsc() - began < ticks)
        pause();
    (void)lapic_read(&all->cores->given.irq->lapic, LAPIC_TIMER_CURRENT, &left);
    all->apic_hz = (uint64_t)(APIC_MOST - left) * (PER_SECOND / MEASURE_US);
}

static void stop_own(void)
{
    write_own(LAPIC_LVT_TIMER, APIC_MASKED | VECTOR_WATCH);
    write_own(LAPIC_TIMER_INITIAL, 0);
}

static void start_own(uint64_t us)
{
    uint64_t most, counts;

    write_own(LAPIC_LVT_TIMER, APIC_MASKED | VECTOR_WATCH);
    write_own(LAPIC_TIMER_DIVIDE, APIC_DIVIDE_16);
    if (!all->apic_hz)
        measure_own();
    most = APIC_MOST / (all->apic_hz / PER_SECOND + 1);
    counts = (us < most ? us : most) * all->apic_hz / PER_SECOND;
    write_own(LAPIC_LVT_TIMER, VECTOR_WATCH); /* one-shot */
    write_own(LAPIC_TIMER_INITIAL, counts ? (uint32_t)counts : 1);
}

/* --- setting a source ------------------------------------------------------------------------- */

/* A core that sleeps; the boot core, which none of the list is, comes last. count: there is
 * none. */
static unsigned sleeper(const struct core *but)
{
    const struct cores *c = all->cores;

    for (unsigned k = 1; k <= c->count; k++) {
        unsigned i = k % c->count;
        const struct core *core = c->core[i];
        if (core && core != but && core->asleep && !core->faulted && !core->job.fn &&
            (i == 0 || !c->facts[i].why_not))
            return i;
    }
    return c->count;
}

/* One that sleeps is made to look at the deadlines, and sets its timer. */
static bool kick(unsigned i)
{
    uint32_t before = all->looked;
    uint64_t began = rdtsc(), patience = cores_ticks(all->cores, KICK_US);

    all->watch = i;
    if (!lapic_ipi(&all->cores->given.irq->lapic, all->cores->core[i]->apic_id,
                   ICR_FIXED | VECTOR_WATCH))
        return false;
    while (all->looked == before && rdtsc() - began < patience)
        pause();
    return all->looked != before;
}

static void start(unsigned source, uint64_t ticks)
{
    uint64_t us = ticks_to_us(ticks);
    uint64_t began = rdtsc();

    all->due = began;
    us = nmi_timer_start(&all->timer[source - DEADLINE_HPET], us);
    all->due = began + cores_ticks(all->cores, us - us / EARLY_PART);
}

static bool set(const struct core *c, unsigned source, uint64_t ticks)
{
    unsigned watcher;

    all->used = source;
    if (source != DEADLINE_CORE) {
        start(source, ticks);
        return true;
    }
    watcher = sleeper(c);
    return watcher < all->cores->count && kick(watcher);
}

/* The first source that works and is free. */
static void set_any(const struct core *c, uint64_t ticks)
{
    for (unsigned i = 0; i < DEADLINE_SOURCES; i++)
        if (!all->source[i].why_not && set(c, i, ticks))
            return;
    __atomic_store_n(&all->set, 0, __ATOMIC_SEQ_CST);
}

/* --- looking at the deadlines ----------------------------------------------------------------- */

bool deadline_passed(const struct core *c)
{
    return c->deadline && (int64_t)(rdtsc() - c->deadline) >= 0;
}

/* The rows past theirs are ended, all but c's own. The ticks to the next one; 0: there is none. */
static uint64_t look(const struct core *c)
{
    const struct cores *cores = all->cores;
    uint64_t next = 0;

    for (unsigned i = 0; i < cores->count; i++) {
        struct core *other = cores->core[i];
        if (!other || other->faulted || !other->deadline || other->overdue)
            continue;
        if (!deadline_passed(other)) {
            uint64_t left = other->deadline - rdtsc();
            next = next == 0 || left < next ? left : next;
        } else if (other != c) {
            other->overdue = true;
            (void)lapic_ipi(&cores->given.irq->lapic, other->apic_id, ICR_NMI);
        }
    }
    return next;
}

void deadline_interrupt(struct core *c, unsigned vector)
{
    uint64_t next;

    if (vector != VECTOR_WATCH || !all || all->watch != c->index) {
        park_interrupt(c, vector);
        return;
    }
    next = look(c);
    if (next)
        start_own(ticks_to_us(next));
    else
        __atomic_store_n(&all->set, 0, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&all->looked, 1, __ATOMIC_SEQ_CST);
    park_interrupt(c, vector);
}

/* The source's own, on the boot core. */
static bool is_source(const struct core *c)
{
    return c == all->cores->given.boot && all->set && all->used != DEADLINE_CORE &&
           (int64_t)(rdtsc() - all->due) >= 0;
}

bool deadline_nmi(struct core *c, struct trap_frame *f)
{
    uint64_t next;

    if (!all || !all->cores || !(c->overdue || is_source(c)))
        return false;
    c->own_nmis++;
    if (!c->overdue) {
        next = look(c);
        if (next)
            start(all->used, next);
        else
            __atomic_store_n(&all->set, 0, __ATOMIC_SEQ_CST);
    }
    c->overdue = false;
    /* Between two guarded calls it is the next one that ends. */
    if (deadline_passed(c))
        (void)guard_leave(c, f, GUARD_DEADLINE);
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool any_left(void)
{
    const struct cores *cores = all->cores;
    bool left = false;

    for (unsigned i = 0; i < cores->count; i++)
        left = left || (cores->core[i] && cores->core[i]->deadline);
    return left;
}

static void unset(void)
{
    if (all->used != DEADLINE_CORE && __atomic_exchange_n(&all->set, 0, __ATOMIC_SEQ_CST))
        nmi_timer_stop(&all->timer[all->used - DEADLINE_HPET]);
}

void deadline_begin(struct core *c)
{
    if (!all || !all->cores)
        return;
    /* Its own timer must not fire into what it measures. */
    if (all->set && all->used == DEADLINE_CORE && all->watch == c->index) {
        stop_own();
        __atomic_store_n(&all->set, 0, __ATOMIC_SEQ_CST);
    }
    c->overdue = false;
    c->deadline = rdtsc() + all->row;
    if (!__atomic_exchange_n(&all->set, 1, __ATOMIC_SEQ_CST))
        set_any(c, all->row);
}

/* A core's timer stays set: it finds no deadline, or a later one. */
void deadline_end(struct core *c)
{
    c->deadline = 0;
    if (all && all->cores && !any_left())
        unset();
}

/* --- from the machine's start to its end ------------------------------------------------------ */

void deadline_open(struct deadlines *d, struct cores *c, struct paging *p, const struct madt *madt,
                   const struct hpet_table *hpet)
{
    uint32_t boot = c->given.irq->lapic.id;
    bool borrowed = c->given.handoff->borrowed;

    d->cores = c;
    d->row = cores_ticks(c, (uint64_t)c->given.handoff->options.deadline * PER_SECOND);
    nmi_timer_hpet(&d->timer[0], p, madt, hpet, boot);
    nmi_timer_pit(&d->timer[1], p, madt, borrowed, boot);
    d->source[DEADLINE_CORE] = (struct deadline_source){
        "core", borrowed ? "the firmware has the cores' timers" : "no other core sleeps"};
    d->source[DEADLINE_HPET] = (struct deadline_source){"hpet", d->timer[0].why_not};
    d->source[DEADLINE_PIT] = (struct deadline_source){"pit", d->timer[1].why_not};
}

/* Bounded by itself, for a source that does not fire. */
static void spin(void *ticks)
{
    uint64_t began = rdtsc(), most = *(uint64_t *)ticks;

    while (rdtsc() - began < most)
        pause();
}

static const char *try_one(struct core *c, unsigned source)
{
    uint64_t most = cores_ticks(all->cores, TRY_MOST_US);
    struct guard_ended ended;
    bool fired;

    c->deadline = rdtsc() + cores_ticks(all->cores, TRY_US);
    all->set = 1;
    fired = set(c, source, cores_ticks(all->cores, TRY_US)) && !guard_call(c, spin, &most, &ended);
    deadline_end(c);
    all->set = 0;
    return fired ? NULL : "no NMI came of it";
}

void deadline_count_virtual(struct deadlines *d)
{
    d->row *= DEADLINE_VIRTUAL;
}

void deadline_try(struct deadlines *d)
{
    struct cores *c = d->cores;
    struct core *boot = c->given.boot;

    all = d;
    if (!c->given.handoff->borrowed && !c->why_alone && sleeper(boot) < c->count)
        d->source[DEADLINE_CORE].why_not = NULL;
    for (unsigned i = 0; i < DEADLINE_SOURCES; i++)
        if (!d->source[i].why_not)
            d->source[i].why_not = try_one(boot, i);
}

void deadline_close(struct deadlines *d)
{
    if (!d->cores)
        return;
    for (unsigned i = 0; i < 2; i++)
        nmi_timer_close(&d->timer[i]);
    d->cores = NULL;
}
