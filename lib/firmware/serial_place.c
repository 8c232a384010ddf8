#include "lib/firmware/serial_place.h"

#include "lib/firmware/acpi_serial.h"

#define COM1      0x3f8
#define REGISTERS 8
#define ERROR_MAX 3 /* percent: tolerance of a byte of ten bits, half a bit at its end */

uint16_t serial_divisor(uint32_t clock_hz, uint32_t baud)
{
    uint64_t base = clock_hz / 16;

    if (baud == 0 || base == 0)
        return 0;
    uint64_t divisor = (base + baud / 2) / baud;
    if (divisor == 0 || divisor > UINT16_MAX)
        return 0;
    uint64_t real = base / divisor, off = real > baud ? real - baud : baud - real;
    return off * 100 <= (uint64_t)baud * ERROR_MAX ? (uint16_t)divisor : 0;
}

static bool can_be(const struct serial_place *p)
{
    uint64_t bytes = (uint64_t)p->stride * REGISTERS;

    if (p->width > 4)
        return false;
    if (p->mmio)
        return p->address >= SERIAL_MMIO_MIN && p->address <= UINT64_MAX - bytes &&
               p->address % p->width == 0;
    return p->width == 1 && p->address >= SERIAL_IO_MIN && p->address + bytes <= 0x10000;
}

/* Returns whether it belongs to something else. */
static bool is_taken(struct serial_places *p, const struct serial_place *place,
                     const struct address_map *map)
{
    const char *taken =
        place->mmio ? address_taken(map, place->address, (uint64_t)place->stride * REGISTERS)
                    : NULL;

    if (taken == NULL)
        return false;
    if (p->refused_n < SERIAL_PLACES) {
        p->refused[p->refused_n].from = place->from;
        p->refused[p->refused_n].taken = taken;
        p->refused[p->refused_n++].address = place->address;
    }
    return true;
}

static void add(struct serial_places *p, const struct serial_place *place,
                const struct address_map *map)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->place[i].mmio == place->mmio && p->place[i].address == place->address)
            return;
    if (p->n == SERIAL_PLACES || !can_be(place) || is_taken(p, place, map))
        return;
    p->place[p->n] = *place;
    if (serial_divisor(place->clock_hz, place->baud) == 0)
        p->place[p->n].baud = 0;
    p->n++;
}

static void add_uart(struct serial_places *p, const struct acpi_uart *u, struct serial_place place,
                     const struct address_map *map)
{
    place.mmio = u->gas.space == ACPI_MEMORY;
    place.address = u->gas.address;
    place.width = u->width;
    place.stride = u->stride;
    if (place.clock_hz == 0 && !place.mmio)
        place.clock_hz = UART_HZ;
    if (u->is_16550 && u->gas.space <= ACPI_IO && (map != NULL || !place.mmio))
        add(p, &place, map);
}

static void add_spcr(struct serial_places *p, const struct serial_choice *choice,
                     const struct acpi *acpi, const struct address_map *map)
{
    struct acpi_table t = acpi_find(acpi, "SPCR");
    struct spcr s;

    if (t.bytes == NULL)
        return;
    if (!acpi_spcr(&t, &s)) {
        p->spcr_error = s.error;
        return;
    }
    uint32_t baud = choice->baud_given ? choice->baud : s.baud;
    add_uart(p, &s.uart,
             (struct serial_place){.from = "spcr", .clock_hz = s.clock_hz, .baud = baud}, map);
}

/* DBG2 has no speed. A port in memory keeps its speed, since its clock is not known either. */
static void add_dbg2(struct serial_places *p, const struct serial_choice *choice,
                     const struct acpi *acpi, const struct address_map *map)
{
    struct acpi_table t = acpi_find(acpi, "DBG2");
    struct dbg2 d;

    if (t.bytes == NULL)
        return;
    if (!acpi_dbg2(&t, &d)) /* entries before the error are valid */
        p->dbg2_error = d.error;
    for (unsigned i = 0; i < d.ports; i++)
        add_uart(p, &d.port[i].uart, (struct serial_place){.from = "dbg2", .baud = choice->baud},
                 map);
}

/* Assumes a PC's clock if a speed is requested; otherwise the clock is not needed. */
static void add_option_mmio(struct serial_places *p, const struct serial_choice *choice,
                            const struct address_map *map)
{
    add(p,
        &(struct serial_place){
            .from = "option",
            .mmio = true,
            .width = choice->width,
            .stride = choice->stride,
            .address = choice->address,
            .clock_hz = choice->baud_given ? UART_HZ : 0,
            .baud = choice->baud,
        },
        map);
}

void serial_places(struct serial_places *p, const struct serial_choice *choice,
                   const struct acpi *acpi, const struct address_map *map)
{
    struct serial_place port = {.width = 1, .stride = 1, .clock_hz = UART_HZ, .baud = choice->baud};

    *p = (struct serial_places){0};
    if (choice->kind == SERIAL_OFF)
        return;
    if (choice->kind == SERIAL_PORT) {
        port.from = "option";
        port.address = choice->port;
        add(p, &port, map);
        return;
    }
    if (choice->kind == SERIAL_MMIO) {
        if (map != NULL)
            add_option_mmio(p, choice, map);
        return;
    }
    if (acpi != NULL) {
        add_spcr(p, choice, acpi, map);
        add_dbg2(p, choice, acpi, map);
    }
    port.from = "com1";
    port.address = COM1;
    if (p->n == SERIAL_PLACES)
        p->n--; /* COM1 is always the last one */
    add(p, &port, map);
}
