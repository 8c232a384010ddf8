/*
 * A timer that sends one NMI to one core after a while, through an IO-APIC's entry that delivers
 * NMI, while all other interrupts stay masked: a comparator of the HPET, or channel 0 of the PIT.
 * Sources: IA-PC HPET specification 1.0a section 2.3, Intel 8254 data sheet (mode 0), 82093AA data
 * sheet section 3.2.4.
 */
#ifndef KERNEL_DEVICES_NMI_TIMER_H
#define KERNEL_DEVICES_NMI_TIMER_H

#include "kernel/cpu/paging.h"
#include "lib/firmware/acpi_hpet.h"
#include "lib/firmware/acpi_madt.h"

struct nmi_timer {
    const char *name;    /* "hpet", "pit" */
    const char *why_not; /* it cannot be had; NULL: it can be tried */
    uint64_t (*start)(const struct nmi_timer *t, uint64_t us);
    uint64_t us_most; /* longer times are cut to this */

    volatile uint8_t *ioapic;
    uint32_t index;                 /* of the entry's first word, */
    uint32_t was, was_to;           /* which was this, as its second; masked */
    bool low;                       /* the pin is active low */
    uint32_t to;                    /* APIC id of the core that is interrupted */
    volatile uint8_t *hpet;         /* its registers, */
    unsigned comparator;            /* which of them, */
    bool wide;                      /* of 64 bits, */
    uint32_t config_was, timer_was; /* as found, */
    uint32_t period;                /* and femtoseconds a tick */
};

/* `to`: the APIC id of the core that is interrupted. madt, hpet: NULL: there is none. */
void nmi_timer_hpet(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                    const struct hpet_table *hpet, uint32_t to);
/* Its count as the firmware left it cannot be read, so a machine that is given back keeps it:
 * `borrowed`. */
void nmi_timer_pit(struct nmi_timer *t, struct paging *p, const struct madt *madt, bool borrowed,
                   uint32_t to);

/* Requests an NMI after this many microseconds. A second call replaces the first.
 * Returns the microseconds after which it comes: they can be fewer, or some more where few were
 * asked for. */
uint64_t nmi_timer_start(const struct nmi_timer *t, uint64_t us);
/* No NMI comes any more. */
void nmi_timer_stop(const struct nmi_timer *t);
/* For good: all is as it was found but for the PIT's count. Nothing where it could not be had. */
void nmi_timer_close(const struct nmi_timer *t);

#endif
