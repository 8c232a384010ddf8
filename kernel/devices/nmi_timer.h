/*
 * A timer that sends one NMI to one core after a given time: a comparator of the HPET, or channel 0
 * of the PIT. It uses an IO-APIC entry that delivers NMI; all other interrupts stay masked.
 * Sources: IA-PC HPET specification 1.0a section 2.3, Intel 8254 data sheet (mode 0), 82093AA data
 * sheet section 3.2.4.
 */
#ifndef KERNEL_DEVICES_NMI_TIMER_H
#define KERNEL_DEVICES_NMI_TIMER_H

#include "kernel/cpu/paging.h"
#include "lib/firmware/acpi_fixed.h"
#include "lib/firmware/acpi_madt.h"

struct nmi_timer {
    const char *why_not; /* why it is not available; NULL: it can be tested */
    uint64_t (*start)(const struct nmi_timer *t, uint64_t us);
    uint64_t us_most; /* longest time in microseconds; longer ones are cut to it */

    volatile uint8_t *ioapic;
    uint32_t index;                 /* register of the IO-APIC entry's first word */
    uint32_t was, was_to;           /* the entry's two words as found; masked */
    bool low;                       /* the pin is active low */
    uint32_t to;                    /* APIC id of the core that gets the NMI */
    volatile uint8_t *hpet;         /* the HPET's registers; NULL: the PIT */
    unsigned comparator;            /* index of the comparator */
    bool wide;                      /* counter and comparator have 64 bits */
    uint32_t config_was, timer_was; /* as found */
    uint32_t period;                /* of the HPET, in femtoseconds */
};

/* Finds the HPET's comparator. `to`: APIC id of the core that gets the NMI. madt, hpet: NULL if
 * missing. */
void nmi_timer_hpet(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                    const struct hpet_table *hpet, uint32_t to);
/* Finds the PIT. The firmware's count cannot be read or restored, so a `borrowed` machine does not
 * use the PIT. */
void nmi_timer_pit(struct nmi_timer *t, struct paging *p, const struct madt *madt, bool borrowed,
                   uint32_t to);

/* Requests an NMI after this many microseconds. A second call replaces the first. Returns the
 * actual number of microseconds: it can be smaller, or slightly larger for short times. */
uint64_t nmi_timer_start(const struct nmi_timer *t, uint64_t us);
/* Stops the timer: no NMI comes any more. */
void nmi_timer_stop(const struct nmi_timer *t);
/* Restores everything except the PIT's count. Does nothing if the timer was not available. */
void nmi_timer_close(const struct nmi_timer *t);

#endif
