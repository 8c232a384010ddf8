/* The multiple APIC description table, the list of processors and I/O APICs: ACPI 6.5 section
 * 5.2.12. */
#ifndef LIB_FIRMWARE_ACPI_MADT_H
#define LIB_FIRMWARE_ACPI_MADT_H

#include "lib/firmware/acpi_table.h"

#define MADT_IOAPIC_MAX 128  /* machines with eight sockets have some fifty */
#define MADT_CPU_MAX    1024 /* entries, those that firmware left empty included */
struct madt_cpu {
    uint32_t id; /* APIC id; 255 (type 0) and 2^32-1 (type 9) name no processor but all of them */
    bool enabled, online_capable; /* as the flags say */
    bool x2apic;                  /* entry type 9, else 0 */
    bool duplicate;               /* the id stood before, in an entry of either type */
    bool usable; /* enabled, names one processor, and is the first such entry of its id */
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
    unsigned cpus_enabled;  /* distinct ids: how many entries are usable */
    unsigned duplicates;    /* entries whose id stood before; empty slots often share one */
    uint32_t pit_gsi;       /* the pin of the PIT's channel 0: entry type 2 of ISA's IRQ 0 */
    bool pit_low;           /* which is said to be active low there, as no PC's is */
    bool pcat;              /* 8259s are there too */
    struct acpi_error error;
};
/* False, and `error`: too short, or an entry that leaves the table or is too short for its type
 * (what was read before it is kept). */
bool acpi_madt(const struct acpi_table *t, struct madt *m);

#endif
