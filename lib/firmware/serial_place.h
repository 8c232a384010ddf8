/*
 * Where to look for the serial port, in order: what `serial=` says; else what the SPCR table says
 * (the firmware's own console), then the DBG2 table, then COM1.
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
    uint32_t baud;     /* 0: the divisor stays as firmware set it; else the clock gives it */
};

#define SERIAL_PLACES 8
struct serial_places {
    unsigned n, next; /* next: the first that was not tried yet */
    struct serial_place place[SERIAL_PLACES];
    struct acpi_error spcr_error, dbg2_error; /* of tables that are there */
    unsigned refused_n; /* places in memory that are known to be something else: never touched */
    struct {
        const char *from, *taken; /* as in serial_place; what it is (lib/firmware/address.h) */
        uint64_t address;
    } refused[SERIAL_PLACES];
};

/* `acpi` NULL: no tables. `map` says what lies in memory; NULL: ports there are passed over. Ports
 * that are no 16550, that stand where none can be, or stand in the list already, are left out. */
void serial_places(struct serial_places *p, const struct serial_choice *choice,
                   const struct acpi *acpi, const struct address_map *map);

/* The divisor for that speed, 0 where the clock cannot give it. */
uint16_t serial_divisor(uint32_t clock_hz, uint32_t baud);

#endif
