#include "kernel/cores/smp.h"

/* SDM vol. 3A figure 11-23: the enable bit of the spurious-interrupt vector register; the low byte
 * is the vector. */
#define SPURIOUS_ENABLE (1u << 8)

#define EARLY_MOST 100 /* early ends of MWAIT tolerated in a test: interrupts and NMIs are few */

#define MWAIT_C1 0 /* EAX: the shallowest state, with the fastest exit; deeper ones power down */

struct parking park_choose(const struct cpu *cpu, const struct lapic *lapic, bool mwait)
{
    struct parking p = {.lapic = lapic, .mwait = mwait};

    if (!mwait)
        return p;
    if (!cpu->monitor)
        p.refused = "park=mwait: this CPU has no MONITOR (CPUID 1 ECX[3]), so it is hlt";
    /* SDM vol. 2A CPUID, leaf 5: the largest line that MONITOR watches, in bytes. */
    else if ((cpuid(5, 0).ebx & 0xffff) > CORE_LINE)
        p.refused =
            "park=mwait: MONITOR watches more bytes than a core has to itself, so it is hlt";
    p.mwait = !p.refused;
    return p;
}

const char *park_name(const struct parking *p)
{
    return p->mwait ? "mwait" : "hlt";
}

void park_accept(const struct parking *p)
{
    lapic_write(p->lapic, LAPIC_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
}

static void halt_once(void)
{
    /* Nothing is delivered between STI and HLT: a pending interrupt ends the HLT. */
    __asm__ volatile("sti; hlt; cli" : : : "memory");
}

static void mwait_once(struct core *c)
{
    __asm__ volatile("monitor" : : "a"(&c->wakes), "c"(0), "d"(0) : "memory");
    if (c->wakes != c->slept)
        return;
    /* Interrupts are enabled for deadlines; the wake-up itself is a write. */
    __asm__ volatile("sti; mwait; cli" : : "a"(MWAIT_C1), "c"(0) : "memory");
    c->woke = rdtsc();
    c->early += c->wakes == c->slept;
}

bool park_test_mwait(const struct core *c, uint64_t ticks)
{
    uint64_t before = c->early;

    return !WAIT_FOR(c->early - before >= EARLY_MOST, ticks);
}

void park_give_up_mwait(struct parking *p, struct core *const *cores, unsigned n)
{
    p->mwait = false;
    p->refused = "park=mwait: MWAIT returns at once here, as an emulator's does, so it is hlt";
    for (unsigned i = 0; i < n; i++) /* a write to its line ends a running MWAIT */
        if (cores[i])
            __atomic_fetch_add(&cores[i]->wakes, 0, __ATOMIC_SEQ_CST);
}

void park_sleep(struct core *c)
{
    write_cr8(CR8_ONLY_HIGHEST);
    /* An NMI, a machine check or an SMI also ends HLT and MWAIT: then the core sleeps again. */
    while (c->wakes == c->slept) {
        c->asleep = true;
        if (c->parking->mwait)
            mwait_once(c);
        else
            halt_once();
    }
    c->asleep = false;
    c->slept++;
    write_cr8(CR8_HOLD_ALL);
}

bool park_wake(struct core *c)
{
    if (c->parking->mwait) {
        __atomic_add_fetch(&c->wakes, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    return lapic_ipi(c->parking->lapic, c->apic_id, ICR_FIXED | VECTOR_WAKE);
}

void park_interrupt(struct core *c, unsigned vector)
{
    c->woke = rdtsc();
    if (!c->parking || vector == VECTOR_SPURIOUS) /* which needs no EOI (SDM 11.9) */
        return;
    if (vector == VECTOR_WAKE)
        __atomic_add_fetch(&c->wakes, 1, __ATOMIC_SEQ_CST);
    if (vector == VECTOR_SIGNAL) {
        if (c->on_signal)
            c->on_signal(c);
        c->signalled = true;
    }
    lapic_write(c->parking->lapic, LAPIC_EOI, 0);
}

bool park_signal(const struct core *c)
{
    return lapic_ipi(c->parking->lapic, c->apic_id, ICR_FIXED | VECTOR_SIGNAL);
}

void park_listen(void)
{
    write_cr8(CR8_ONLY_HIGHEST);
    sti();
}

void park_deafen(void)
{
    cli();
    write_cr8(CR8_HOLD_ALL);
}

void park_await_signal(struct core *c)
{
    park_listen();
    while (!c->signalled)
        pause();
    park_deafen();
}

void park_drain(void)
{
    write_cr8(CR8_ONLY_HIGHEST);
    __asm__ volatile("sti; nop; cli" : : : "memory");
    write_cr8(CR8_HOLD_ALL);
}

bool park_wait_asleep(const struct core *c, uint64_t ticks, uint64_t settle)
{
    bool asleep = WAIT_FOR(c->asleep, ticks);

    (void)WAIT_FOR(!asleep, settle);
    return asleep;
}

bool park_test_own(struct core *c, uint64_t ticks)
{
    uint64_t began = rdtsc();
    uint32_t before = c->wakes;

    if (!park_wake(c))
        return false;
    write_cr8(CR8_ONLY_HIGHEST);
    while (c->wakes == before && rdtsc() - began < ticks)
        __asm__ volatile("sti; nop; cli; pause" : : : "memory");
    write_cr8(CR8_HOLD_ALL);
    c->slept = c->wakes;
    return c->wakes != before;
}
