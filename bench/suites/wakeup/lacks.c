/* What a core lacks for rows of suite `wakeup`, found by trying. The platform's handler takes the
 * interrupt, since no row runs. */
#include "bench/suites/wakeup/wakeup.h"
#include "lib/cpu/features.h"

#define TRIAL_COUNTS 200000u /* of the timer: 0.2 to 10 ms */
#define TRIAL_LOOKS  1000000u
#define EARLY_MOST   10u /* ends of MWAIT before the interrupt, of which NMIs and SMIs cause few */

#define CR8_ONLY_HIGHEST 14

struct trial {
    uint64_t apic, priority;
    uint32_t mode, divide, initial;
};

/* Lets the timer send one interrupt. Interrupts are off until trial_take(). */
static struct trial trial_begin(void)
{
    struct trial t = {.apic = wakeup_apic(), .priority = privileged_cr8()};

    t.mode = wakeup_read(t.apic, APIC_LVT_TIMER);
    t.divide = wakeup_read(t.apic, APIC_DIVIDE);
    t.initial = wakeup_read(t.apic, APIC_INITIAL);
    __asm__ volatile("mov %0, %%cr8" : : "r"((uint64_t)CR8_ONLY_HIGHEST) : "memory");
    wakeup_write(t.apic, APIC_LVT_TIMER, PLATFORM_ROW_VECTOR);
    wakeup_write(t.apic, APIC_DIVIDE, DIVIDE_BY_1);
    wakeup_write(t.apic, APIC_INITIAL, TRIAL_COUNTS);
    return t;
}

/* Returns the row's bit of 256 in the registers from `first` on. */
static bool trial_bit(const struct trial *t, uint32_t first)
{
    uint32_t offset = first + PLATFORM_ROW_VECTOR / 32 * 0x10;

    return wakeup_read(t->apic, offset) >> PLATFORM_ROW_VECTOR % 32 & 1;
}

/* Returns whether the timer's interrupt is waiting to be delivered. */
static bool trial_fired(const struct trial *t)
{
    return trial_bit(t, APIC_REQUESTED);
}

/* The platform's handler need not end the interrupt. */
static void trial_take(const struct trial *t)
{
    __asm__ volatile("sti; nop; cli" : : : "memory");
    if (trial_bit(t, APIC_SERVED))
        wakeup_write(t->apic, APIC_EOI, 0);
}

static void trial_end(const struct trial *t)
{
    trial_take(t);
    wakeup_write(t->apic, APIC_LVT_TIMER, t->mode);
    wakeup_write(t->apic, APIC_DIVIDE, t->divide);
    wakeup_write(t->apic, APIC_INITIAL, t->initial);
    __asm__ volatile("mov %0, %%cr8" : : "r"(t->priority) : "memory");
}

const char *wakeup_lacks_timer(const struct cpu *cpu)
{
    struct trial t;
    bool fired = false;

    if (!cpu->apic)
        return "needs a local APIC (CPUID.1.0:EDX[9]), which this CPU does not have";
    t = trial_begin();
    for (unsigned i = 0; i < TRIAL_LOOKS && !fired; i++)
        fired = trial_fired(&t);
    trial_end(&t);
    return fired ? NULL : "needs the local APIC's timer, which sends no interrupt here";
}

/* Waits in the shallowest state: all others also end at once where this one does. */
static void mwait_once(const void *line)
{
    __asm__ volatile("monitor" : : "a"(line), "c"(0), "d"(0) : "memory");
    __asm__ volatile("sti; mwait; nop; cli" : : "a"(0), "c"(0) : "memory");
}

static const char *lacks_mwait(const struct cpu *cpu)
{
    const char *why = wakeup_lacks_timer(cpu);
    unsigned ends = 0;
    uint64_t line = 0;

    if (why)
        return why;
    struct trial t = trial_begin();
    while (ends < EARLY_MOST && wakeup_read(t.apic, APIC_CURRENT) > 0) {
        mwait_once(&line);
        ends++;
    }
    trial_end(&t);
    return ends < EARLY_MOST ? NULL : "needs an MWAIT that waits; it ends at once here";
}

static struct cpuid_regs cpuid_here(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;

    (void)ctx;
    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

#define LACKS(hint_, state_, field_, substate_, ...)                                               \
    const char *wakeup_lacks_mwait_##hint_(const struct cpu *cpu)                                  \
    {                                                                                              \
        return cstates_named(0x##hint_, cpuid_here, NULL)                                          \
                   ? lacks_mwait(cpu)                                                              \
                   : "needs sub-state " #substate_ " of " state_ " (CPUID.5.0:EDX[" field_         \
                     "]), which this CPU does not have";                                           \
    }
WAKEUP_HINTS(LACKS)
