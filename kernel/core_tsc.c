#include "kernel/cores.h"
#include "kernel/cpu.h"
#include "kernel/machine.h"

#define ROUNDS   32
#define BEGIN_US 5000 /* no further round is begun after so long, ... */
#define ROUND_US                                                                                   \
    1000000 /* ... which one of many virtual CPUs on few real ones can take by itself */
#define THE_END ~0ull

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

    cmp.core->ping = 0;
    if (!core_try(i, answer, &cmp, ask, cmp.begin + 3 * cmp.round) || cmp.offset.rounds == 0)
        return false;
    f->tsc_offset = cmp.offset.ahead;
    f->tsc_offset_error = cmp.offset.error;
    return true;
}
