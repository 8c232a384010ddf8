/*
 * Candidates for the serial port, in order: `serial=`; without it, the SPCR table (the firmware's
 * own console), then the DBG2 table, then COM1.
 */
#ifndef LIB_FIRMWARE_SERIAL_PLACE_H
#define LIB_FIRMWARE_SERIAL_PLACE_H

#include "lib/config/serial_choice.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/address.h"

#define UART_HZ 1843200u /* a PC's UART: PC16550D data sheet, table of divisors */

struct serial_place {
    const char *from; /* "option", "spcr", "dbg2", "com1" */
    bool mmio;        /* else I/O ports */
    uint8_t width;    /* bytes of one access: 1, 2, 4 */
    uint8_t stride;   /* bytes from one of the eight registers to the next */
    uint64_t address;
    uint32_t clock_hz; /* 0: not known */
    uint32_t baud;     /* 0: keep the divisor that firmware set; else computed from the clock */
};

#define SERIAL_PLACES 8
struct serial_places {
    unsigned n, next; /* next: the first one not tried yet */
    struct serial_place place[SERIAL_PLACES];
    struct acpi_error spcr_error, dbg2_error; /* for tables that exist */
    unsigned refused_n; /* addresses in memory that belong to something else: never touched */
    struct {
        const char *from, *taken; /* as in serial_place; what is there (lib/firmware/address.h) */
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
