#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/console/console.h"

#define COM1 0x3f8

/* PC16550D table 1: registers, and their bits. */
enum { RBR = 0, THR = 0, IER = 1, IIR = 2, FCR = 2, LCR = 3, MCR = 4, LSR = 5, MSR = 6, SCR = 7 };
enum { LSR_DR = 0x01, LSR_OE = 0x02, LSR_THRE = 0x20, LSR_TEMT = 0x40 };
enum { LCR_8N1 = 0x03, LCR_DLAB = 0x80, IIR_FIFO = 0xc0 };

/* A UART at COM1, as far as serial.c uses it; every other port reads 0xff. */
static struct {
    bool there, scratch, loopback, divisor, fifo, zero; /* zero: the line status reads 0 */
    unsigned takes;                                     /* bytes until the transmitter stops */
    uint8_t scr, mcr, lcr, dll, dlm, fcr, ier;
    char sent[128];
    unsigned n, reads;
    const char *keys;     /* bytes that come in ... */
    uint8_t key_state[8]; /* ... with these line status bits */
    unsigned key;
    uint64_t tsc;
} uart;

uint64_t rdtsc(void)
{
    return uart.tsc += 100;
}

static uint8_t line_status(void)
{
    uint8_t v = uart.n < uart.takes ? LSR_THRE | LSR_TEMT : 0;

    uart.reads++;
    if (uart.zero)
        return 0;
    if (uart.keys && uart.keys[uart.key])
        v |= LSR_DR | uart.key_state[uart.key];
    return v;
}

uint8_t in8(uint16_t port)
{
    if (!uart.there || port < COM1 || port > COM1 + 7)
        return 0xff;
    switch (port - COM1) {
    case RBR:
        if (uart.lcr & LCR_DLAB)
            return uart.dll;
        return uart.keys && uart.keys[uart.key] ? (uint8_t)uart.keys[uart.key++] : 0;
    case IER:
        return uart.lcr & LCR_DLAB ? uart.dlm : uart.ier;
    case LCR:
        return uart.lcr;
    case IIR:
        return uart.fifo && uart.fcr & 1 ? IIR_FIFO | 1 : 1;
    case MCR:
        return uart.mcr;
    case LSR:
        return line_status();
    case MSR:
        /* PC16550D section 8.6.7: RTS, DTR, OUT1, OUT2 as CTS, DSR, RI, DCD. */
        if (!uart.loopback || !(uart.mcr & 0x10))
            return 0;
        return (uint8_t)((uart.mcr & 2) << 3 | (uart.mcr & 1) << 5 | (uart.mcr & 0xc) << 4);
    case SCR:
        return uart.scratch ? uart.scr : 0;
    default:
        return 0;
    }
}

void out8(uint16_t port, uint8_t v)
{
    assert_in_range(port, COM1, COM1 + 7);
    switch (port - COM1) {
    case THR:
        if (uart.lcr & LCR_DLAB)
            uart.dll = uart.divisor ? v : uart.dll;
        else if (uart.n < sizeof(uart.sent))
            uart.sent[uart.n++] = (char)v;
        break;
    case IER:
        if (uart.lcr & LCR_DLAB)
            uart.dlm = v;
        else
            uart.ier = v;
        break;
    case FCR:
        uart.fcr = v;
        break;
    case LCR:
        uart.lcr = v;
        break;
    case MCR:
        uart.mcr = v;
        break;
    case SCR:
        uart.scr = v;
        break;
    }
}

static struct serial chosen(struct serial_choice c)
{
    struct serial_places places;

    serial_places(&places, &c, NULL, NULL);
    return serial_open(&places, NULL, NULL);
}

static struct serial probe(uint32_t baud)
{
    return chosen((struct serial_choice){.kind = SERIAL_AUTO, .baud = baud});
}

static void good(void)
{
    memset(&uart, 0, sizeof(uart));
    uart.there = uart.scratch = uart.loopback = uart.divisor = uart.fifo = true;
    uart.takes = 1000;
    uart.scr = 0x77;
    uart.mcr = 0x0b;
    uart.ier = 0x0f;
}

BEFORE_EACH(good);

TEST(the_port_is_programmed_and_written)
{
    struct serial s = probe(9600);

    assert_true(s.on);
    assert_null(s.why_not);
    assert_int_equal(s.fifo, 16);
    assert_int_equal(uart.dll, 12); /* the data sheet's table of divisors */
    assert_int_equal(uart.dlm, 0);
    assert_int_equal(uart.lcr, LCR_8N1);
    assert_int_equal(uart.ier, 0);
    assert_int_equal(uart.scr, 0x77); /* as it was */
    assert_int_equal(uart.n, 0);

    uart.reads = 0;
    s.sink.write(&s.sink, "0123456789abcdefXYZ", 19);
    assert_memory_equal(uart.sent, "0123456789abcdefXYZ", 19);
    assert_int_equal(uart.reads, 2); /* one question for each FIFO */
}

/* The firmware's console may be on the same port, at another speed. */
TEST(the_port_is_restored)
{
    uart.dll = 12;
    uart.dlm = 1;
    uart.lcr = 0x1b; /* 8 bits, even parity */
    uart.mcr = 0x0b;
    uart.ier = 0x05;
    struct serial s = probe(115200);
    assert_int_equal(uart.lcr, LCR_8N1);
    assert_int_equal(uart.ier, 0);
    assert_int_equal(uart.dll, 1);

    serial_release(&s);
    assert_int_equal(uart.dll, 12);
    assert_int_equal(uart.dlm, 1);
    assert_int_equal(uart.lcr, 0x1b);
    assert_int_equal(uart.mcr, 0x0b);
    assert_int_equal(uart.ier, 0x05);
    s.sink.write(&s.sink, "late", 4);
    assert_int_equal(uart.n, 0);
    assert_int_equal(s.lost, 4);
    assert_string_equal(s.why_not, "given back to the firmware");
}

/* A UPS, or a board that resets by DTR, may be at the other end instead of a terminal. */
TEST(dtr_and_rts_stay_as_they_were)
{
    for (uint8_t lines = 0; lines < 4; lines++) {
        uart.mcr = 0x08 | lines;
        struct serial s = probe(115200);
        assert_true(s.on);
        assert_int_equal(uart.mcr, lines);
        serial_release(&s);
        assert_int_equal(uart.mcr, 0x08 | lines);
    }
}

TEST(the_slowest_speed_has_its_divisor)
{
    assert_true(probe(50).on);
    assert_int_equal(uart.dll | uart.dlm << 8, 2304);
}

static void count(void *n)
{
    ++*(unsigned *)n;
}

/* A watchdog is fed there: a long report takes minutes. */
TEST(each_wait_for_the_transmitter_is_told)
{
    struct serial s = probe(9600);
    unsigned waits = 0;

    s.waits = count, s.waits_ctx = &waits;
    s.sink.write(&s.sink, "0123456789abcdefXYZ", 19);
    assert_int_equal(waits, 2);
}

TEST(without_a_fifo_each_byte_is_waited_for)
{
    uart.fifo = false; /* a 16450 */
    struct serial s = probe(115200);

    assert_true(s.on);
    assert_int_equal(s.fifo, 1);
    uart.reads = 0;
    s.sink.write(&s.sink, "abc", 3);
    assert_int_equal(uart.n, 3);
    assert_int_equal(uart.reads, 3);
}

TEST(an_absent_port_is_not_used)
{
    uart.there = false;
    struct serial s = probe(115200);
    assert_false(s.on);
    assert_non_null(s.why_not);
    s.sink.write(&s.sink, "abc", 3); /* out8 would have asserted */
    assert_int_equal(s.lost, 3);
    assert_false(serial_stop_key(&s));

    good();
    uart.zero = true;
    assert_false(probe(115200).on);
}

/* Another device is at this port: if one of the three is missing, the port is restored. */
TEST(other_devices_are_left_as_they_were)
{
    bool *const lacks[] = {&uart.scratch, &uart.loopback, &uart.divisor};
    const char *const why[] = {"scratch", "loopback", "divisor"};

    for (unsigned i = 0; i < 3; i++) {
        good();
        uart.lcr = 0x1b;
        uart.dll = 3;
        uart.dlm = 1;
        *lacks[i] = false;
        struct serial s = probe(115200);
        assert_false(s.on);
        assert_non_null(strstr(s.why_not, why[i]));
        assert_int_equal(uart.scr, i ? 0x77 : 0); /* it reads 0 if it is missing */
        assert_int_equal(uart.mcr, 0x0b);
        assert_int_equal(uart.lcr, 0x1b);
        assert_int_equal(uart.ier, 0x0f);
        assert_int_equal(uart.dll | uart.dlm << 8, 0x103);
        assert_int_equal(uart.n, 0);
    }
}

TEST(with_serial_off_no_port_is_opened)
{
    struct serial s = chosen((struct serial_choice){.kind = SERIAL_OFF});

    assert_false(s.on);
    assert_null(s.place.from);
    s.sink.write(&s.sink, "abc", 3);
    assert_int_equal(uart.n, 0);
}

TEST(a_port_that_stops_taking_bytes_is_switched_off)
{
    struct serial s = probe(115200);

    uart.takes = 16;
    s.sink.write(&s.sink, "0123456789abcdefXYZ", 19);
    assert_false(s.on);
    assert_int_equal(uart.n, 16);
    assert_int_equal(s.lost, 3);
    assert_non_null(s.why_not);

    unsigned reads = uart.reads;
    s.sink.write(&s.sink, "more", 4); /* off: not even asked */
    serial_flush(&s);
    assert_int_equal(uart.reads, reads);
    assert_int_equal(s.lost, 7);
}

TEST(a_key_stops_and_damaged_bytes_do_not)
{
    struct serial s = probe(115200);

    assert_false(serial_stop_key(&s));
    uart.keys = "qqxyq";
    uart.key_state[0] = 0x10; /* break */
    uart.key_state[1] = 0x08; /* framing */
    assert_true(serial_stop_key(&s));
    assert_int_equal(uart.key, 5);
    assert_false(serial_stop_key(&s));
}

/* Esc stops if nothing follows it for a while; nothing that was cut does. */
TEST(esc_alone_stops)
{
    struct serial s = probe(115200);

    uart.keys = "\x1b";
    assert_false(serial_stop_key(&s));
    assert_false(serial_stop_key(&s));
    uart.tsc += STOP_KEYS_PATIENCE;
    assert_true(serial_stop_key(&s));

    s = probe(115200);
    uart.key = 0;
    uart.key_state[0] = LSR_OE; /* bytes before it, or after it, are lost */
    assert_false(serial_stop_key(&s));
    uart.tsc += STOP_KEYS_PATIENCE;
    assert_false(serial_stop_key(&s));
}

#define BASE 0xfe03e000ull

/* The same UART with registers of four bytes in memory; all other memory there keeps writes. */
static uint32_t cell[8];
static bool only_memory;
static unsigned maps, writes;

uint32_t mmio_read(uint64_t at, unsigned width)
{
    assert_int_equal(width, 4);
    assert_in_range(at, BASE, BASE + 28);
    return only_memory ? cell[(at - BASE) / 4] : in8((uint16_t)(COM1 + (at - BASE) / 4));
}

void mmio_write(uint64_t at, unsigned width, uint32_t v)
{
    assert_int_equal(width, 4);
    assert_in_range(at, BASE, BASE + 28);
    assert_in_range(v, 0, 0xff);
    writes++;
    if (only_memory)
        cell[(at - BASE) / 4] = v;
    else
        out8((uint16_t)(COM1 + (at - BASE) / 4), (uint8_t)v);
}

static volatile void *map(void *ctx, uint64_t address, uint64_t size)
{
    assert_ptr_equal(ctx, cell);
    assert_int_equal(address, BASE);
    assert_int_equal(size, 32);
    maps++;
    return (volatile void *)(uintptr_t)address;
}

TEST(a_port_in_memory_is_used)
{
    struct serial_places places = {.n = 2,
                                   .place = {{"spcr", false, 1, 1, 0x2f8, 0, 0, false},
                                             {"dbg2", true, 4, 4, BASE, 0, 0, false}}};

    uart.dll = 26;
    maps = 0;
    only_memory = false;

    struct serial s = serial_open(&places, NULL, NULL); /* no device at COM2, and no map yet */
    assert_false(s.on);
    assert_int_equal(places.next, 1);
    s = serial_open(&places, map, cell);
    assert_true(s.on && s.place.mmio);
    assert_int_equal(maps, 1);
    assert_int_equal(places.next, 2);
    assert_int_equal(s.baud, 0); /* the clock is not known */
    assert_int_equal(uart.dll, 26);
    assert_int_equal(uart.lcr, LCR_8N1);
    s.sink.write(&s.sink, "A", 1);
    assert_int_equal(uart.sent[0], 'A');
}

/* A device whose registers read like those of a UART and keep writes: nothing is written where a
 * UART's data and interrupt registers would be, and everything is restored. */
TEST(memory_is_not_a_uart)
{
    struct serial_places places = {.n = 1, .place = {{"option", true, 4, 4, BASE, 0, 0, false}}};

    for (unsigned i = 0; i < 8; i++)
        cell[i] = 0x60 | i; /* the line status: ready and empty */
    only_memory = true;
    writes = 0;

    struct serial s = serial_open(&places, map, cell);
    assert_false(s.on);
    assert_string_equal(s.why_not, "no UART (its loopback does not answer)");
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(cell[i], 0x60 | i);
    assert_int_equal(writes, 6);
    s.sink.write(&s.sink, "abc", 3);
    assert_int_equal(writes, 6);
}

static volatile void *no_map(void *ctx, uint64_t address, uint64_t size)
{
    return NULL;
}

TEST(a_port_in_memory_that_no_device_has_is_refused)
{
    struct serial_places places = {.n = 1, .place = {{"spcr", true, 1, 1, 8, 0, 0, false}}};

    struct serial s = serial_open(&places, no_map, NULL);
    assert_false(s.on);
    assert_string_equal(s.why_not, "its address is not a device's");
}

/* A BMC's UART: no loopback, and a divisor that does not hold, or only one of the two. */
TEST(a_port_that_spcr_names_needs_no_loopback_and_no_divisor)
{
    for (unsigned lacks = 1; lacks < 4; lacks++) {
        struct serial_places places = {
            .n = 1, .place = {{"spcr", false, 1, 1, COM1, UART_HZ, 9600, .named = true}}};
        good();
        uart.loopback = !(lacks & 1);
        uart.divisor = !(lacks & 2);
        uart.dll = 1;
        struct serial s = serial_open(&places, NULL, NULL);
        assert_true(s.on && !s.why_not && s.lacks);
        assert_int_equal(uart.dll, uart.divisor ? 12 : 1);
        assert_int_equal(uart.lcr, LCR_8N1);
        s.sink.write(&s.sink, "A", 1);
        assert_int_equal(uart.sent[uart.n - 1], 'A');
        serial_release(&s);
        assert_int_equal(uart.ier, 0x0f);

        places.next = 0;
        places.place[0].named = false;
        assert_false(serial_open(&places, NULL, NULL).on);
    }
    good();
    uart.scratch = false; /* this one it must have */
    struct serial_places places = {.n = 1, .place = {{"spcr", false, 1, 1, COM1, .named = true}}};
    assert_false(serial_open(&places, NULL, NULL).on);
}

/* Memory that SPCR names, whose bytes are like the registers of an idle UART, FIFO off or on. */
TEST(memory_that_is_named_is_not_a_uart)
{
    struct serial_places places = {
        .n = 1, .place = {{"spcr", true, 4, 4, BASE, UART_HZ, 9600, .named = true}}};

    only_memory = true;
    for (unsigned fifo = 0; fifo < 2; fifo++) {
        const uint32_t pattern[8] = {1, 2, fifo ? 0xc1 : 1, 3, 4, LSR_THRE | LSR_TEMT, 6, 7};
        memcpy(cell, pattern, sizeof cell);
        places.next = 0;
        struct serial s = serial_open(&places, map, cell);
        assert_false(s.on);
        assert_string_equal(s.why_not, "no UART (its registers hold what is written, like memory)");
        assert_memory_equal(cell, pattern, sizeof cell);
    }
    only_memory = false;
    for (unsigned fifo = 0; fifo < 2; fifo++) {
        good();
        uart.fifo = fifo;
        places.next = 0;
        assert_true(serial_open(&places, map, cell).on);
    }
}
