/*
 * TLB shootdowns, as kernels do them: one core has changed a page table, and interrupts the cores
 * whose TLBs may have the old entry; each invalidates it and acknowledges. In turn two pages with
 * other numbers are mapped, so that a core which still uses the old entry reads a wrong number.
 */
#include "kernel/cores/smp.h"
#include "kernel/cpu/instructions.h"

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
    park_listen();
    while (!s->over && rdtsc() - began <= limit) {
        c->shot.seen = *(volatile uint64_t *)PAGING_SWAP_VA;
        pause();
    }
    park_deafen();
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

/* Returns the ticks from `from` of the boot core's TSC to `to` of core i's. 0: they are below 0, by
 * the error of the offset. */
static uint64_t between(const struct shooting *s, unsigned i, uint64_t from, uint64_t to)
{
    int64_t ticks = (int64_t)(to - from) - s->all->facts[i].tsc_offset;

    return ticks < 0 ? 0 : (uint64_t)ticks;
}

/* Sets the parts that the other cores have timed. */
static void add_parts(const struct shooting *s, uint64_t began, uint64_t ended,
                      struct platform_shootdown *shot)
{
    uint64_t *part = shot->part, last = 0, sum = 0;

    for (unsigned k = 0; k < s->n; k++) {
        const struct core_shot *c = &s->all->core[s->list[k]]->shot;
        uint64_t arrived = between(s, s->list[k], began, c->arrived);
        uint64_t done = between(s, s->list[k], began, c->invalidated);
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
        if (!park_signal(s->all->core[s->list[k]]))
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

const char *cores_shootdown(struct cores *all, const unsigned *list, unsigned n,
                            struct platform_shootdown *shot, unsigned shots)
{
    struct shooting s = {.all = all,
                         .list = list,
                         .n = n,
                         .shot = shot,
                         .shots = shots,
                         .limit = cores_ticks(all, ANSWER_US + n * PER_CORE_US)};

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
