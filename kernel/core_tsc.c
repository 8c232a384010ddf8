#include "kernel/cores.h"
#include "kernel/cpu.h"
#include "kernel/machine.h"

#define ROUNDS   32
#define ROUND_US 200000 /* one round among many virtual CPUs on few real ones */

struct comparison {
    struct core *core;
    uint64_t ticks; /* that a round may take */
    struct tsc_offset offset;
};

/* On the other core: each ping that comes is answered by the time here. */
static void answer(void *ctx, unsigned core)
{
    const struct comparison *cmp = ctx;
    struct core *c = cmp->core;
    uint64_t began = rdtsc();

    (void)core;
    for (uint64_t round = 1; round <= ROUNDS;) {
        if (c->ping == round) {
            uint64_t now = rdtsc();
            c->pong = now ? now : 1;
            round++;
            began = now;
        } else if (rdtsc() - began > cmp->ticks) {
            return;
        } else {
            pause();
        }
    }
}

static void ask(void *ctx)
{
    struct comparison *cmp = ctx;
    struct core *c = cmp->core;

    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t t0;
        c->pong = 0;
        t0 = rdtsc();
        c->ping = round;
        while (!c->pong && rdtsc() - t0 <= cmp->ticks)
            pause();
        if (!c->pong)
            return;
        tsc_offset_add(&cmp->offset, t0, c->pong, rdtsc());
    }
}

bool core_compare_tsc(struct machine *m, unsigned i)
{
    struct core_facts *f = &m->cores.facts[i];
    struct comparison cmp = {.core = m->cores.core[i], .ticks = cores_ticks(m, ROUND_US)};

    cmp.core->ping = 0;
    if (!core_try(i, answer, &cmp, ask, 3 * ROUNDS * cmp.ticks) || cmp.offset.rounds == 0)
        return false;
    f->tsc_offset = cmp.offset.ahead;
    f->tsc_offset_error = cmp.offset.error;
    return true;
}
