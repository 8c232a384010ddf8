/* Cores, APIC timers, an HPET, a PIT and counters for tests of kernel/cores/deadline.c, in a time
 * that the test advances. */
#ifndef TESTS_FAKE_DEADLINE_H
#define TESTS_FAKE_DEADLINE_H

#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/devices/irq.h"
#include "kernel/devices/device_registers.h"
#include "kernel/cores/deadline.c" /* included: its hooks use `all`, which is static */

#define CORES    4
#define A_SECOND 1000000000ull /* ticks: the TSC has 1 GHz */
#define APIC_HZ  62500000ull
#define ROW      (5 * A_SECOND)
#define HPET_US  21000000ull
#define PIT_US   54925ull
#define PIT      (DEADLINE_PIT - DEADLINE_HPET)

static struct core core[CORES];
static struct core *list[CORES];
static struct core_facts facts[CORES];
static struct handoff handoff;
static struct irq_masked irq;
static struct deadlines d;
static struct cores cores;

static struct {
    uint64_t tsc;
    unsigned here; /* the core whose code runs */
    uint64_t apic_began[CORES], apic_counts[CORES];
    bool apic_open[CORES];
    uint64_t timer_at[2]; /* when HPET and PIT fire; 0: not set */
    unsigned started[2], stopped[2], nmis[CORES], left;
    uint64_t counter_at[CORES]; /* when a core's own counter fires, ... */
    unsigned counter_early;     /* ... by a faster clock */
    bool no_counter;
    bool deaf;                /* cores do not answer */
    uint64_t held_up;         /* ticks, at the next look at an APIC's count ... */
    uint64_t held_up_before;  /* ... and before the next one begins to count */
    void (*meanwhile)(void);  /* once, with the next NMI that is sent, or timer that is stopped */
    void (*before_nmi)(void); /* once, before the next NMI is sent */
} fake;

uint64_t rdtsc(void)
{
    return fake.tsc += 20;
}

uint64_t cores_ticks(const struct cores *c, uint64_t microseconds)
{
    return microseconds * (A_SECOND / 1000000);
}

void park_interrupt(struct core *c, unsigned vector)
{
}

bool guard_leave(struct core *c, struct trap_frame *f, enum guard_end by)
{
    assert_int_equal(by, GUARD_DEADLINE);
    fake.left++;
    return true;
}

bool guard_call(struct core *c, void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    fn(ctx);
    return true;
}

static void call_once(void (**fn)(void))
{
    void (*now)(void) = *fn;

    *fn = NULL;
    if (now)
        now();
}

static void other_things_happen(void)
{
    call_once(&fake.meanwhile);
}

/* --- APICs ------------------------------------------------------------------------------------ */

static uint64_t apic_counted(unsigned i)
{
    return (fake.tsc - fake.apic_began[i]) / (A_SECOND / 1000000) * APIC_HZ / 1000000;
}

bool lapic_read(const struct lapic *l, uint32_t offset, uint32_t *v)
{
    uint64_t gone;

    if (offset == LAPIC_LVT_COUNTERS)
        return true;
    assert_int_equal(offset, LAPIC_TIMER_CURRENT);
    fake.tsc += fake.held_up;
    fake.held_up = 0;
    gone = apic_counted(fake.here);
    *v = gone < fake.apic_counts[fake.here] ? (uint32_t)(fake.apic_counts[fake.here] - gone) : 0;
    return true;
}

void lapic_write(const struct lapic *l, uint32_t offset, uint32_t v)
{
    if (offset == LAPIC_LVT_TIMER)
        fake.apic_open[fake.here] = !(v & ENTRY_MASKED);
    if (offset == LAPIC_TIMER_INITIAL) {
        fake.tsc += fake.held_up_before;
        fake.held_up_before = 0;
        fake.apic_began[fake.here] = fake.tsc;
        fake.apic_counts[fake.here] = v;
    }
}

/* Returns when a core's own timer fires; 0: never. */
static uint64_t apic_at(unsigned i)
{
    if (!fake.apic_open[i] || !fake.apic_counts[i])
        return 0;
    return fake.apic_began[i] + fake.apic_counts[i] * (A_SECOND / 1000) / (APIC_HZ / 1000) + 1;
}

static void interrupt(unsigned i)
{
    unsigned before = fake.here;

    fake.here = i;
    deadline_interrupt(&core[i], VECTOR_WATCH);
    fake.here = before;
}

bool lapic_ipi(const struct lapic *l, uint32_t apic_id, uint32_t command)
{
    if (command == ICR_NMI) {
        call_once(&fake.before_nmi);
        fake.nmis[apic_id]++;
        other_things_happen();
    } else if (!fake.deaf) {
        interrupt(apic_id);
    }
    return true;
}

/* --- HPET and PIT ----------------------------------------------------------------------------- */

void nmi_timer_hpet(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                    const struct hpet_table *hpet, uint32_t to, const struct nmi_timer *other)
{
    *t = (struct nmi_timer){.us_most = HPET_US};
}

void nmi_timer_pit(struct nmi_timer *t, struct paging *p, const struct madt *madt, bool borrowed,
                   uint32_t to)
{
    *t = (struct nmi_timer){.us_most = PIT_US};
    t->why_not = borrowed ? "borrowed" : NULL;
}

uint64_t nmi_timer_start(const struct nmi_timer *t, uint64_t us)
{
    us = us < t->us_most ? us : t->us_most;
    fake.timer_at[t - d.timer] = fake.tsc + us * (A_SECOND / 1000000);
    fake.started[t - d.timer]++;
    return us;
}

void nmi_timer_stop(const struct nmi_timer *t)
{
    fake.timer_at[t - d.timer] = 0;
    fake.stopped[t - d.timer]++;
    other_things_happen();
}

void nmi_timer_close(const struct nmi_timer *t)
{
}

/* --- a core's own counter ------------------------------------------------------------------- */

const struct msr_access msr_here;

static unsigned core_of(const struct overflow *o)
{
    const struct core *c = (const void *)((const char *)o - offsetof(struct core, overflow));

    return c->index;
}

void overflow_decode(struct overflow_plan *p, cpuid_fn cpuid, void *ctx)
{
}

const char *overflow_absent(const struct overflow_plan *p)
{
    return "this machine has none";
}

const char *overflow_start(struct overflow *o, const struct overflow_plan *p,
                           const struct msr_access *a, uint64_t counts)
{
    if (fake.no_counter)
        return "in use";
    o->set = true;
    fake.counter_at[core_of(o)] = fake.tsc + counts / fake.counter_early;
    return NULL;
}

bool overflow_came(const struct overflow *o, const struct msr_access *a)
{
    return o->set && fake.tsc >= fake.counter_at[core_of(o)];
}

bool overflow_again(const struct overflow *o, const struct msr_access *a, uint64_t counts)
{
    fake.counter_at[core_of(o)] = counts == UINT64_MAX ? counts : fake.tsc + counts;
    return true;
}

bool overflow_stop(struct overflow *o, const struct msr_access *a)
{
    o->set = false;
    return true;
}

/* --- for the tests ---------------------------------------------------------------------------- */

static bool nmi(unsigned i)
{
    struct trap_frame f = {0};

    fake.nmis[i] = 0;
    return deadline_nmi(&core[i], &f);
}

/* Advances to the next timer that fires, with all consequences. Returns false if none is set. */
static bool next_event(void)
{
    uint64_t at[2 + CORES], first = 0;
    unsigned which = 0;

    memcpy(at, fake.timer_at, sizeof fake.timer_at);
    for (unsigned i = 0; i < CORES; i++)
        at[2 + i] = apic_at(i);
    for (unsigned i = 0; i < 2 + CORES; i++)
        if (at[i] && (!first || at[i] < first)) {
            first = at[i];
            which = i;
        }
    if (!first)
        return false;
    fake.tsc = fake.tsc > first ? fake.tsc : first;
    if (which < 2) {
        fake.timer_at[which] = 0;
        assert_true(nmi(0));
    } else {
        fake.apic_counts[which - 2] = 0;
        interrupt(which - 2);
    }
    for (unsigned i = 0; i < CORES; i++)
        if (fake.nmis[i])
            assert_true(nmi(i));
    return true;
}

/* Runs until a row is ended, which must not be before its deadline nor a hundredth later. */
static unsigned shots_until_left(uint64_t began, uint64_t row)
{
    unsigned shots = 0;

    for (; fake.left == 0; shots++)
        assert_true(next_event());
    assert_in_range(fake.tsc - began, row, row + row / 100);
    return shots;
}

static void open_with(bool borrowed, bool count_virtual, const char *hpet, const char *pit)
{
    handoff.borrowed = borrowed;
    handoff.options.deadline = ROW / A_SECOND;
    deadline_open(&d, &cores, NULL, NULL, NULL);
    d.source[DEADLINE_HPET].why_not = hpet;
    d.source[DEADLINE_PIT].why_not = pit;
    all = &d;
    if (!borrowed) {
        d.source[DEADLINE_CORE].why_not = NULL;
        d.apic_hz = apic_timer_measure(own_lapic(), A_SECOND);
    }
    if (count_virtual)
        deadline_count_virtual(&d);
}

static void set_up(void)
{
    memset(&fake, 0, sizeof fake);
    memset(core, 0, sizeof core);
    memset(facts, 0, sizeof facts);
    memset(&d, 0, sizeof d);
    fake.tsc = 12345678;
    fake.counter_early = 1;
    cores = (struct cores){.count = CORES, .core = list, .facts = facts};
    cores.given.handoff = &handoff;
    cores.given.irq = &irq;
    cores.given.boot = &core[0];
    for (unsigned i = 0; i < CORES; i++) {
        list[i] = &core[i];
        core[i].index = core[i].apic_id = i;
        core[i].cores = &cores;
        core[i].asleep = i > 0;
    }
}

#endif
