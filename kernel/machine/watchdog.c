/* The hardware watchdog of the ACPI table WDAT, or a timer's NMI, for a run that nobody sits next
 * to. */
#include "kernel/devices/device_registers.h"
#include "kernel/devices/reset.h"
#include "kernel/machine/machine.h"
#include "lib/cpu/pagetable.h"
#include "lib/text/fmt.h"

#define PER_SECOND 1000000u
#define FEEDS      8 /* per time that it allows */
/* The time that it must allow, in times of deadline=: nothing feeds it within a row. */
#define ROWS 2
/* The timer allows more: cores that wait for each other end by DEADLINE_PATIENCE times that. */
#define TIMER_ROWS (DEADLINE_PATIENCE + ROWS)
/* What the firmware needs to write the report, in seconds: the least that a watchdog must allow,
 * and what the timer allows. */
#define REPORT_LEAST 60
#define REPORT_TIMER 600
#define TRY_US       2000   /* when the timer must fire in its test, ... */
#define TRY_MOST_US  100000 /* ... and when the test gives up */
#define EARLY_PART   32     /* clocks differ by less than this part of an interval */
#define AGAIN_PART   32 /* after which part of its time a BMC that did not answer is fed again */
#define BMC_GET_US   1000000 /* a BMC may be busy, and answers then */

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

/* Maps a device's registers; in the firmware's page tables, if the machine is about to be given
 * back, or was. NULL: not possible. */
static volatile void *map(void *machine, uint64_t address, uint64_t size)
{
    struct machine *m = machine;
    unsigned levels = read_cr4() & CR4_LA57 ? 5 : 4;

    if (!m->guard.lent)
        return m->guard.armed ? (volatile void *)address
                              : paging_map_mmio(&m->paging, address, size);
    return pagetable_is_identity(m->firmware_cr3, levels, address) &&
                   pagetable_is_identity(m->firmware_cr3, levels, address + size - 1)
               ? (volatile void *)address
               : NULL;
}

/* Returns whether the register can be accessed; maps it. */
static bool reach(struct machine *m, const struct acpi_gas *at)
{
    if (width_of(at) == 0)
        return false;
    if (at->space == ACPI_IO)
        return at->address <= UINT16_MAX;
    return at->space == ACPI_MEMORY && map(m, at->address, width_of(at));
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

/* Returns whether the registers of an action can be accessed. */
static bool can_run(struct machine *m, enum wdat_action action)
{
    const struct wdat_access access = {m, read_register, only_reach};
    uint64_t v = 0;

    return wdat_run(&m->wdat, action, &v, &access);
}

static bool run_action(struct machine *m, enum wdat_action action, uint64_t v)
{
    const struct wdat_access access = {m, read_register, write_register};

    return wdat_run(&m->wdat, action, &v, &access);
}

static uint64_t wdat_seconds(const struct machine *m)
{
    return m->watchdog[0].period_ms * m->watchdog[0].max_count / 1000;
}

/* Returns NULL, or why a hang is not ended by WDAT. */
static const char *arm_wdat(struct machine *m)
{
    const struct watchdog *w = &m->watchdog[0];
    uint64_t need = (uint64_t)ROWS * m->handoff->options.deadline;

    if (!m->wdat.bytes)
        return "the machine has no ACPI table WDAT";
    if (w->error.text[0])
        return w->error.text;
    if (wdat_seconds(m) < need) {
        fmt_buf(m->guard.too_short, sizeof m->guard.too_short,
                "the hardware watchdog allows %llu s at most, and 2 times deadline= is %llu s",
                (unsigned long long)wdat_seconds(m), (unsigned long long)need);
        return m->guard.too_short;
    }
    if (!can_run(m, WDAT_SET_STOPPED))
        return "the instruction of WDAT that stops it cannot be executed";
    if (!run_action(m, WDAT_SET_COUNTDOWN, w->max_count) || !run_action(m, WDAT_RESET, 0))
        return "the instructions of WDAT that set and restart its time cannot be executed";
    (void)run_action(m, WDAT_SET_REBOOT, 0); /* not all have it; the others always reset */
    if (!run_action(m, WDAT_SET_RUNNING, 0)) {
        (void)run_action(m, WDAT_SET_STOPPED,
                         0); /* one of several instructions may have started it */
        return "the instruction of WDAT that starts it cannot be executed";
    }
    m->guard.every = cores_ticks(&m->cores, wdat_seconds(m) * PER_SECOND / FEEDS);
    return NULL;
}

/* --- the timer -------------------------------------------------------------------------------- */

static uint64_t ticks_to_us(const struct machine *m, uint64_t ticks)
{
    uint64_t a_us = cores_ticks(&m->cores, PER_SECOND) / PER_SECOND;

    return ticks / (a_us ? a_us : 1) + 1;
}

/* Sets the timer for the end of the time; it may fire earlier, and is set again then. An NMI
 * meanwhile is the timer's. Does nothing while another core sets it, or the code that an NMI has
 * interrupted. */
static void set_timer(struct machine *m, uint64_t (*start)(const struct nmi_timer *t, uint64_t us),
                      uint64_t us)
{
    uint64_t now = rdtsc();

    if (!change(&m->guard.sets, 0, 1))
        return;
    m->guard.next = now;
    us = start(&m->guard.timer, us);
    m->guard.next = now + cores_ticks(&m->cores, us - us / EARLY_PART);
    __atomic_store_n(&m->guard.sets, 0, __ATOMIC_SEQ_CST);
}

/* Returns NULL, or why a hang is not ended by the timer. */
static const char *arm_timer(struct machine *m)
{
    uint64_t seconds = (uint64_t)TIMER_ROWS * m->handoff->options.deadline;

    if (m->guard.timer.why_not)
        return m->guard.timer.why_not;
    m->guard.ticks = cores_ticks(&m->cores, seconds * PER_SECOND);
    m->guard.due = rdtsc() + m->guard.ticks;
    m->guard.timed = true;
    set_timer(m, nmi_timer_start, TRY_US);
    if (WAIT_FOR(m->guard.came > 0, cores_ticks(&m->cores, TRY_MOST_US))) {
        m->guard.every = m->guard.ticks / FEEDS;
        return NULL;
    }
    m->guard.timed = false;
    nmi_timer_close(&m->guard.timer);
    return "it caused no NMI";
}

static void tell(void *machine, const char *way)
{
    struct machine *m = machine;

    if (m->guard.lent) /* the firmware has the consoles */
        return;
    fmt(&m->console.sink, "baretick: once: the program hangs, so the machine is reset: %s\r\n",
        way);
    serial_flush(&m->serial);
    screen_paint(&m->screen);
}

/* Does not return: the last way is a triple fault. */
static void end_hang(struct machine *m)
{
    const struct reset reset = {m->has_fadt ? &m->fadt : NULL, map, m, tell, m};

    for (unsigned way = 0; way < RESET_WAYS; way++)
        reset_try(&reset, way);
}

bool watchdog_nmi(struct machine *m)
{
    int64_t left = (int64_t)(m->guard.due - rdtsc());

    if (!m->guard.timed || !is_past(m->guard.next))
        return false;
    m->guard.came++;
    if (left <= 0)
        end_hang(m);
    set_timer(m, nmi_timer_later, ticks_to_us(m, (uint64_t)left));
    return true;
}

/* --- the BMC's -------------------------------------------------------------------------------- */

static uint64_t kcs_register(const struct machine *m, unsigned reg)
{
    return m->bmc.place.address + (uint64_t)m->bmc.place.stride * reg;
}

static uint8_t kcs_read(void *machine, unsigned reg)
{
    uint64_t at = kcs_register(machine, reg);

    return ((struct machine *)machine)->bmc.place.io ? in8((uint16_t)at)
                                                     : (uint8_t)mmio_read(at, 1);
}

static void kcs_write(void *machine, unsigned reg, uint8_t v)
{
    uint64_t at = kcs_register(machine, reg);

    if (((struct machine *)machine)->bmc.place.io)
        out8((uint16_t)at, v);
    else
        mmio_write(at, 1, v);
}

static void find_bmc(struct machine *m)
{
    uint64_t entry = m->handoff->smbios3 ? m->handoff->smbios3 : m->handoff->smbios;

    m->bmc.there = smbios_kcs(&m->bmc.place, &m->physical, entry);
    if (m->bmc.there && !m->bmc.place.io &&
        (memory_is_ram(m->handoff, m->bmc.place.address,
                       kcs_register(m, 1) + 1 - kcs_register(m, 0)) ||
         !paging_map_mmio(&m->paging, m->bmc.place.address, m->bmc.place.stride + 1)))
        m->bmc.why_not = "its address is not a device's";
}

static void feed_bmc(struct machine *m)
{
    const struct kcs kcs = {m, kcs_read, kcs_write};

    m->bmc.fed = rdtsc();
    m->bmc.why_not = ipmi_watchdog_feed(&kcs);
    m->bmc.failed = m->bmc.why_not ? m->bmc.failed + 1 : 0;
}

/* Its watchdog was begun by the firmware, or by the system that has prepared this start. */
static void find_bmc_watchdog(struct machine *m)
{
    const struct kcs kcs = {m, kcs_read, kcs_write};

    if (!m->bmc.there || m->bmc.why_not)
        return;
    (void)WAIT_FOR(!(m->bmc.why_not = ipmi_watchdog_get(&m->bmc.watchdog, &kcs)),
                   cores_ticks(&m->cores, BMC_GET_US));
    m->bmc.every =
        cores_ticks(&m->cores, (uint64_t)m->bmc.watchdog.tenths * (PER_SECOND / 10) / FEEDS);
    if (m->bmc.watchdog.runs)
        feed_bmc(m);
}

/* --- either ----------------------------------------------------------------------------------- */

void watchdog_open(struct machine *m)
{
    if (!m->handoff->options.once)
        return;
    nmi_timer_hpet(&m->guard.timer, &m->paging, m->madt, m->has_hpet ? &m->hpet : NULL,
                   m->irq.lapic.id, &m->deadlines.timer[0]);
    find_bmc(m);
}

void watchdog_arm(struct machine *m)
{
    if (!m->handoff->options.once)
        return;
    find_bmc_watchdog(m);
    m->guard.why_not = arm_wdat(m);
    m->guard.armed = !m->guard.why_not;
    if (m->guard.armed)
        nmi_timer_close(&m->guard.timer);
    else
        m->guard.timer_why_not = arm_timer(m);
    m->guard.fed = rdtsc();
    m->serial.waits_ctx = m;
    m->serial.waits = watchdog_feed;
}

static void feed(struct machine *m, uint64_t (*start)(const struct nmi_timer *t, uint64_t us))
{
    m->guard.fed = rdtsc();
    if (m->guard.armed)
        (void)run_action(m, WDAT_RESET, 0); /* it could be executed when it was armed */
    if (!m->guard.timed)
        return;
    m->guard.due = m->guard.fed + m->guard.ticks;
    set_timer(m, start, ticks_to_us(m, m->guard.ticks));
}

void watchdog_feed(void *machine)
{
    struct machine *m = machine;

    if (!m->handoff->options.once || !change(&m->guard.feeds, 0, 1))
        return;
    if ((m->guard.armed || m->guard.timed) && rdtsc() - m->guard.fed >= m->guard.every)
        feed(m, nmi_timer_later);
    if (m->bmc.watchdog.runs && !watchdog_bmc_lost(m) &&
        rdtsc() - m->bmc.fed >= (m->bmc.failed ? m->bmc.every * FEEDS / AGAIN_PART : m->bmc.every))
        feed_bmc(m);
    __atomic_store_n(&m->guard.feeds, 0, __ATOMIC_SEQ_CST);
}

void watchdog_stop(struct machine *m)
{
    if (m->guard.armed)
        (void)run_action(m, WDAT_SET_STOPPED, 0);
    if (m->guard.timed)
        nmi_timer_close(&m->guard.timer);
    m->guard.armed = m->guard.timed = false;
}

static bool survives_lending(struct machine *m)
{
    const struct nmi_timer *t = &m->guard.timer;

    if (m->guard.armed)
        return wdat_seconds(m) >= REPORT_LEAST && can_run(m, WDAT_RESET) &&
               can_run(m, WDAT_SET_STOPPED);
    return m->guard.timed && map(m, (uint64_t)t->hpet, HPET_BYTES) &&
           map(m, (uint64_t)t->ioapic, IOAPIC_BYTES);
}

void watchdog_lend(struct machine *m)
{
    m->guard.lent = true;
    if (!survives_lending(m)) {
        m->guard.lent = false;
        watchdog_stop(m);
        return;
    }
    m->guard.ticks = cores_ticks(&m->cores, (uint64_t)REPORT_TIMER * PER_SECOND);
    feed(m, nmi_timer_start); /* the deadlines' timer is closed, and with it the counter */
}
