/* TSCs compared, and how long it takes to wake or to interrupt a core. */
#include "kernel/cores/cores.h"
#include "kernel/cores/park.h"
#include "kernel/cpu/cpu.h"
#include "kernel/machine/machine.h"

#define ROUNDS   32
#define BEGIN_US 5000 /* no further round is begun after so long, ... */
#define ROUND_US                                                                                   \
    1000000 /* ... which one of many virtual CPUs on few real ones can take by itself */
#define THE_END ~0ull

#define SIGNAL_US 1000000 /* for one wake-up or one interrupt */

static struct machine *machine;

struct comparison {
    struct core *core;
    uint64_t begin, round; /* ticks */
    struct tsc_offset offset;
};

/* On the other core: each ping that comes is answered by the time here. */
static void answer(void *ctx, unsigned core)
{
    const struct comparison *cmp = ctx;
    struct core *c = cmp->core;

    (void)core;
    /* Not bounded by itself: whoever asks stops this core where it does not come to the end. */
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

bool core_compare_tsc(struct machine *m, unsigned i)
{
    struct core_facts *f = &m->cores.facts[i];
    struct comparison cmp = {
        .core = m->cores.core[i],
        .begin = cores_ticks(m, BEGIN_US),
        .round = cores_ticks(m, ROUND_US),
    };

    machine = m;
    cmp.core->ping = 0;
    if (!core_try(i, answer, &cmp, ask, cmp.begin + 3 * cmp.round) || cmp.offset.rounds == 0)
        return false;
    f->tsc_offset = cmp.offset.ahead;
    f->tsc_offset_error = cmp.offset.error;
    return true;
}

/* From t0 here to when core i says that it came, on the boot core's TSC. */
static int64_t took(unsigned i, uint64_t t0)
{
    return (int64_t)(machine->cores.core[i]->woke - t0) - machine->cores.facts[i].tsc_offset;
}

static void nothing(void *ctx, unsigned core)
{
    (void)ctx;
    (void)core;
}

bool core_time_wake(unsigned i, int64_t *ticks)
{
    if (i == 0 || !core_try(i, nothing, NULL, NULL, cores_ticks(machine, SIGNAL_US)))
        return false;
    *ticks = took(i, machine->cores.meeting.sent);
    return true;
}

static void receive(void *ctx, unsigned core)
{
    struct core *c = machine->cores.core[core];

    (void)ctx;
    c->ping = 1; /* it is there, and about to wait */
    park_await_signal(c);
}

struct signal {
    struct core *to;
    uint64_t t0;
};

static void send(void *ctx)
{
    struct signal *s = ctx;
    uint64_t began = rdtsc(), ticks = cores_ticks(machine, SIGNAL_US);

    while (!s->to->ping && rdtsc() - began < ticks)
        pause();
    s->t0 = rdtsc();
    /* One that is not sent is not answered: whoever waits for the core stops it then. */
    (void)park_signal(s->to);
}

bool core_time_ipi(unsigned i, int64_t *ticks)
{
    struct signal s = {0};

    if (i == 0 || i >= machine->cores.count || machine->cores.facts[i].why_not)
        return false;
    s.to = machine->cores.core[i];
    s.to->ping = 0;
    s.to->signalled = false;
    if (!core_try(i, receive, &s, send, 2 * cores_ticks(machine, SIGNAL_US)))
        return false;
    *ticks = took(i, s.t0);
    return true;
}
