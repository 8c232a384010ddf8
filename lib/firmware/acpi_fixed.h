/*
 * ACPI tables of fixed fields, each about a device: the FADT (ACPI 6.5 section 5.2.9), the HPET's
 * table (IA-PC HPET specification 1.0a section 3.2.4), MCFG (PCI Firmware Specification 3.0 section
 * 4.1.2), and the watchdogs' WDAT (Microsoft, Hardware Watchdog Timers Design Specification) and
 * WDDT (Intel, Watchdog Descriptor Table). The decoders return false if the table is too short.
 */
#ifndef LIB_FIRMWARE_ACPI_FIXED_H
#define LIB_FIRMWARE_ACPI_FIXED_H

#include "lib/firmware/acpi.h"
#include "lib/text/sink.h"

/* FADT: the fixed description table. */
struct fadt {
    uint16_t pm_timer_port; /* I/O port, 0: none (PM_TMR_BLK, X_PM_TMR_BLK in I/O space) */
    uint8_t pm_timer_bits;  /* 24 or 32 */
    uint16_t pm1a_cnt;      /* I/O port of PM1a_CNT, 0: none */
    bool hw_reduced;        /* hardware-reduced ACPI: none of the above exists */
    bool has_reset;         /* flag RESET_REG_SUP, and an address in an allowed space */
    struct acpi_gas reset;
    uint8_t reset_value;
    struct acpi_error error;
};
bool acpi_fadt(const struct acpi_table *t, struct fadt *f);

/* The table with the HPET's address. The period is not in the table but in the block's register at
 * offset 4. */
struct hpet_table {
    uint64_t address;  /* MMIO base, 0: not in memory space */
    uint32_t id;       /* event timer block id: the low half of the block's first register */
    uint8_t number;    /* index, if there are several blocks */
    uint16_t min_tick; /* minimum ticks between periodic interrupts without loss */
    struct acpi_error error;
};
bool acpi_hpet(const struct acpi_table *t, struct hpet_table *h);

#define MCFG_MAX 32 /* entries: a machine with eight sockets has about ten */

/* MCFG: the address of PCI configuration space in memory, for each segment. */
struct mcfg {
    unsigned n, left_out; /* number of entries; of those beyond MCFG_MAX */
    struct {
        uint64_t address; /* of bus 0, even if the entry does not have that bus */
        uint16_t segment;
        uint8_t first, last; /* buses */
    } entry[MCFG_MAX];
    struct acpi_error error;
};

/* Entries that contradict themselves are skipped. */
bool acpi_mcfg(const struct acpi_table *t, struct mcfg *m);

/* Hardware watchdogs. A running one can reset the machine during a run. This code does not touch it
 * or execute its WDAT actions. */
struct watchdog {
    bool enabled;       /* according to the table */
    uint64_t period_ms; /* of one count; 0: not known */
    uint32_t max_count;
    struct acpi_error error;
};

bool acpi_wdat(const struct acpi_table *t, struct watchdog *w);
bool acpi_wddt(const struct acpi_table *t, struct watchdog *w);

/* Writes a sentence about what it may do, or that the table is too short. */
void watchdog_text(const struct watchdog *w, const char *table, struct sink *out);

#endif
