/*
 * Serial ports in firmware tables: the SPCR table (the firmware's own console) and the DBG2 table
 * (debug ports). Sources: Microsoft, "Serial Port Console Redirection Table", revisions 1 to 4 of
 * the table; "Microsoft Debug Port Table 2", with table 3 for the port types and subtypes.
 */
#ifndef LIB_FIRMWARE_SERIAL_PLACE_H
#define LIB_FIRMWARE_SERIAL_PLACE_H

#include "lib/config/choices.h"
#include "lib/firmware/acpi_tables.h"

/* Port types of DBG2 table 3. */
enum { PORT_SERIAL = 0x8000, PORT_1394 = 0x8001, PORT_USB = 0x8002, PORT_NET = 0x8003 };

struct acpi_uart {
    uint16_t subtype;    /* of DBG2 table 3; SPCR's interface type is the same */
    const char *kind;    /* its name, "16550", "arm_pl011"...; NULL: not known */
    bool is_16550;       /* has a 16550's registers (also 16450s, subsets and wider ones) */
    struct acpi_gas gas; /* address 0: no port */
    uint8_t width;       /* bytes of one access: 1, 2, 4, 8 */
    uint8_t stride;      /* bytes from one register to the next */
};

struct spcr {
    struct acpi_uart uart;
    uint32_t baud;     /* 0: not known */
    bool baud_as_is;   /* keep the divisor that firmware set */
    uint8_t baud_code; /* the field that baud comes from, unless revision 4 has it in full */
    uint32_t clock_hz; /* revision 3: the UART's clock, 0: not known */
    bool has_pci;      /* the port is on this PCI device: */
    uint16_t pci_vendor, pci_device_id;
    uint8_t pci_segment, pci_bus, pci_device, pci_function;
    struct acpi_error error;
};
/* False, with `error`: too short. */
bool acpi_spcr(const struct acpi_table *t, struct spcr *s);

#define DBG2_PORTS_MAX 16 /* no machine seen has more than three */
struct dbg2_port {
    uint16_t type; /* PORT_..., or an unknown type */
    uint16_t subtype;
    uint8_t registers;     /* number of base addresses */
    struct acpi_uart uart; /* PORT_SERIAL with a register: the first one; else all zero */
    const char *name;      /* its name in the ACPI name space, in the table, not terminated */
    uint16_t name_length;  /* without the terminating NUL */
};
struct dbg2 {
    unsigned ports;
    struct dbg2_port port[DBG2_PORTS_MAX];
    unsigned ports_left_out; /* more than DBG2_PORTS_MAX */
    struct acpi_error error;
};
/* False, with `error`: too short, or a device that leaves the table or its own length (entries
 * before the error are valid). */
bool acpi_dbg2(const struct acpi_table *t, struct dbg2 *d);

/*
 * Finds what a physical address belongs to, so that no device is probed where a write would hit
 * another one. Sources: ACPI 6.5 sections 5.2.12 (MADT) and 5.2.6 (MCFG, HPET); Intel SDM vol. 3A
 * section 11.11.1 (messages to local APICs: FEEx_xxxxh); data sheets of Intel's PCHs, memory map:
 * FF00_0000h to FFFF_FFFFh is flash.
 */
struct address_map {
    const struct acpi *acpi; /* NULL: no tables */
    const struct madt *madt; /* NULL: none */
    /* What the memory map has there, NULL: nothing that rules out a device. NULL: no map. named:
     * SPCR names the address, so a device may be in memory that the firmware reserves. */
    const char *(*region)(void *ctx, uint64_t start, uint64_t size, bool named);
    void *ctx;
    bool named;
};

/* Returns what any of these bytes belongs to, in words that follow "it is"; NULL: not known. */
const char *address_taken(const struct address_map *m, uint64_t start, uint64_t size);

/*
 * Candidates for the serial port, in order: `serial=`; without it, the SPCR table (the firmware's
 * own console), then the DBG2 table, then COM1.
 */
#define UART_HZ 1843200u /* a PC's UART: PC16550D data sheet, table of divisors */

struct serial_place {
    const char *from; /* "option", "spcr", "dbg2", "com1" */
    bool mmio;        /* else I/O ports */
    uint8_t width;    /* bytes of one access: 1, 2, 4 */
    uint8_t stride;   /* bytes from one of the eight registers to the next */
    uint64_t address;
    uint32_t clock_hz; /* 0: not known */
    uint32_t baud;     /* 0: keep the divisor that firmware set; else computed from the clock */
    /* By SPCR: the firmware uses it. BMCs' UARTs have no loopback and no divisor, so these are not
     * required. */
    bool named;
};

#define SERIAL_PLACES 8
struct serial_places {
    unsigned n, next; /* next: the first one not tried yet */
    struct serial_place place[SERIAL_PLACES];
    struct acpi_error spcr_error, dbg2_error; /* for tables that exist */
    unsigned refused_n; /* addresses in memory that belong to something else: never touched */
    struct {
        const char *from, *taken; /* as in serial_place; what is there (address_taken) */
        uint64_t address;
    } refused[SERIAL_PLACES];
};

/* `acpi` NULL: no tables. `map` describes memory; NULL: ports in memory are skipped. Ports that are
 * not 16550s, have impossible addresses, or are already in the list are left out. */
void serial_places(struct serial_places *p, const struct serial_choice *choice,
                   const struct acpi *acpi, const struct address_map *map);

/* Returns the divisor for that speed, 0 if the clock cannot produce it. */
uint16_t serial_divisor(uint32_t clock_hz, uint32_t baud);

#endif
