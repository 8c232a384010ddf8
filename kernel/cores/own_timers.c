/* The two timers that each core has to itself, as sources of deadlines. */
#include "kernel/cores/deadline.h"
#include "kernel/cpu/msr.h"
#include "kernel/devices/device_registers.h"

/* --- the APIC timer --------------------------------------------------------------------------- */

#define MEASURES     5    /* number of measurements; the best counts */
#define MEASURE_PART 1000 /* each takes 1/1000 s */
#define DIVIDE_16    3u   /* SDM vol. 3A figure 11-10 */
#define MOST         0xffffffffu
#define PER_SECOND   1000000u

/* The interval of the TSC covers all that the timer counted, and more if this core was delayed: the
 * result is never too high. */
static uint64_t measure_apic_timer(const struct lapic *l, uint64_t tsc_hz)
{
    uint64_t began = rdtsc(), passed;
    uint32_t left = MOST;

    lapic_write(l, LAPIC_TIMER_INITIAL, MOST);
    while (rdtsc() - began < tsc_hz / MEASURE_PART)
        pause();
    (void)lapic_read(l, LAPIC_TIMER_CURRENT, &left);
    passed = rdtsc() - began;
    /* The TSC's frequency is divided by 2^10, so that 2^32 counts with a 10 GHz TSC fit. */
    return ((uint64_t)(MOST - left) * (tsc_hz >> 10) / passed) << 10;
}

uint64_t apic_timer_measure(const struct lapic *l, uint64_t tsc_hz)
{
    uint64_t best = 1;

    lapic_write(l, LAPIC_LVT_TIMER, ENTRY_MASKED);
    lapic_write(l, LAPIC_TIMER_DIVIDE, DIVIDE_16);
    for (unsigned i = 0; i < MEASURES; i++) {
        uint64_t hz = measure_apic_timer(l, tsc_hz);
        best = hz > best ? hz : best;
    }
    lapic_write(l, LAPIC_TIMER_INITIAL, 0);
    return best;
}

void apic_timer_start(const struct lapic *l, unsigned vector, uint64_t hz, uint64_t us)
{
    uint64_t most = MOST / (hz / PER_SECOND + 1);
    uint64_t counts = (us < most ? us : most) * hz / PER_SECOND;

    lapic_write(l, LAPIC_LVT_TIMER, ENTRY_MASKED | vector);
    lapic_write(l, LAPIC_TIMER_DIVIDE, DIVIDE_16);
    lapic_write(l, LAPIC_LVT_TIMER, vector); /* one-shot */
    lapic_write(l, LAPIC_TIMER_INITIAL, counts ? (uint32_t)counts : 1);
}

void apic_timer_stop(const struct lapic *l, unsigned vector)
{
    lapic_write(l, LAPIC_LVT_TIMER, ENTRY_MASKED | vector);
    lapic_write(l, LAPIC_TIMER_INITIAL, 0);
}

/* --- the overflow of a performance counter ---------------------------------------------------- */

#define LVT_COUNTERS 4 /* SDM vol. 3A section 11.5.1: present if lvt_max is at least this */

const char *counter_nmi_find(struct overflow_plan *p, const struct lapic *l)
{
    uint32_t entry;

    overflow_decode(p, cpuid_here, NULL);
    if (overflow_absent(p))
        return overflow_absent(p);
    if (!l->present || l->lvt_max < LVT_COUNTERS || !lapic_read(l, LAPIC_LVT_COUNTERS, &entry))
        return "the local APIC has no entry for counters";
    return entry & ENTRY_MASKED ? NULL : "the firmware uses the local APIC's entry for counters";
}

const char *counter_nmi_start(struct core *c, const struct overflow_plan *p, const struct lapic *l,
                              uint64_t ticks)
{
    const char *why_not;

    (void)lapic_read(l, LAPIC_LVT_COUNTERS, &c->lvt_counters_was);
    lapic_write(l, LAPIC_LVT_COUNTERS, DELIVERY_NMI);
    why_not = overflow_start(&c->overflow, p, &msr_here, ticks);
    if (why_not)
        lapic_write(l, LAPIC_LVT_COUNTERS, c->lvt_counters_was);
    return why_not;
}

bool counter_nmi_came(const struct core *c)
{
    return overflow_came(&c->overflow, &msr_here);
}

/* The entry masks itself when it delivers (SDM vol. 3B section 20.6.3). */
void counter_nmi_again(struct core *c, const struct lapic *l, uint64_t ticks)
{
    (void)overflow_again(&c->overflow, &msr_here, ticks);
    lapic_write(l, LAPIC_LVT_COUNTERS, DELIVERY_NMI);
}

void counter_nmi_stop(struct core *c, const struct lapic *l)
{
    if (!c->overflow.set)
        return;
    (void)overflow_stop(&c->overflow, &msr_here);
    lapic_write(l, LAPIC_LVT_COUNTERS, c->lvt_counters_was);
}
