/* Finds the timers that work, for `list`. Starts, tests and restores each timer; no firmware code
 * runs meanwhile. */
#include "boot/timers.h"
#include "bench/api/chain.h"
#include "bench/api/tsc.h"
#include "kernel/cpu/core_cycles.h"
#include "kernel/cpu/cpu.h"
#include "kernel/devices/counters.h"
#include "kernel/memory/memory_map.h"
#include "lib/firmware/acpi_fixed.h"

#define WINDOWS_A_S 100
#define ONE_MIB     (1ull << 20)
#define FOUR_GIB    (1ull << 32)

/* The firmware identity-maps addresses below 4 GiB (UEFI 2.10 section 2.3.4). A device is not in
 * RAM by its memory map. */
static volatile void *map_device(void *handoff, uint64_t address, uint64_t size)
{
    if (address < ONE_MIB || address > FOUR_GIB - size || memory_is_ram(handoff, address, size))
        return NULL;
    return (volatile void *)(uintptr_t)address;
}

static struct timer *clock(void *context, unsigned id, const char **why)
{
    struct timer *t = counters_timer(context, id, why);

    if (t && id == CLOCK_ID_TSC && !t->tsc_hz) {
        *why = counters_tsc_unknown;
        return NULL;
    }
    return t;
}

static struct timer *cycle(void *context, unsigned id, const char **why)
{
    return core_cycles_timer(context, id, why);
}

static void open_counters(const struct boot *b, struct counters *counters)
{
    struct boot_acpi tables;
    struct fadt fadt;
    struct hpet_table hpet;

    boot_acpi(b, &tables);
    struct acpi_table f = acpi_find(&tables.acpi, "FACP"), h = acpi_find(&tables.acpi, "HPET");
    counters_init(counters, f.bytes && acpi_fadt(&f, &fadt) ? &fadt : NULL,
                  h.bytes && acpi_hpet(&h, &hpet) ? &hpet : NULL, map_device, b->handoff);
}

/* Measures over 10 ms of a started clock. 0: the clock stops. kernel/clock is more exact, but uses
 * SSE. */
static uint64_t tsc_hz_by(struct timer *t)
{
    uint64_t again = 0, from, to, hz = t->hz / t->hz_per, tsc = rdtsc();

    if (timer_read_whole(t, &from, &again) != TIMER_OK || !counters_wait(t, hz / WINDOWS_A_S))
        return 0;
    uint64_t ticks = rdtsc() - tsc;
    if (timer_read_whole(t, &to, &again) != TIMER_OK)
        return 0;
    uint64_t counts = (to - from) & ~0ull >> (64 - t->bits);
    return counts ? ticks * 1000 / counts * hz / 1000 : 0;
}

/* Returns the frequency by CPUID leaf 15h, or else by the first clock that starts and works; 0:
 * none does. */
static uint64_t tsc_hz(struct counters *counters)
{
    static const enum clock_id order[] = {CLOCK_ID_PMTIMER, CLOCK_ID_HPET, CLOCK_ID_PIT};
    struct cpu cpu;
    uint64_t hz;

    boot_cpu(&cpu);
    hz = cpu.tsc_hz;
    for (unsigned i = 0; i < sizeof order / sizeof order[0] && hz == 0; i++) {
        struct timer *t = &counters->timer[order[i]];
        if (t->start(t))
            continue;
        hz = tsc_hz_by(t);
        if (t->stop)
            t->stop(t);
    }
    return hz;
}

void boot_timers(struct boot *b, struct boot_timers *t)
{
    struct counters counters;
    struct core_cycles cycles = {0};

    open_counters(b, &counters);
    struct boot_hold held = boot_hold(b);
    boot_guard(b);
    counters.timer[CLOCK_ID_TSC].tsc_hz = tsc_hz(&counters);
    timer_survey(t->clock, CLOCK_IDS, clock, &counters);
    timer_survey_cycles(t->cycle, &(struct cycle_survey){
                                      .source = cycle,
                                      .context = &cycles,
                                      .tsc_hz = counters.timer[CLOCK_ID_TSC].tsc_hz,
                                      .tsc = tsc_now,
                                      .adds = chain_adds,
                                  });
    boot_unguard(b);
    boot_unhold(b, held);
}
