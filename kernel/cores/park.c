#include "kernel/cores/park.h"
#include "kernel/cpu/cpu.h"
#include "kernel/trap/traps.h"

/* CR8: while asleep the highest class of vectors may come, and it has ours only (SDM 11.8.3.1). */
#define PRIORITY_NONE     15
#define PRIORITY_SLEEPING 14

/* SDM vol. 3A figure 11-23: the spurious-interrupt vector register's low byte and enable bit. */
#define SPURIOUS_ENABLE (1u << 8)

/* Fixed delivery, level assert, physical destination (SDM vol. 3A figure 11-12). */
#define ICR_WAKE   (VECTOR_WAKE | 1u << 14)
#define ICR_SIGNAL (VECTOR_SIGNAL | 1u << 14)

#define MWAIT_C1 0 /* EAX: the shallowest state, at once to be left; deeper ones take power down */

static struct {
    const struct lapic *lapic;
    bool mwait;
} how;

const char *park_init(const struct cpu *cpu, const struct lapic *lapic, bool mwait)
{
    how.lapic = lapic;
    how.mwait = mwait && cpu->monitor;
    if (!mwait)
        return NULL;
    if (!cpu->monitor)
        return "park=mwait: this CPU has no MONITOR (CPUID 1 ECX[3]), so it is hlt";
    /* SDM vol. 2A CPUID, leaf 5: the largest line that MONITOR watches. */
    if ((cpuid(5, 0).ebx & 0xffff) > CORE_LINE) {
        how.mwait = false;
        return "park=mwait: MONITOR watches more bytes than a core has to itself, so it is hlt";
    }
    return NULL;
}

const char *park_name(void)
{
    return how.mwait ? "mwait" : "hlt";
}

void park_accept(void)
{
    lapic_write(how.lapic, LAPIC_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
}

static void halt_once(void)
{
    /* Nothing is delivered between STI and HLT: an interrupt that is there already ends the HLT. */
    __asm__ volatile("sti; hlt; cli" : : : "memory");
}

static void mwait_once(struct core *c)
{
    __asm__ volatile("monitor" : : "a"(&c->wakes), "c"(0), "d"(0) : "memory");
    if (c->wakes != c->slept)
        return;
    __asm__ volatile("mwait" : : "a"(MWAIT_C1), "c"(0) : "memory");
    c->woke = rdtsc();
}

void park_sleep(struct core *c)
{
    write_cr8(PRIORITY_SLEEPING);
    /* An NMI, a machine check or an SMI also ends either: then it sleeps again. */
    while (c->wakes == c->slept) {
        c->asleep = true;
        if (how.mwait)
            mwait_once(c);
        else
            halt_once();
    }
    c->asleep = false;
    c->slept++;
    write_cr8(PRIORITY_NONE);
}

bool park_wake(struct core *c)
{
    if (how.mwait) {
        __atomic_add_fetch(&c->wakes, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    return lapic_ipi(how.lapic, c->apic_id, ICR_WAKE);
}

void park_interrupt(unsigned vector)
{
    struct core *c = core_current();

    c->woke = rdtsc();
    if (vector == VECTOR_SPURIOUS) /* takes no end of interrupt (SDM 11.9) */
        return;
    if (vector == VECTOR_WAKE)
        __atomic_add_fetch(&c->wakes, 1, __ATOMIC_SEQ_CST);
    if (vector == VECTOR_SIGNAL)
        c->signalled = true;
    lapic_write(how.lapic, LAPIC_EOI, 0);
}

bool park_signal(const struct core *c)
{
    return lapic_ipi(how.lapic, c->apic_id, ICR_SIGNAL);
}

void park_await_signal(struct core *c)
{
    write_cr8(PRIORITY_SLEEPING);
    __asm__ volatile("sti" : : : "memory");
    while (!c->signalled)
        pause();
    __asm__ volatile("cli" : : : "memory");
    write_cr8(PRIORITY_NONE);
}

void park_drain(void)
{
    if (!how.lapic)
        return;
    write_cr8(PRIORITY_SLEEPING);
    __asm__ volatile("sti; nop; cli" : : : "memory");
    write_cr8(PRIORITY_NONE);
}

bool park_wait_asleep(const struct core *c, uint64_t ticks, uint64_t settle)
{
    uint64_t began = rdtsc();

    while (!c->asleep) {
        if (rdtsc() - began > ticks)
            return false;
        pause();
    }
    for (began = rdtsc(); rdtsc() - began < settle;)
        pause();
    return true;
}

bool park_test_own(struct core *c, uint64_t ticks)
{
    uint64_t began = rdtsc();
    uint32_t before = c->wakes;

    if (!park_wake(c))
        return false;
    write_cr8(PRIORITY_SLEEPING);
    while (c->wakes == before && rdtsc() - began < ticks)
        __asm__ volatile("sti; nop; cli; pause" : : : "memory");
    write_cr8(PRIORITY_NONE);
    c->slept = c->wakes;
    return c->wakes != before;
}
