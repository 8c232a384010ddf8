/* The hardware watchdog of the ACPI table WDAT, for a run that nobody sits next to. */
#include "kernel/machine/machine.h"

#define PER_SECOND 1000000u
#define FEEDS      8 /* per time that it allows */
/* The time that it must allow, in times of deadline=: nothing feeds it within a row. */
#define ROWS 2

void watchdog_find(struct machine *m)
{
    static const char *const signatures[] = {"WDAT", "WDDT"};

    for (unsigned i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        struct acpi_table t = acpi_find(&m->acpi, signatures[i]);
        if (t.bytes)
            acpi_watchdog(&t, &m->watchdog[i]);
        if (i == 0)
            m->wdat = t;
    }
}

static unsigned width_of(const struct acpi_gas *at)
{
    unsigned bits = at->access >= 1 && at->access <= 3 ? 4u << at->access : at->bits;

    return bits == 8 || bits == 16 || bits == 32 ? bits / 8 : 0;
}

/* Returns whether the register can be accessed; maps it. */
static bool reach(struct machine *m, const struct acpi_gas *at)
{
    if (width_of(at) == 0)
        return false;
    if (at->space == ACPI_IO)
        return at->address <= UINT16_MAX;
    return at->space == ACPI_MEMORY &&
           (m->guard.armed || paging_map_mmio(&m->paging, at->address, width_of(at)));
}

static bool read_register(void *machine, const struct acpi_gas *at, uint64_t *v)
{
    uint16_t port = (uint16_t)at->address;

    if (!reach(machine, at))
        return false;
    if (at->space == ACPI_MEMORY)
        *v = mmio_read(at->address, width_of(at));
    else
        *v = width_of(at) == 4 ? in32(port) : width_of(at) == 2 ? in16(port) : in8(port);
    return true;
}

static bool write_register(void *machine, const struct acpi_gas *at, uint64_t v)
{
    uint16_t port = (uint16_t)at->address;

    if (!reach(machine, at))
        return false;
    if (at->space == ACPI_MEMORY)
        mmio_write(at->address, width_of(at), (uint32_t)v);
    else if (width_of(at) == 4)
        out32(port, (uint32_t)v);
    else if (width_of(at) == 2)
        out16(port, (uint16_t)v);
    else
        out8(port, (uint8_t)v);
    return true;
}

static bool only_reach(void *machine, const struct acpi_gas *at, uint64_t v)
{
    (void)v;
    return reach(machine, at);
}

static bool can_stop(struct machine *m)
{
    const struct wdat_access access = {m, read_register, only_reach};
    uint64_t v = 0;

    return wdat_run(&m->wdat, WDAT_SET_STOPPED, &v, &access);
}

static bool run_action(struct machine *m, enum wdat_action action, uint64_t v)
{
    const struct wdat_access access = {m, read_register, write_register};

    return wdat_run(&m->wdat, action, &v, &access);
}

/* Returns NULL, or why a hang is not ended. */
static const char *arm(struct machine *m)
{
    const struct watchdog *w = &m->watchdog[0];
    uint64_t seconds = w->period_ms * w->max_count / 1000;

    if (!m->wdat.bytes)
        return "the machine has no ACPI table WDAT";
    if (w->error.text[0])
        return w->error.text;
    if (seconds < (uint64_t)ROWS * m->handoff->options.deadline)
        return "the time that the hardware watchdog allows is shorter than two times deadline=";
    if (!can_stop(m))
        return "the instruction of WDAT that stops it cannot be executed";
    if (!run_action(m, WDAT_SET_COUNTDOWN, w->max_count) || !run_action(m, WDAT_RESET, 0))
        return "the instructions of WDAT that set and restart its time cannot be executed";
    (void)run_action(m, WDAT_SET_REBOOT, 0); /* not all have it; the others always reset */
    if (!run_action(m, WDAT_SET_RUNNING, 0)) {
        (void)run_action(m, WDAT_SET_STOPPED,
                         0); /* one of several instructions may have started it */
        return "the instruction of WDAT that starts it cannot be executed";
    }
    m->guard.every = cores_ticks(&m->cores, seconds * PER_SECOND / FEEDS);
    m->guard.fed = rdtsc();
    return NULL;
}

void watchdog_arm(struct machine *m)
{
    if (!m->handoff->options.once)
        return;
    m->guard.why_not = arm(m);
    m->guard.armed = !m->guard.why_not;
}

void watchdog_feed(struct machine *m)
{
    if (!m->guard.armed || rdtsc() - m->guard.fed < m->guard.every)
        return;
    m->guard.fed = rdtsc();
    (void)run_action(m, WDAT_RESET, 0); /* it could be executed when it was armed */
}

void watchdog_stop(struct machine *m)
{
    if (m->guard.armed)
        (void)run_action(m, WDAT_SET_STOPPED, 0);
    m->guard.armed = false;
}
