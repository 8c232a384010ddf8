#include "kernel/devices/lapic.h"
#include "kernel/cpu/instructions.h"
#include "kernel/devices/ioapic.h"

#define MEASURES     5    /* number of measurements; the best counts */
#define MEASURE_PART 1000 /* each takes 1/1000 s */
#define DIVIDE_16    3u   /* SDM vol. 3A figure 11-10 */
#define MOST         0xffffffffu
#define PER_SECOND   1000000u

/* The interval of the TSC covers all that the timer counted, and more if this core was delayed: the
 * result is never too high. */
static uint64_t measure_once(const struct lapic *l, uint64_t tsc_hz)
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
        uint64_t hz = measure_once(l, tsc_hz);
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
