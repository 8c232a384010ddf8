#include "kernel/cores/cores.h"
#include "kernel/cores/lent.h"
#include "kernel/cores/park.h"
#include "kernel/cpu/cpu.h"
#include "kernel/machine/machine.h"
#include "kernel/trap/fault.h"
#include "lib/text/fmt.h"

#define ASLEEP_US 1000000 /* a core that has nothing to do is asleep long before */
#define SETTLE_US 2       /* the two instructions between saying so and being so */
#define PRINT_US  2000000 /* a fault's report at 9600 baud; whoever prints may have faulted again */

#define ICR_INIT (5u << 8 | 1u << 14) /* SDM vol. 3A figure 11-12: INIT, level assert */

static struct machine *machine;
static uint32_t printing; /* 1 + index of the core whose fault is on the console */

void core_run_init(struct machine *m)
{
    machine = m;
}

static bool asleep(const struct core *c)
{
    return park_wait_asleep(c, cores_ticks(machine, ASLEEP_US), cores_ticks(machine, SETTLE_US));
}

/* --- on every core that takes part ------------------------------------------------------------- */

/* True: all others had finished. */
static bool finish(struct core_meeting *m, const struct core *c)
{
    bool last = __atomic_sub_fetch(&m->left, 1, __ATOMIC_SEQ_CST) == 0;

    /* A wake-up that cannot be sent leaves the boot core asleep: there is no other way to it. */
    if (last && c != machine->core)
        (void)park_wake(machine->core);
    return last;
}

static bool take_part(struct core *c)
{
    struct core_job job = c->job;

    paging_use(&machine->paging, c, c->tables && job.meeting->n > 1);
    /* The boot core was about to sleep when it woke us; where it cannot, there is nobody to tell. */
    if (!job.meeting->boot_takes_part)
        (void)asleep(machine->core);
    job.fn(job.ctx, c->index);
    paging_use(&machine->paging, c, false);
    c->job.fn = NULL;
    return finish(job.meeting, c);
}

void core_work(struct core *c)
{
    if (c->job.fn)
        (void)take_part(c);
}

/* --- the caller, on the boot core ------------------------------------------------------------- */

static void invite(struct core_meeting *m, void (*fn)(void *ctx, unsigned core), void *ctx)
{
    for (unsigned k = 0; k < m->n; k++) {
        machine->cores.core[m->list[k]]->job = (struct core_job){fn, ctx, m};
    }
}

/* NULL, or why one of the list cannot be called now. */
static const char *check(const unsigned *list, unsigned n)
{
    const struct cores *cores = &machine->cores;

    for (unsigned k = 0; k < n; k++) {
        unsigned i = list[k];
        if (i >= cores->count)
            return "there is no core of that number";
        if (cores->facts[i].why_not)
            return cores->facts[i].why_not;
        if (i > 0 && !asleep(cores->core[i]))
            return "it still runs what it was given before";
    }
    return NULL;
}

/* Cores that cannot be woken are out, for good. False: nobody is left to wait for. */
static bool wake(struct core_meeting *m)
{
    struct cores *cores = &machine->cores;

    for (unsigned k = 0; k < m->n; k++) {
        struct core *c = cores->core[m->list[k]];
        if (c == machine->core)
            continue;
        m->sent = rdtsc();
        if (park_wake(c))
            continue;
        cores->facts[c->index].why_not = "the interrupt that wakes it cannot be sent";
        if (__atomic_sub_fetch(&m->left, 1, __ATOMIC_SEQ_CST) == 0)
            return false;
    }
    return true;
}

static const char *outcome(const unsigned *list, unsigned n)
{
    const char *why_not = NULL;

    for (unsigned k = 0; k < n; k++) {
        unsigned i = list[k];
        const struct core *c = machine->cores.core[i];
        if (i > 0 && !c->faulted && !asleep(c))
            machine->cores.facts[i].why_not = "it did not go back to sleep";
        if (!why_not)
            why_not = machine->cores.facts[i].why_not;
    }
    return why_not;
}

static const char *call(const unsigned *list, unsigned n, void (*fn)(void *ctx, unsigned core),
                        void *ctx)
{
    struct core_meeting *m = &machine->cores.meeting;
    struct core *boot = machine->core;
    const char *why_not = check(list, n);
    bool boot_in = false;

    if (why_not)
        return why_not;
    screen_paint(&machine->screen); /* now: those who are called must not */
    for (unsigned k = 0; k < n; k++)
        boot_in = boot_in || list[k] == 0;
    *m = (struct core_meeting){.list = list, .n = n, .boot_takes_part = boot_in, .left = n};
    invite(m, fn, ctx);
    if (wake(m) && !(boot_in && take_part(boot)))
        park_sleep(boot);
    return outcome(list, n);
}

/* It never came to the end of what it was given. */
static void give_up(struct core *c)
{
    if (c->lent)
        (void)lent_recall(machine, c);
    else
        (void)lapic_ipi(&machine->irq.lapic, c->apic_id, ICR_INIT);
}

bool core_try(unsigned i, void (*fn)(void *ctx, unsigned core), void *ctx, void (*here)(void *ctx),
              uint64_t ticks)
{
    struct core_meeting *m = &machine->cores.meeting;
    struct core *c = machine->cores.core[i];
    unsigned list[1] = {i};
    uint64_t began = rdtsc();

    if (check(list, 1))
        return false;
    *m = (struct core_meeting){.list = list, .n = 1, .boot_takes_part = true, .left = 1};
    invite(m, fn, ctx);
    if (!wake(m))
        return false;
    if (here)
        here(ctx);
    while (__atomic_load_n(&m->left, __ATOMIC_SEQ_CST) > 0) {
        if (rdtsc() - began > ticks) {
            give_up(c);
            return false;
        }
        pause();
    }
    park_sleep(machine->core); /* its wake-up is on its way */
    return !outcome(list, 1);
}

const char *core_run(unsigned i, void (*fn)(void *ctx, unsigned core), void *ctx)
{
    if (i == 0) {
        fn(ctx, 0);
        return NULL;
    }
    return call(&i, 1, fn, ctx);
}

const char *core_together(const unsigned *list, unsigned n, void (*fn)(void *ctx, unsigned core),
                          void *ctx)
{
    return n == 1 ? core_run(list[0], fn, ctx) : call(list, n, fn, ctx);
}

/* --- faults ----------------------------------------------------------------------------------- */

static void print_alone(struct machine *m, const struct core *c, const struct trap_frame *f)
{
    uint64_t began = rdtsc(), patience = cores_ticks(m, PRINT_US);
    uint32_t nobody = 0;

    while (!__atomic_compare_exchange_n(&printing, &nobody, c->index + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST) &&
           rdtsc() - began < patience) {
        nobody = 0;
        pause();
    }
    fault_print(m, f);
    __atomic_store_n(&printing, 0, __ATOMIC_SEQ_CST);
}

_Noreturn void cores_faulted(struct machine *m, struct core *c, const struct trap_frame *f)
{
    struct core_meeting *meeting = c->job.fn ? c->job.meeting : NULL;

    /* A second fault comes out of the report of the first: only the others matter then. */
    if (!c->faulted) {
        c->faulted = true;
        fault_describe(f, c->fault, sizeof c->fault);
        if (c->index > 0)
            m->cores.facts[c->index].why_not = c->fault;
        else
            m->cores.lost = c->fault; /* on its way in: it has no number yet */
        __atomic_add_fetch(&m->cores.faulted, 1, __ATOMIC_SEQ_CST);
        print_alone(m, c, f);
    }
    if (meeting) {
        c->job.fn = NULL;
        finish(meeting, c);
    }
    if (c->lent)
        lent_stop(c);
    c->asleep = true;
    cpu_halt();
}
