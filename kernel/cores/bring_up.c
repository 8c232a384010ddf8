#include "kernel/cores/lent.h"
#include "kernel/cpu/instructions.h"

#define CALL_US 1000000 /* limit of the first call, which does nothing */
#define HOLD_US 50000   /* time that MWAIT must hold a core; an emulator may run it late */
#define OWN_US  100000  /* limit of an interrupt that the boot core sends to itself */

/* Lists the cores that get their own buffers (share=together). False: no core does. */
static bool have_buffers(struct core_list *named, const struct options *o)
{
    return o->share == SHARE_TOGETHER && core_list_parse(named, o->cores);
}

uint64_t cores_cost(const struct handoff *h)
{
    struct core_list named;
    unsigned cores = h->cores;
    uint64_t buffers =
        have_buffers(&named, &h->options) ? core_list_count(&named, cores) * paging_own_cost(h) : 0;

    return cores_list_cost(cores) + start_cost(cores) + (cores - 1) * core_cost(CORE_STACK_SIZE) +
           buffers;
}

/* Returns NULL, or why no other core can be used. */
static const char *refused(struct cores *c)
{
    struct core *boot = c->given.boot;
    const char *why_not;

    if (!c->given.irq->lapic.present)
        return "the boot core's APIC cannot be used";
    why_not = c->origin->refused(c);
    if (why_not)
        return why_not;
    c->parking = park_choose(c->given.cpu, &c->given.irq->lapic,
                             c->given.handoff->options.park == PARK_MWAIT);
    boot->parking = &c->parking;
    park_accept(boot->parking);
    if (!park_test_own(boot, cores_ticks(c, OWN_US)))
        return "the boot core does not get the interrupt that it sends to itself";
    return NULL;
}

/* Makes a struct core with its stacks for each core of the list. */
static const char *make_cores(struct cores *c)
{
    for (unsigned i = 1; i < c->count; i++) {
        struct core *core = core_new(c->given.arena, CORE_STACK_SIZE);
        if (!core)
            return "the arena has no room for their stacks";
        if (!paging_core(c->given.paging, core))
            return "the page tables have no room for the pages below their stacks";
        core->cores = c;
        core->parking = &c->parking;
        core->origin = c->origin;
        c->made[i] = core;
    }
    return NULL;
}

static void name_missing(struct cores *c)
{
    for (unsigned i = 1; i < c->count; i++)
        c->facts[i].why_not = c->core[i] ? NULL : c->origin->why_not(c, i);
}

static void count(void *ctx, unsigned core)
{
    (void)core;
    ++*(unsigned *)ctx;
}

static void try_all(struct cores *c)
{
    for (unsigned i = 1; i < c->count; i++) {
        unsigned before = c->called;
        if (c->facts[i].why_not)
            continue;
        if (!cores_try(c, &i, 1, count, &c->called, NULL, cores_ticks(c, CALL_US)) ||
            c->called != before + 1)
            c->facts[i].why_not = "it started, but does not wake when it is called";
        else if (!time_compare_tsc(c, i))
            c->facts[i].why_not = "its TSC could not be compared with the boot core's";
    }
}

/* A core that does not stay parked disturbs the one that measures. Testing one core is enough. */
static void try_mwait(struct cores *c)
{
    unsigned i = 1;

    while (i < c->count && c->facts[i].why_not)
        i++;
    if (c->parking.mwait && i < c->count && !park_test_mwait(c->core[i], cores_ticks(c, HOLD_US)))
        park_give_up_mwait(&c->parking, c->core, c->count);
}

static const char *make_buffers(struct cores *c)
{
    struct core_list named;

    if (!have_buffers(&named, &c->given.handoff->options))
        return NULL;
    for (unsigned i = 1; i < c->count; i++)
        if (!c->facts[i].why_not && core_list_has(&named, i) &&
            !paging_own(c->given.paging, c->given.arena, c->core[i]))
            return "share=together: the arena has no room for each core's buffers";
    return NULL;
}

const char *cores_bring_up(struct cores *c)
{
    uint64_t began = rdtsc();

    c->given.boot->cores = c;
    c->origin = c->given.handoff->borrowed ? &core_lent : &core_started;
    c->cr4 = read_cr4();
    c->efer = rdmsr(MSR_EFER);
    if (!cores_make_list(c))
        return "the list of cores: the arena is too small";
    core_inspect(c->given.boot);
    for (unsigned i = 1; i < c->count; i++)
        c->place[i] = c->place[0]; /* until core_inspect() runs on the core */
    if (c->count == 1)
        return NULL;
    c->why_alone = refused(c);
    if (!c->why_alone)
        c->why_alone = make_cores(c);
    if (!c->why_alone)
        c->why_alone = c->origin->bring(c);
    if (!c->why_alone) {
        name_missing(c);
        try_all(c);
        try_mwait(c);
    }
    c->start_ticks = rdtsc() - began;
    return make_buffers(c);
}
