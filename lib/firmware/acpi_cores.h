/* The multiple APIC description table, the list of processors and I/O APICs: ACPI 6.5 section
 * 5.2.12. */
#ifndef LIB_FIRMWARE_ACPI_CORES_H
#define LIB_FIRMWARE_ACPI_CORES_H

#include "lib/firmware/acpi.h"

#define MADT_IOAPIC_MAX 128  /* machines with eight sockets have about fifty */
#define MADT_CPU_MAX    1024 /* entries, including empty ones */
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
    unsigned cpus_left_out; /* more than MADT_CPU_MAX */
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

#endif
