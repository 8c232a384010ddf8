/*
 * Which timers work here, for `list`: each is started, tried and put back as it was while the
 * firmware holds still.
 */
#include "boot/timers.h"
#include "kernel/cpu/core_cycles.h"
#include "kernel/cpu/cpu.h"
#include "kernel/devices/counters.h"
#include "kernel/memory/memory_map.h"
#include "lib/firmware/acpi_fadt.h"
#include "lib/firmware/acpi_hpet.h"

#define ONE_MIB  (1ull << 20)
#define FOUR_GIB (1ull << 32)

/* The firmware maps what lies below 4 GiB to itself (UEFI 2.10 section 2.3.4); its memory map does
 * not call a device there RAM. */
static volatile void *map_device(void *handoff, uint64_t address, uint64_t size)
{
    if (address < ONE_MIB || address > FOUR_GIB - size || memory_is_ram(handoff, address, size))
        return NULL;
    return (volatile void *)(uintptr_t)address;
}

static struct timer *clock(void *context, unsigned id, const char **why)
{
    struct counters *counters = context;

    *why = NULL;
    return &counters->timer[id];
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

/* The TSC always counts, but gives seconds only where something tells its frequency. */
static bool tsc_is_known(const struct boot_timers *t)
{
    struct cpu cpu;

    for (unsigned id = 0; id < CLOCK_IDS; id++)
        if (id != CLOCK_ID_TSC && !t->clock[id])
            return true;
    boot_cpu(&cpu);
    return cpu.tsc_hz != 0;
}

void boot_timers(struct boot *b, struct boot_timers *t)
{
    struct counters counters;
    struct core_cycles cycles = {0};

    open_counters(b, &counters);
    struct boot_hold held = boot_hold(b);
    boot_guard(b);
    timer_survey(t->clock, CLOCK_IDS, clock, &counters);
    timer_survey(t->cycle, CYCLE_IDS, cycle, &cycles);
    boot_unguard(b);
    boot_unhold(b, held);
    if (!t->clock[CLOCK_ID_TSC] && !tsc_is_known(t))
        t->clock[CLOCK_ID_TSC] = counters_tsc_unknown;
}
