#include "kernel/cores/deadline.h"
#include "kernel/devices/device_registers.h"

#define FS_PER_US          1000000000ull
#define COUNTS_MOST        (1ull << 31)  /* half the range of 32 bits */
#define WIDE_US_MOST       3600000000ull /* an hour; in femtoseconds it fits in 64 bits */
#define LEAST_US           20   /* setting takes less; a time in the past would be missed */
#define WRAP_MARGIN        256u /* ticks: some microseconds */
#define LEGACY_COMPARATORS 2u   /* with HPET_LEGACY these have fixed pins */
#define PIT_HZ             1193182u
#define PIT_MOST           65535u
#define US_PER_SECOND      1000000u
#define PHYSICAL_IDS       256u /* APIC ids that an entry can hold */

/* Finds the IO-APIC that has this pin, if the pin is masked. Returns NULL, or why not. */
static const char *take_pin(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                            uint32_t gsi, uint32_t to)
{
    if (!madt || madt->ioapics == 0)
        return "no IO-APIC is known";
    if (to >= PHYSICAL_IDS)
        return "an IO-APIC cannot name this core";
    for (unsigned i = 0; i < madt->ioapics; i++) {
        uint32_t address = madt->ioapic[i].address, base = madt->ioapic[i].gsi_base;
        t->ioapic = address & 3 || gsi < base ? NULL : paging_map_mmio(p, address, IOAPIC_BYTES);
        uint32_t version = t->ioapic ? ioapic_read(t->ioapic, IOAPIC_VERSION) : NO_DEVICE;
        if (version == NO_DEVICE || gsi - base > (version >> 16 & 0xff))
            continue;
        t->index = IOAPIC_REDIRECTION + 2 * (gsi - base);
        t->was = ioapic_read(t->ioapic, t->index);
        t->was_to = ioapic_read(t->ioapic, t->index + 1);
        t->to = to;
        return t->was & ENTRY_MASKED ? NULL : "its pin of the IO-APIC is in use";
    }
    return "no IO-APIC has its pin";
}

static void open_pin(const struct nmi_timer *t)
{
    ioapic_write(t->ioapic, t->index, t->was | ENTRY_MASKED);
    ioapic_write(t->ioapic, t->index + 1, t->to << 24);
    ioapic_write(t->ioapic, t->index, DELIVERY_NMI | (t->low ? ENTRY_LOW : 0)); /* edge, physical */
}

static void close_pin(const struct nmi_timer *t)
{
    ioapic_write(t->ioapic, t->index, t->was);
    ioapic_write(t->ioapic, t->index + 1, t->was_to);
}

/* --- HPET ------------------------------------------------------------------------------------- */

static volatile uint32_t *hpet_register(const struct nmi_timer *t, unsigned offset)
{
    return (volatile uint32_t *)(t->hpet + offset);
}

static uint64_t hpet_count(const struct nmi_timer *t)
{
    uint32_t low, high;

    if (!t->wide)
        return *hpet_register(t, HPET_COUNTER);
    do {
        high = *hpet_register(t, HPET_COUNTER + 4);
        low = *hpet_register(t, HPET_COUNTER);
    } while (high != *hpet_register(t, HPET_COUNTER + 4));
    return (uint64_t)high << 32 | low;
}

/* Returns the count at which the comparator interrupts. On QEMU a 32-bit comparator
 * also interrupts when the counter wraps, every 43 s, so it is never set beyond the wrap. */
static uint64_t hpet_match(const struct nmi_timer *t, uint64_t now, uint64_t counts)
{
    uint32_t left = 0u - (uint32_t)now;

    if (!t->wide && left > WRAP_MARGIN && counts > left - 2)
        counts = left - 2;
    return now + counts;
}

uint64_t nmi_timer_later(const struct nmi_timer *t, uint64_t us)
{
    uint32_t config = t->timer_was & ~(TIMER_LEVEL | TIMER_PERIODIC | TIMER_32 | TIMER_ROUTE_MASK |
                                       TIMER_FSB | TIMER_OPEN);
    uint64_t now, then;

    us = us < t->us_most ? us : t->us_most;
    config |= (t->wide ? 0 : TIMER_32) | TIMER_ROUTE((t->index - IOAPIC_REDIRECTION) / 2);
    *hpet_register(t, TIMER_CONFIG(t->comparator)) = config;
    now = hpet_count(t);
    then = hpet_match(t, now, (us > LEAST_US ? us : LEAST_US) * FS_PER_US / t->period);
    *hpet_register(t, TIMER_COMPARE(t->comparator)) = (uint32_t)then;
    if (t->wide)
        *hpet_register(t, TIMER_COMPARE(t->comparator) + 4) = (uint32_t)(then >> 32);
    *hpet_register(t, TIMER_CONFIG(t->comparator)) = config | TIMER_OPEN;
    return (then - now) * t->period / FS_PER_US;
}

static uint64_t arm_hpet(const struct nmi_timer *t, uint64_t us)
{
    /* Closing another timer may have stopped the counter. */
    *hpet_register(t, HPET_CONFIG) = t->config_was | HPET_ENABLE;
    *hpet_register(t, TIMER_CONFIG(t->comparator)) = t->timer_was;
    open_pin(t);
    return nmi_timer_later(t, us);
}

/* Takes the highest free pin that the comparator can be routed to; low pins belong to ISA. */
static const char *route_hpet(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                              uint32_t to, const struct nmi_timer *other)
{
    uint32_t routes = *hpet_register(t, TIMER_ROUTES(t->comparator));
    const char *why_not = "its comparators have no pin of the IO-APIC";

    for (unsigned pin = 32; pin-- > 0;) {
        if (!(routes >> pin & 1))
            continue;
        why_not = take_pin(t, p, madt, pin, to);
        if (!why_not && other && other->index == t->index && other->ioapic == t->ioapic)
            why_not = "its pin of the IO-APIC is in use";
        if (!why_not)
            break;
    }
    return why_not;
}

static const char *find_hpet(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                             const struct hpet_table *hpet, uint32_t to,
                             const struct nmi_timer *other)
{
    const char *why_not = "all its comparators are in use";

    if (!hpet)
        return "no HPET table";
    t->hpet = hpet->address & 7 ? NULL : paging_map_mmio(p, hpet->address, HPET_BYTES);
    if (!t->hpet)
        return "the HPET table's address is not a device's";
    uint32_t id = *hpet_register(t, HPET_ID);
    t->period = *hpet_register(t, HPET_PERIOD);
    if (id == NO_DEVICE || t->period < HPET_PERIOD_MIN || t->period > HPET_PERIOD_MAX)
        return "no device answers";
    t->config_was = other ? other->config_was : *hpet_register(t, HPET_CONFIG);
    for (t->comparator = (id >> 8 & 31) + 1; t->comparator-- > 0;) {
        t->timer_was = *hpet_register(t, TIMER_CONFIG(t->comparator));
        bool legacy = t->config_was & HPET_LEGACY && t->comparator < LEGACY_COMPARATORS;
        if (legacy || t->timer_was & TIMER_OPEN || (other && other->comparator == t->comparator))
            continue;
        why_not = route_hpet(t, p, madt, to, other);
        if (!why_not)
            break;
    }
    t->wide = id & HPET_64 && t->timer_was & TIMER_64;
    t->us_most = t->wide ? WIDE_US_MOST : COUNTS_MOST * t->period / FS_PER_US;
    return why_not;
}

void nmi_timer_hpet(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                    const struct hpet_table *hpet, uint32_t to, const struct nmi_timer *other)
{
    *t = (struct nmi_timer){.start = arm_hpet};
    t->why_not = find_hpet(t, p, madt, hpet, to, other && !other->why_not ? other : NULL);
    if (!t->why_not)
        *hpet_register(t, HPET_CONFIG) = t->config_was | HPET_ENABLE;
}

/* --- PIT -------------------------------------------------------------------------------------- */

/* The output falls with the command and rises when the count ends. The pin is unmasked in
 * between, so there is one edge. */
static uint64_t arm_pit(const struct nmi_timer *t, uint64_t us)
{
    uint64_t counts = us * PIT_HZ / US_PER_SECOND;

    if (counts == 0)
        counts = 1;
    ioapic_write(t->ioapic, t->index, t->was);
    out8(PIT_COMMAND, PIT_CH0_ONCE);
    open_pin(t);
    out8(PIT_CHANNEL0, (uint8_t)counts);
    out8(PIT_CHANNEL0, (uint8_t)(counts >> 8));
    return us;
}

void nmi_timer_pit(struct nmi_timer *t, struct paging *p, const struct madt *madt, bool borrowed,
                   uint32_t to)
{
    *t = (struct nmi_timer){.start = arm_pit, .low = madt && madt->pit_low};
    t->us_most = (uint64_t)PIT_MOST * US_PER_SECOND / PIT_HZ;
    t->why_not = borrowed ? "the firmware's count could not be restored"
                          : take_pin(t, p, madt, madt ? madt->pit_gsi : 0, to);
}

/* --- either ----------------------------------------------------------------------------------- */

uint64_t nmi_timer_start(const struct nmi_timer *t, uint64_t us)
{
    return t->start(t, us < t->us_most ? us : t->us_most);
}

void nmi_timer_stop(const struct nmi_timer *t)
{
    close_pin(t);
    if (t->hpet)
        *hpet_register(t, TIMER_CONFIG(t->comparator)) = t->timer_was;
}

void nmi_timer_close(const struct nmi_timer *t)
{
    if (t->why_not)
        return;
    nmi_timer_stop(t);
    if (t->hpet)
        *hpet_register(t, HPET_CONFIG) = t->config_was;
}
