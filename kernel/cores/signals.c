/*
 * Signals between cores, timed: the offset of their TSCs, wake-ups, interrupts, and TLB shootdowns
 * as kernels do them. There one core has changed a page table, and interrupts the cores whose TLBs
 * may have the old entry; each invalidates it and acknowledges. In turn two pages with other
 * numbers are mapped, so that a core which still uses the old entry reads a wrong number.
 */
#include "kernel/cores/smp.h"

#define ROUNDS   32
#define BEGIN_US 5000 /* no new round starts after this time, ... */
#define ROUND_US                                                                                   \
    1000000 /* ... which one round can last: many virtual CPUs may share few real ones */
#define THE_END ~0ull

#define SIGNAL_US 1000000 /* limit of one wake-up or one interrupt */

struct comparison {
    struct core *core;
    uint64_t begin, round; /* ticks */
    struct tsc_offset offset;
};

/* On the other core: answers each ping with this core's TSC. */
static void answer_pings(void *ctx, unsigned core)
{
    const struct comparison *cmp = ctx;
    struct core *c = cmp->core;

    (void)core;
    /* Not bounded here: the boot core gives this core up if it does not finish. */
    for (uint64_t answered = 0, ping; (ping = c->ping) != THE_END; pause()) {
        if (ping != answered) {
            uint64_t now = rdtsc();
            c->pong = now ? now : 1;
            answered = ping;
        }
    }
}

static void send_pings(void *ctx)
{
    struct comparison *cmp = ctx;
    struct core *c = cmp->core;
    uint64_t began = rdtsc(), t0 = began;

    for (uint64_t round = 1; round <= ROUNDS && t0 - began <= cmp->begin; round++) {
        c->pong = 0;
        t0 = rdtsc();
        c->ping = round;
        while (!c->pong && rdtsc() - t0 <= cmp->round)
            pause();
        if (c->pong)
            tsc_offset_add(&cmp->offset, t0, c->pong, rdtsc());
    }
    c->ping = THE_END;
}

bool time_compare_tsc(struct cores *all, unsigned i)
{
    struct core_facts *f = &all->facts[i];
    struct comparison cmp = {
        .core = all->core[i],
        .begin = cores_ticks(all, BEGIN_US),
        .round = cores_ticks(all, ROUND_US),
    };

    cmp.core->ping = 0;
    if (!cores_try(all, &i, 1, answer_pings, &cmp, send_pings, cmp.begin + 3 * cmp.round) ||
        cmp.offset.rounds == 0)
        return false;
    f->tsc_offset = cmp.offset.ahead;
    f->tsc_offset_error = cmp.offset.error;
    return true;
}

/* Returns the ticks from `from` of the boot core's TSC to `to` of core i's. */
static int64_t between(const struct cores *all, unsigned i, uint64_t from, uint64_t to)
{
    return (int64_t)(to - from) - all->facts[i].tsc_offset;
}

static void do_nothing(void *ctx, unsigned core)
{
    (void)ctx;
    (void)core;
}

bool time_wake(struct cores *all, unsigned i, int64_t *ticks)
{
    if (i == 0 || !cores_try(all, &i, 1, do_nothing, NULL, NULL, cores_ticks(all, SIGNAL_US)))
        return false;
    *ticks = between(all, i, all->rendezvous.sent, all->core[i]->woke);
    return true;
}

static bool platform_wake(const struct platform *p, unsigned i, int64_t *ticks)
{
    (void)p;
    return time_wake(core_current()->cores, i, ticks);
}

struct signal {
    struct core *to;
    uint64_t t0;
};

static bool signal_core(const struct core *c)
{
    return lapic_ipi(c->parking->lapic, c->apic_id, ICR_FIXED | VECTOR_SIGNAL);
}

/* On the running core: let the signals of other cores through, and block them again. */
static void allow_signals(void)
{
    write_cr8(CR8_ONLY_HIGHEST);
    sti();
}

static void block_signals(void)
{
    cli();
    write_cr8(CR8_HOLD_ALL);
}

static void receive_signal(void *ctx, unsigned core)
{
    struct signal *s = ctx;

    (void)core;
    s->to->ping = 1; /* this core is about to wait */
    allow_signals();
    while (!s->to->signalled)
        pause();
    block_signals();
}

static void send_signal(void *ctx)
{
    struct signal *s = ctx;

    (void)WAIT_FOR(s->to->ping, cores_ticks(s->to->cores, SIGNAL_US));
    s->t0 = rdtsc();
    /* If the signal cannot be sent, cores_try() gives the core up. */
    (void)signal_core(s->to);
}

static bool time_ipi(const struct platform *p, unsigned i, int64_t *ticks)
{
    struct cores *all = core_current()->cores;
    struct signal s = {0};

    (void)p;
    if (i == 0 || i >= all->count || all->facts[i].why_not)
        return false;
    s.to = all->core[i];
    s.to->ping = 0;
    s.to->signalled = false;
    if (!cores_try(all, &i, 1, receive_signal, &s, send_signal, 2 * cores_ticks(all, SIGNAL_US)))
        return false;
    *ticks = between(all, i, s.t0, s.to->woke);
    return true;
}

/* --- TLB shootdowns --------------------------------------------------------------------------- */

/* Limit of an acknowledgement. Many virtual CPUs, all of which run, may share few real ones. */
#define ANSWER_US   1000000
#define PER_CORE_US 100000

struct shooting {
    struct cores *all;
    const unsigned *list; /* the cores that are interrupted; `n` of them */
    unsigned n;
    struct platform_shootdown *shot;
    unsigned shots;
    uint64_t limit;
    volatile bool over;
    const char *why; /* NULL: all were acknowledged */
};

/* --- on a core that is interrupted ------------------------------------------------------------ */

/* Returns the ticks of the instructions, and of a reading of the TSC. */
#define TIMED(instructions)                                                                        \
    ({                                                                                             \
        uint32_t began_, ended_;                                                                   \
        __asm__ volatile("lfence; rdtsc; lfence; mov %%eax, %1\n\t" instructions                   \
                         "lfence; rdtsc; lfence"                                                   \
                         : "=&a"(ended_), "=&r"(began_)                                            \
                         : "r"(PAGING_SWAP_VA)                                                     \
                         : "rdx", "memory");                                                       \
        ended_ - began_;                                                                           \
    })

static void invalidate(struct core *c)
{
    struct core_shot *s = &c->shot;

    s->took = TIMED("invlpg (%2)\n\t");
    s->invalidated = rdtsc();
    s->arrived = c->woke;
    __atomic_store_n(&s->answers, s->answers + 1, __ATOMIC_RELEASE);
}

/* Keeps the page in this core's TLB until all shootdowns are over. */
static void listen(void *ctx, unsigned core)
{
    const struct shooting *s = ctx;
    struct core *c = s->all->core[core];
    uint64_t limit = (s->shots + 1) * s->limit, began = rdtsc();

    c->shot.reading = TIMED("");
    c->on_signal = invalidate;
    allow_signals();
    while (!s->over && rdtsc() - began <= limit) {
        c->shot.seen = *(volatile uint64_t *)PAGING_SWAP_VA;
        pause();
    }
    block_signals();
    c->on_signal = NULL;
}

/* --- on the boot core ------------------------------------------------------------------------- */

static bool await_all(const struct shooting *s, bool (*good)(const struct core *c, uint64_t number),
                      uint64_t number)
{
    for (unsigned k = 0; k < s->n; k++)
        if (!WAIT_FOR(good(s->all->core[s->list[k]], number), s->limit))
            return false;
    return true;
}

static bool has_answered(const struct core *c, uint64_t number)
{
    return __atomic_load_n(&c->shot.answers, __ATOMIC_ACQUIRE) == number;
}

static bool has_seen(const struct core *c, uint64_t number)
{
    return c->shot.seen == number;
}

/* The same; 0 if they are below 0, by the error of the offset. */
static uint64_t ticks_between(const struct cores *all, unsigned i, uint64_t from, uint64_t to)
{
    int64_t ticks = between(all, i, from, to);

    return ticks < 0 ? 0 : (uint64_t)ticks;
}

/* Sets the parts that the other cores have timed. */
static void add_parts(const struct shooting *s, uint64_t began, uint64_t ended,
                      struct platform_shootdown *shot)
{
    uint64_t *part = shot->part, last = 0, sum = 0;

    for (unsigned k = 0; k < s->n; k++) {
        const struct core_shot *c = &s->all->core[s->list[k]]->shot;
        uint64_t arrived = ticks_between(s->all, s->list[k], began, c->arrived);
        uint64_t done = ticks_between(s->all, s->list[k], began, c->invalidated);
        if (arrived > part[PLATFORM_SHOOTDOWN_HANDLER])
            part[PLATFORM_SHOOTDOWN_HANDLER] = arrived;
        last = done > last ? done : last;
        sum += c->took > c->reading ? c->took - c->reading : 0;
    }
    part[PLATFORM_SHOOTDOWN_TOTAL] = ended - began;
    part[PLATFORM_SHOOTDOWN_INVALIDATE] = sum / s->n;
    part[PLATFORM_SHOOTDOWN_ACKNOWLEDGE] = ended - began > last ? ended - began - last : 0;
}

/* Returns NULL, or what failed. */
static const char *shoot_down(struct shooting *s, uint64_t number, struct platform_shootdown *shot)
{
    *shot = (struct platform_shootdown){{0}};
    paging_swap(s->all->given.paging, number);
    uint64_t began = rdtsc();
    for (unsigned k = 0; k < s->n; k++)
        if (!signal_core(s->all->core[s->list[k]]))
            return "the interrupt of a shootdown cannot be sent";
    shot->part[PLATFORM_SHOOTDOWN_SEND] = rdtsc() - began;
    if (!await_all(s, has_answered, number))
        return "a core did not acknowledge a shootdown in time";
    add_parts(s, began, rdtsc(), shot);
    return await_all(s, has_seen, number)
               ? NULL
               : "a core used the old translation after a shootdown that it acknowledged";
}

static void shoot_all(void *ctx)
{
    struct shooting *s = ctx;

    if (!await_all(s, has_seen, 0))
        s->why = "a core did not begin to read the page of the shootdowns in time";
    for (unsigned i = 0; i < s->shots && !s->why; i++)
        s->why = shoot_down(s, i + 1, &s->shot[i]);
    s->over = true;
}

static const char *shootdown(const struct platform *p, const unsigned *list, unsigned n,
                             struct platform_shootdown *shot, unsigned shots)
{
    struct cores *all = core_current()->cores;
    struct shooting s = {.all = all,
                         .list = list,
                         .n = n,
                         .shot = shot,
                         .shots = shots,
                         .limit = cores_ticks(all, ANSWER_US + n * PER_CORE_US)};

    (void)p;
    for (unsigned k = 0; k < n; k++) {
        if (all->facts[list[k]].why_not)
            return all->facts[list[k]].why_not;
        all->core[list[k]]->shot = (struct core_shot){.seen = ~0ull};
    }
    paging_swap(all->given.paging, 0);
    if (!cores_try(all, list, n, listen, &s, shoot_all, 2 * s.limit) && !s.why)
        s.why = "a core did not end its part in the shootdowns";
    return s.why;
}

void signals_open(struct platform_cores *p)
{
    p->wake = platform_wake;
    p->ipi = time_ipi;
    p->shootdown = shootdown;
}
