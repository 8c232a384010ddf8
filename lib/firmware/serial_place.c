#include "lib/firmware/serial_place.h"
#include "lib/text/bytes.h"

/* --- the port, whose form both tables share --------------------------------------------------- */

/* DBG2 table 3, subtypes of port type 8000h that are supported. */
enum { UART_16550 = 0x00, UART_16550_SUBSET = 0x01, UART_16550_GAS = 0x12 };

/* All of them, by subtype; 7 is reserved. */
static const char *const kinds[] = {
    [0x00] = "16550",           [0x01] = "16550_subset",     [0x02] = "max311xe_spi",
    [0x03] = "arm_pl011",       [0x04] = "msm8x60",          [0x05] = "nvidia",
    [0x06] = "ti_omap",         [0x08] = "apm88xxxx",        [0x09] = "msm8974",
    [0x0a] = "sam5250",         [0x0b] = "intel_usif",       [0x0c] = "imx6",
    [0x0d] = "arm_sbsa_32bit",  [0x0e] = "arm_sbsa",         [0x0f] = "arm_dcc",
    [0x10] = "bcm2835",         [0x11] = "sdm845_1.8432mhz", [0x12] = "16550",
    [0x13] = "sdm845_7.372mhz", [0x14] = "intel_lpss",       [0x15] = "riscv_sbi",
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static bool is_power_of_two(unsigned v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

static struct acpi_uart uart_of(uint16_t subtype, const uint8_t *gas)
{
    struct acpi_uart u = {.subtype = subtype, .gas = acpi_gas(gas), .width = 1};

    if (subtype < KINDS)
        u.kind = kinds[subtype];
    u.is_16550 = subtype == UART_16550 || subtype == UART_16550_SUBSET || subtype == UART_16550_GAS;

    /* The bit width is that of one register and, for UART_16550_GAS, the distance between two. A
     * PC's ports are adjacent bytes whatever the width. */
    unsigned by_bits = 1;
    if (is_power_of_two(u.gas.bits) && u.gas.bits >= 8 &&
        (u.gas.space != ACPI_IO || subtype == UART_16550_GAS))
        by_bits = u.gas.bits / 8;
    if (u.gas.access >= 1 && u.gas.access <= 4)
        u.width = (uint8_t)(1u << (u.gas.access - 1));
    else
        u.width = (uint8_t)(by_bits <= 8 ? by_bits : 8);
    u.stride = (uint8_t)(by_bits > u.width ? by_bits : u.width);
    return u;
}

/* --- SPCR ------------------------------------------------------------------------------------- */

enum {
    SPCR_INTERFACE = 36,
    SPCR_BASE = 40,
    SPCR_BAUD = 58,
    SPCR_PCI_DEVICE_ID = 64,
    SPCR_PCI_VENDOR_ID = 66,
    SPCR_PCI_BUS = 68,
    SPCR_PCI_DEVICE = 69,
    SPCR_PCI_FUNCTION = 70,
    SPCR_PCI_SEGMENT = 75,
    SPCR_CLOCK = 76, /* revision 3; reserved before */
    SPCR_V1_SIZE = 80,
    SPCR_PRECISE_BAUD = 80, /* revision 4 */
};
#define NO_PCI_ID  0xffffu
#define BAUD_AS_IS 0
#define SPCR_16450 1 /* only in revision 1, which has this and 0 */

static uint32_t baud_of(uint8_t code)
{
    switch (code) {
    case 3:
        return 9600;
    case 4:
        return 19200;
    case 6:
        return 57600;
    case 7:
        return 115200;
    default:
        return 0; /* reserved, or keep the divisor */
    }
}

static void read_baud(struct spcr *s, const struct acpi_table *t, uint8_t revision)
{
    if (revision >= 3)
        s->clock_hz = le32(t->bytes + SPCR_CLOCK);
    if (revision >= 4 && t->length >= SPCR_PRECISE_BAUD + 4)
        s->baud = le32(t->bytes + SPCR_PRECISE_BAUD);
    s->baud_code = t->bytes[SPCR_BAUD];
    if (s->baud != 0)
        return;
    s->baud = baud_of(s->baud_code);
    s->baud_as_is = s->baud_code == BAUD_AS_IS;
}

static void read_pci(struct spcr *s, const uint8_t *bytes)
{
    s->pci_device_id = le16(bytes + SPCR_PCI_DEVICE_ID);
    s->pci_vendor = le16(bytes + SPCR_PCI_VENDOR_ID);
    s->has_pci = s->pci_device_id != NO_PCI_ID && s->pci_vendor != NO_PCI_ID;
    s->pci_bus = bytes[SPCR_PCI_BUS];
    s->pci_device = bytes[SPCR_PCI_DEVICE];
    s->pci_function = bytes[SPCR_PCI_FUNCTION];
    s->pci_segment = bytes[SPCR_PCI_SEGMENT];
}

bool acpi_spcr(const struct acpi_table *t, struct spcr *s)
{
    *s = (struct spcr){0};
    if (!acpi_long_enough(t, "SPCR", SPCR_V1_SIZE, &s->error))
        return false;
    uint8_t revision = t->bytes[ACPI_HEADER_REVISION];

    s->uart = uart_of(t->bytes[SPCR_INTERFACE], t->bytes + SPCR_BASE);
    if (revision < 2) {
        s->uart.is_16550 = s->uart.subtype <= SPCR_16450;
        if (s->uart.subtype == SPCR_16450)
            s->uart.kind = "16450";
        else if (!s->uart.is_16550)
            s->uart.kind = NULL;
    }
    read_baud(s, t, revision);
    read_pci(s, t->bytes);
    return true;
}

/* --- DBG2 ------------------------------------------------------------------------------------- */

/* Table 1. */
enum { DBG2_OFFSET = 36, DBG2_COUNT = 40, DBG2_SIZE = 44 };

/* Table 2, offsets in the device. */
enum {
    DEVICE_LENGTH = 1,
    DEVICE_REGISTERS = 3,
    DEVICE_NAME_LENGTH = 4,
    DEVICE_NAME = 6,
    DEVICE_TYPE = 12,
    DEVICE_SUBTYPE = 14,
    DEVICE_BASES = 18,
    DEVICE_SIZE = 22,
};

/* Returns whether the n bytes at the offset in the device that its field at `field` has are inside
 * it. */
static bool inside(struct dbg2 *d, uint32_t at, const uint8_t *device, uint32_t field, uint32_t n)
{
    uint32_t length = le16(device + DEVICE_LENGTH), offset = le16(device + field);

    if (offset < DEVICE_SIZE)
        return acpi_wrong(&d->error, "DBG2", at + field, "offset in the device", offset,
                          DEVICE_SIZE, length);
    if (offset + n > length)
        return acpi_wrong(&d->error, "DBG2", at + field, "end in the device", offset + n,
                          DEVICE_SIZE, length);
    return true;
}

/* Reads the device at that offset of the table; its whole length must be there. */
static bool read_device(struct dbg2 *d, uint32_t at, const uint8_t *device)
{
    struct dbg2_port p = {
        .type = le16(device + DEVICE_TYPE),
        .subtype = le16(device + DEVICE_SUBTYPE),
        .registers = device[DEVICE_REGISTERS],
        .name_length = le16(device + DEVICE_NAME_LENGTH),
    };

    if (p.registers != 0) {
        if (!inside(d, at, device, DEVICE_BASES, p.registers * (uint32_t)ACPI_GAS_SIZE))
            return false;
        if (p.type == PORT_SERIAL)
            p.uart = uart_of(p.subtype, device + le16(device + DEVICE_BASES));
    }
    if (p.name_length != 0) {
        if (!inside(d, at, device, DEVICE_NAME, p.name_length))
            return false;
        p.name = (const char *)device + le16(device + DEVICE_NAME);
        uint16_t n = 0;
        while (n < p.name_length && p.name[n] != '\0')
            n++;
        p.name_length = n;
    }
    if (d->ports < DBG2_PORTS_MAX)
        d->port[d->ports++] = p;
    else
        d->ports_left_out++;
    return true;
}

bool acpi_dbg2(const struct acpi_table *t, struct dbg2 *d)
{
    *d = (struct dbg2){0};
    if (!acpi_long_enough(t, "DBG2", DBG2_SIZE, &d->error))
        return false;
    uint32_t at = le32(t->bytes + DBG2_OFFSET), count = le32(t->bytes + DBG2_COUNT);

    if (count != 0 && (at < DBG2_SIZE || at > t->length))
        return acpi_wrong(&d->error, "DBG2", DBG2_OFFSET, "offset of the devices", at, DBG2_SIZE,
                          t->length);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t left = t->length - at;
        if (left < DEVICE_SIZE)
            return acpi_wrong(&d->error, "DBG2", DBG2_COUNT, "number of devices", count, 0, i);
        uint16_t length = le16(t->bytes + at + DEVICE_LENGTH);
        if (length < DEVICE_SIZE || length > left)
            return acpi_wrong(&d->error, "DBG2", at + DEVICE_LENGTH, "device length", length,
                              DEVICE_SIZE, left);
        if (!read_device(d, at, t->bytes + at))
            return false;
        at += length;
    }
    return true;
}

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
    const char *taken = NULL;

    if (place->mmio) {
        struct address_map own = *map;
        own.named = place->named;
        taken = address_taken(&own, place->address, (uint64_t)place->stride * REGISTERS);
    }
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
    add_uart(
        p, &s.uart,
        (struct serial_place){.from = "spcr", .clock_hz = s.clock_hz, .baud = baud, .named = true},
        map);
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
