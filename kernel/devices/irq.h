/*
 * Interrupts silenced at their source, not only by IF: pending masked ones slow some cores. What
 * delivers NMI or SMI stays as it is, since it is the firmware's or the machine's way to report its
 * own trouble.
 */
#ifndef KERNEL_DEVICES_IRQ_H
#define KERNEL_DEVICES_IRQ_H

#include "kernel/devices/lapic.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_madt.h"

/* Of one IO-APIC: 82093AA data sheet, section 3.2.2; more would not fit its index either. */
#define IOAPIC_ENTRIES_MAX 240u

/* Entries of each IO-APIC that were open and are masked now, a bit each. */
struct irq_opened {
    uint8_t ioapic[MADT_IOAPIC_MAX][IOAPIC_ENTRIES_MAX / 8];
};

#define IRQ_KEPT_MAX 8 /* more entries of a vector table that deliver NMI or SMI make no sense */

struct irq_masked {
    uint8_t pic_was[2];       /* the 8259s' masks as found (0xff also where there are none) */
    unsigned ioapics;         /* that answered */
    unsigned ioapics_refused; /* of the MADT, whose address or answer is nonsense */
    unsigned ioapic_entries;  /* redirection entries in all */
    unsigned ioapic_masked;   /* that were open and are masked now */
    unsigned ioapic_kept;     /* NMI and SMI */
    unsigned ioapic_stuck;    /* that are still open after the write */
    struct lapic lapic;
    struct {
        uint16_t offset;
        uint32_t entry;
    } kept[IRQ_KEPT_MAX];                                  /* the first of the lvt_kept */
    unsigned lvt_entries, lvt_masked, lvt_kept, lvt_stuck; /* the same for the local vector table */
    uint8_t priority_was; /* CR8; now 15, so that nothing already requested gets through */

    bool done;                 /* irq_restore() has something to put back */
    struct irq_opened *opened; /* where irq_mask() was given one */
    uint32_t lvt_opened;       /* a bit for each entry of the table, in irq.c's order */
    uint32_t spurious_was;     /* the spurious-interrupt vector register */
};

/*
 * The boot core's LAPIC and all that feeds it. `madt` NULL: none, so no IO-APIC is known. `opened`,
 * all zero: what irq_restore() will need; NULL where nothing is put back.
 */
struct irq_masked irq_mask(struct paging *p, const struct cpu *cpu, const struct madt *madt,
                           struct irq_opened *opened);
/* Opens again what irq_mask() masked, with the same arguments. */
void irq_restore(const struct irq_masked *m, struct paging *p, const struct madt *madt);

/*
 * A further core's own part, on that core: entries that deliver NMI or SMI are set as the boot
 * core's, since the INIT that started this one cleared them; all others are masked. The result's
 * lvt fields and priority are this core's; the rest is empty.
 */
struct irq_masked irq_mask_core(const struct irq_masked *boot);

/* The same on a core that is given back: nothing but what is masked is changed, and the second of
 * them opens it again. */
struct irq_masked irq_mask_lent(const struct irq_masked *boot);
void irq_restore_lent(const struct irq_masked *m);

#endif
