/*
 * ACPI tables found and decoded without believing them: every address is asked for through `struct
 * physmem`, every length and checksum is checked before a field is used. Source: ACPI 6.5 chapter
 * 5, section numbers beside each structure in acpi.c; HPET: IA-PC HPET specification 1.0a.
 */
#ifndef LIB_FIRMWARE_ACPI_H
#define LIB_FIRMWARE_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/firmware/physmem.h"

struct acpi_table {
    const uint8_t *bytes; /* the whole table, header included; NULL: not found */
    uint32_t length;      /* checked against memory and the checksum */
};

/* What is wrong with a table: its name, the offset, what stands there and what is allowed. */
struct acpi_error {
    char text[112]; /* empty: nothing */
};

/* ACPI 6.5 section 5.2.3.2, generic address structure. */
enum { ACPI_MEMORY = 0, ACPI_IO = 1, ACPI_PCI_CONFIG = 2 }; /* address spaces */
struct acpi_gas {
    uint8_t space;
    uint8_t bits;   /* register bit width */
    uint8_t access; /* 0: not said; 1 to 4: 1, 2, 4, 8 bytes */
    uint64_t address;
};

struct acpi {
    const struct physmem *mem;
    bool present;     /* an RSDP with a good checksum and an RSDT or XSDT that holds */
    uint8_t revision; /* of the RSDP */
    char oem_id[7];   /* of the RSDP, printable, blanks trimmed */
    bool xsdt;
    struct acpi_table root;
    unsigned bad; /* tables passed over: unreachable, too short, or wrong checksum */
};

/* `rsdp` is a physical address, 0 for none. An XSDT that does not hold falls back to the RSDT. */
void acpi_open(struct acpi *a, const struct physmem *mem, uint64_t rsdp);
/* The first table with that signature that holds; .bytes NULL where there is none. */
struct acpi_table acpi_find(const struct acpi *a, const char signature[4]);
/* Whether the root table or the FADT says QEMU: OEM id "BOCHS ", OEM table id "BXPC....". Both are
 * asked, since firmwares that rebuild the root table keep QEMU's FADT. */
bool acpi_says_qemu(const struct acpi *a);

struct fadt {
    uint16_t pm_timer_port; /* I/O port, 0: none (PM_TMR_BLK, X_PM_TMR_BLK in I/O space) */
    uint8_t pm_timer_bits;  /* 24 or 32 */
    uint16_t pm1a_cnt;      /* I/O port of PM1a_CNT, 0: none */
    bool hw_reduced;        /* hardware-reduced ACPI: none of the above exists */
    bool has_reset;         /* flag RESET_REG_SUP, and an address in a space that it may be in */
    struct acpi_gas reset;
    uint8_t reset_value;
    struct acpi_error error;
};
bool acpi_fadt(const struct acpi_table *t, struct fadt *f); /* false: too short to be one */

/* The period is not in the table: the block's own register at offset 4 has it. */
struct hpet_table {
    uint64_t address;  /* MMIO base, 0: not in memory space */
    uint32_t id;       /* event timer block id: the low half of the block's first register */
    uint8_t number;    /* of several blocks */
    uint16_t min_tick; /* least ticks between periodic interrupts without a loss */
    struct acpi_error error;
};
bool acpi_hpet(const struct acpi_table *t, struct hpet_table *h); /* false: too short to be one */

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
    bool pcat;              /* 8259s are there too */
    struct acpi_error error;
};
/* False, and `error`: too short, or an entry that leaves the table or is too short for its type
 * (what was read before it is kept). */
bool acpi_madt(const struct acpi_table *t, struct madt *m);

#endif
