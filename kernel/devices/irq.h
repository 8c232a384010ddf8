/* Interrupt controllers: the local APIC, and masking all interrupts at their sources. */
#ifndef KERNEL_DEVICES_IRQ_H
#define KERNEL_DEVICES_IRQ_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/paging.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_tables.h"

/*
 * --- the running core's local APIC ---
 * By MMIO or by MSR as the firmware left it. Source: Intel SDM vol. 3A chapter 11 (registers: table
 * 11-1, x2APIC: 11.12), AMD APM vol. 2 chapter 16 (extended LVT: 16.8).
 */

/* MMIO offsets; the MSR in x2APIC mode is 800h + offset / 16. */
enum {
    LAPIC_ID = 0x20,
    LAPIC_VERSION = 0x30,
    LAPIC_EOI = 0xb0,
    LAPIC_SPURIOUS = 0xf0,
    LAPIC_LVT_CMCI = 0x2f0,
    LAPIC_ICR = 0x300, /* high half at 310h; one MSR in x2APIC mode */
    LAPIC_ICR_HIGH = 0x310,
    LAPIC_LVT_TIMER = 0x320,
    LAPIC_LVT_THERMAL = 0x330,
    LAPIC_LVT_COUNTERS = 0x340,
    LAPIC_LVT_LINT0 = 0x350,
    LAPIC_LVT_LINT1 = 0x360,
    LAPIC_LVT_ERROR = 0x370,
    LAPIC_TIMER_INITIAL = 0x380,
    LAPIC_TIMER_CURRENT = 0x390,
    LAPIC_TIMER_DIVIDE = 0x3e0,
    LAPIC_EXT_FEATURES = 0x400,
    LAPIC_EXT_LVT = 0x500,
};

/* Commands of the ICR, SDM vol. 3A figure 11-12: delivery mode, level assert. For a fixed interrupt
 * and a start-up, the vector is or-ed in. */
#define ICR_ASSERT   (1u << 14)
#define ICR_FIXED    (0u << 8 | ICR_ASSERT)
#define ICR_NMI      (4u << 8 | ICR_ASSERT)
#define ICR_INIT     (5u << 8 | ICR_ASSERT)
#define ICR_START_UP (6u << 8 | ICR_ASSERT) /* vector: the page, below 1 MiB */
#define ICR_OTHERS   (3u << 18)             /* to all but the sender; the id is ignored */

struct lapic {
    bool present, x2apic;
    bool bsp;         /* of the bootstrap processor: all others wait for a start-up after INIT */
    uint64_t address; /* address of the registers; 0 in x2APIC mode */
    uint32_t id;
    uint32_t lvt_max; /* index of the last standard LVT entry */
    uint32_t lvt_ext; /* number of AMD's extended LVT entries */
};

struct lapic lapic_open(struct paging *p, const struct cpu *cpu);
/* False: no such register. */
bool lapic_read(const struct lapic *l, uint32_t offset, uint32_t *v);
void lapic_write(const struct lapic *l, uint32_t offset, uint32_t v);
/*
 * Sends one command of the ICR (SDM vol. 3A section 11.6.1: delivery mode, vector, level) to the
 * core with this APIC id. The core that it wakes sees all earlier stores. False: the command was
 * not accepted in time.
 */
bool lapic_ipi(const struct lapic *l, uint32_t apic_id, uint32_t command);
/* Reads the running core's APIC id. Returns NULL, or why not. */
const char *lapic_read_id(const struct lapic *l, uint32_t *id);

/*
 * --- masking ---
 * Masks interrupts at their sources, not only by IF, since pending masked interrupts slow some
 * cores. Entries that deliver NMI or SMI stay unchanged: firmware and hardware report errors by
 * them.
 */

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

/*
 * --- apic_state.c ---
 * Proves that a row leaves the running core's local APIC as it found it: the entry, the divisor and
 * the initial count of the timer are read before the row and compared after each part of it, and no
 * interrupt is in service then. A difference is recorded and restored. Source: SDM vol. 3A sections
 * 11.5.1, 11.5.4 (timer) and 11.8.4 (in service).
 */

/* Begins a row, saving the registers; clearing `kept` ends it. Does nothing on a core without a
 * local APIC. */
void apic_state_keep(struct row_apic *s, const struct lapic *l);

/* Restores and records what changed. Writing the initial count restarts the timer. */
void apic_state_put_back(struct row_apic *s, const struct lapic *l);

/* Writes what was changed to `out`, after `before` if that is any, and clears the record. False:
 * nothing was. */
bool apic_state_tell(struct row_apic *s, bool before, struct sink *out);

#endif
