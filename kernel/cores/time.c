#include "kernel/cores/smp.h"
#include "kernel/cpu/instructions.h"

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
static void answer(void *ctx, unsigned core)
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

static void ask(void *ctx)
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
    if (!cores_try(all, &i, 1, answer, &cmp, ask, cmp.begin + 3 * cmp.round) ||
        cmp.offset.rounds == 0)
        return false;
    f->tsc_offset = cmp.offset.ahead;
    f->tsc_offset_error = cmp.offset.error;
    return true;
}

/* Returns the ticks from t0 to when core i took the signal, on the boot core's TSC. */
static int64_t took(const struct cores *all, unsigned i, uint64_t t0)
{
    return (int64_t)(all->core[i]->woke - t0) - all->facts[i].tsc_offset;
}

static void nothing(void *ctx, unsigned core)
{
    (void)ctx;
    (void)core;
}

bool time_wake(struct cores *all, unsigned i, int64_t *ticks)
{
    if (i == 0 || !cores_try(all, &i, 1, nothing, NULL, NULL, cores_ticks(all, SIGNAL_US)))
        return false;
    *ticks = took(all, i, all->meeting.sent);
    return true;
}

struct signal {
    struct core *to;
    uint64_t t0;
};

static void receive(void *ctx, unsigned core)
{
    struct signal *s = ctx;

    (void)core;
    s->to->ping = 1; /* this core is about to wait */
    park_await_signal(s->to);
}

static void send(void *ctx)
{
    struct signal *s = ctx;

    (void)WAIT_FOR(s->to->ping, cores_ticks(s->to->cores, SIGNAL_US));
    s->t0 = rdtsc();
    /* If the signal cannot be sent, cores_try() gives the core up. */
    (void)park_signal(s->to);
}

bool time_ipi(struct cores *all, unsigned i, int64_t *ticks)
{
    struct signal s = {0};

    if (i == 0 || i >= all->count || all->facts[i].why_not)
        return false;
    s.to = all->core[i];
    s.to->ping = 0;
    s.to->signalled = false;
    if (!cores_try(all, &i, 1, receive, &s, send, 2 * cores_ticks(all, SIGNAL_US)))
        return false;
    *ticks = took(all, i, s.t0);
    return true;
}
