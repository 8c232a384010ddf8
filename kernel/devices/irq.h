/*
 * Masks interrupts at their sources, not only by IF, since pending masked interrupts slow some
 * cores. Entries that deliver NMI or SMI stay unchanged: firmware and hardware report errors by
 * them.
 */
#ifndef KERNEL_DEVICES_IRQ_H
#define KERNEL_DEVICES_IRQ_H

#include "kernel/devices/lapic.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_madt.h"

/* Per IO-APIC: 82093AA data sheet, section 3.2.2; the index register allows no more. */
#define IOAPIC_ENTRIES_MAX 240u

/* Entries of each IO-APIC that were unmasked and are masked now, one bit each. */
struct irq_opened {
    uint8_t ioapic[MADT_IOAPIC_MAX][IOAPIC_ENTRIES_MAX / 8];
};

#define IRQ_KEPT_MAX 8 /* entries of a vector table that deliver NMI or SMI; no table needs more */

struct irq_masked {
    uint8_t pic_was[2];       /* the 8259s' masks as found (0xff if there is no 8259) */
    unsigned ioapics;         /* IO-APICs that answered */
    unsigned ioapics_refused; /* IO-APICs of the MADT with an invalid address or answer */
    unsigned ioapic_entries;  /* redirection entries in all */
    unsigned ioapic_masked;   /* entries that were unmasked and are masked now */
    unsigned ioapic_kept;     /* entries that deliver NMI or SMI */
    unsigned ioapic_stuck;    /* entries that are still unmasked after the write */
    struct lapic lapic;
    struct {
        uint16_t offset;
        uint32_t entry;
    } kept[IRQ_KEPT_MAX];                                  /* the first of the lvt_kept */
    unsigned lvt_entries, lvt_masked, lvt_kept, lvt_stuck; /* the same for the LVT */
    uint8_t priority_was; /* CR8; now 15, so that pending interrupts are blocked */

    bool done;                 /* irq_restore() has something to restore */
    struct irq_opened *opened; /* as given to irq_mask() */
    uint32_t lvt_opened;       /* one bit per LVT entry, in the order of irq.c */
    uint32_t spurious_was;     /* the spurious-interrupt vector register */
};

/* Masks the boot core's LAPIC, the IO-APICs and the PIC. `madt` NULL: no IO-APIC is known.
 * `opened`, zero at first, keeps what irq_restore() needs; NULL: nothing will be restored. */
struct irq_masked irq_mask(struct paging *p, const struct cpu *cpu, const struct madt *madt,
                           struct irq_opened *opened);
/* Unmasks what irq_mask() masked. Takes the same arguments. */
void irq_restore(const struct irq_masked *m, struct paging *p, const struct madt *madt);

/*
 * Masks the LAPIC of another core, on that core. Entries that deliver NMI or SMI get the boot
 * core's values, since the INIT cleared them, unless the core is `lent`; all others are masked. The
 * result has this core's lvt fields and priority; the rest is empty.
 */
struct irq_masked irq_mask_core(const struct irq_masked *boot, bool lent);
/* On a lent core: unmasks what irq_mask_core() masked. */
void irq_restore_lent(const struct irq_masked *m);

#endif
