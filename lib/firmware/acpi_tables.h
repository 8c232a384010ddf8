/*
 * Decodes single ACPI tables: the MADT (ACPI 6.5 section 5.2.12), the SRAT (5.2.16) and tables of
 * fixed fields, each about a device: the FADT (5.2.9), the HPET's table (IA-PC HPET specification
 * 1.0a section 3.2.4), MCFG (PCI Firmware Specification 3.0 section 4.1.2), and the watchdogs' WDAT
 * (Microsoft, Hardware Watchdog Timers Design Specification) and WDDT (Intel, Watchdog Descriptor
 * Table). The decoders return false, with `error`, if the table is too short.
 */
#ifndef LIB_FIRMWARE_ACPI_TABLES_H
#define LIB_FIRMWARE_ACPI_TABLES_H

#include "lib/firmware/acpi.h"
#include "lib/text/sink.h"

/* The MADT: the multiple APIC description table, the list of processors and I/O APICs. */
#define MADT_IOAPIC_MAX 128  /* machines with eight sockets have about fifty */
#define MADT_CPU_MAX    1024 /* usable entries; if there are more, empty ones are not kept */
struct madt_cpu {
    uint32_t id; /* APIC id; 255 (type 0) and 2^32-1 (type 9) are broadcasts, not processors */
    bool enabled, online_capable; /* the flags */
    bool x2apic;                  /* entry type 9, else 0 */
    bool duplicate;               /* an earlier entry of either type has the same id */
    bool usable; /* enabled, names one processor, and is the first such entry with its id */
};
struct madt {
    uint64_t lapic_address; /* entry type 5 wins over the header */
    unsigned ioapics;
    struct {
        uint32_t address, gsi_base;
        uint8_t id;
    } ioapic[MADT_IOAPIC_MAX];
    unsigned ioapics_left_out; /* more than MADT_IOAPIC_MAX */
    unsigned cpus;             /* entries of types 0 and 9, in the table's order */
    struct madt_cpu cpu[MADT_CPU_MAX];
    unsigned cpus_empty;    /* entries that are not usable and not kept */
    unsigned cpus_left_out; /* usable ones, more than MADT_CPU_MAX */
    unsigned cpus_enabled;  /* distinct ids: the number of usable entries */
    unsigned duplicates;    /* entries with the id of an earlier one; empty slots often share one */
    uint32_t pit_gsi;       /* the pin of the PIT's channel 0: entry type 2 of ISA's IRQ 0 */
    bool pit_low;           /* reported as active low, as on no PC */
    bool pcat;              /* there are also 8259s */
    struct acpi_error error;
};
/* False, with `error`: too short, or an entry that leaves the table or is too short for its type
 * (entries before the error are valid). */
bool acpi_madt(const struct acpi_table *t, struct madt *m);

/* Entries with a type byte, a length byte and a body, up to the table's end (MADT, SRAT). */
struct acpi_walk {
    const struct acpi_table *t;
    const char *name;
    uint32_t at;          /* offset of the next entry */
    const uint8_t *sizes; /* the minimum length of each type; 0: the type is not read */
    size_t types;         /* number of sizes; types from there on are not read */
};

/*
 * The system resource affinity table, ACPI 6.5 section 5.2.16: which processors and memory are near
 * each other ("proximity domains"). Read entry by entry, so their number is not limited.
 */
struct srat {
    struct acpi_walk walk;
    uint8_t revision; /* of the table: 1 has domains of one byte */
    struct acpi_error error;
};

struct srat_entry {
    enum { SRAT_CORE, SRAT_MEMORY } what;
    uint32_t domain;
    bool enabled;          /* false: the rest of the entry is not valid */
    uint32_t id;           /* core: APIC id */
    bool x2apic;           /* core: entry type 2, else 0 */
    uint64_t base, length; /* memory: bytes */
    bool hot_plug;         /* memory: may be added or removed */
    bool non_volatile;     /* memory */
};

/* False, with `error`: too short. `t` must live as long as `s`. */
bool srat_open(struct srat *s, const struct acpi_table *t);
/* Reads the next entry of a known type; false at the end, or with an `error`. */
bool srat_next(struct srat *s, struct srat_entry *e);

/* FADT: the fixed description table. */
struct fadt {
    uint16_t pm_timer_port; /* I/O port, 0: none (PM_TMR_BLK, X_PM_TMR_BLK in I/O space) */
    uint8_t pm_timer_bits;  /* 24 or 32 */
    uint16_t pm1_sts[2];    /* I/O ports of PM1a_STS and PM1b_STS, 0: none */
    uint16_t pm1a_cnt;      /* I/O port of PM1a_CNT, 0: none */
    uint16_t pm1b_cnt;      /* the same of PM1b_CNT */
    bool hw_reduced;        /* hardware-reduced ACPI: none of the above exists */
    bool has_reset;         /* flag RESET_REG_SUP, and an address in an allowed space */
    struct acpi_gas reset;
    uint8_t reset_value;
    struct acpi_error error;
};
bool acpi_fadt(const struct acpi_table *t, struct fadt *f);

/* The types of sleep that switch the machine off, for PM1a_CNT and PM1b_CNT: \_S5_ of the DSDT. */
struct acpi_s5 {
    uint8_t a, b;
};
/* False: no definition of \_S5_ by a package of constants up to 7. Source: ACPI 6.5 sections
 * 7.4.2.5 and 20.2. */
bool acpi_s5(const struct acpi_table *dsdt, struct acpi_s5 *s);

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
    const char *table;  /* "WDAT" or "WDDT"; NULL: the machine has no such table */
    bool enabled;       /* according to the table */
    uint64_t period_ms; /* of one count; 0: not known */
    uint32_t max_count;
    struct acpi_error error;
};

/* Decodes one of the two tables. */
void acpi_watchdog(const struct acpi_table *t, struct watchdog *w);

/* The actions that a run uses. */
enum wdat_action {
    WDAT_RESET = 1, /* the countdown begins again */
    WDAT_SET_COUNTDOWN = 6,
    WDAT_SET_RUNNING = 9,
    WDAT_SET_STOPPED = 11,
    WDAT_SET_REBOOT = 17, /* it resets the machine at the end, and does not only report it */
};
/* Access to a register: false if it cannot be accessed. */
struct wdat_access {
    void *ctx;
    bool (*read)(void *ctx, const struct acpi_gas *at, uint64_t *v);
    bool (*write)(void *ctx, const struct acpi_gas *at, uint64_t v);
};
/* Executes the instructions of an action in their order. *v: the countdown that is written; gets
 * what an instruction reads. False: no such instruction, or one that is invalid or cannot be
 * executed. */
bool wdat_run(const struct acpi_table *t, enum wdat_action action, uint64_t *v,
              const struct wdat_access *a);

/* Writes a sentence about what it may do, or that the table is too short. */
void watchdog_text(const struct watchdog *w, struct sink *out);

#endif
