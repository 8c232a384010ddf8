#include <string.h>
#include "tests/unit/fake_cpu.h"
#include "tests/unit/unit.h"
#include "kernel/serial.c"

/* A UART at COM1, as far as serial.c looks at it; every other port reads 0xff. */
static struct {
    bool there, scratch, loopback, fifo, zero; /* zero: the line status reads 0 */
    unsigned takes;                            /* bytes until the transmitter stops for ever */
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
        return uart.keys && uart.keys[uart.key] ? (uint8_t)uart.keys[uart.key++] : 0;
    case IIR:
        return uart.fifo && uart.fcr & 1 ? IIR_FIFO | 1 : 1;
    case MCR:
        return uart.mcr;
    case LSR:
        return line_status();
    case MSR:
        return uart.loopback && uart.mcr & 0x10 ? MSR_CTS_DCD : 0;
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
            uart.dll = v;
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

static struct serial probe(uint32_t baud)
{
    struct serial_choice c = {.kind = SERIAL_AUTO, .baud = baud};

    return serial_probe(&c);
}

static int good(void **state)
{
    (void)state;
    memset(&uart, 0, sizeof(uart));
    uart.there = uart.scratch = uart.loopback = uart.fifo = true;
    uart.takes = 1000;
    uart.scr = 0x77;
    uart.mcr = 0x0b;
    uart.ier = 0x0f;
    return 0;
}

static void programs_and_writes(void **state)
{
    (void)state;
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

static void slow_speeds(void **state)
{
    (void)state;
    assert_true(probe(50).on);
    assert_int_equal(uart.dll | uart.dlm << 8, 2304);
}

static void without_a_fifo(void **state)
{
    (void)state;
    uart.fifo = uart.scratch = false; /* an 8250 */
    struct serial s = probe(115200);

    assert_true(s.on);
    assert_int_equal(s.fifo, 1);
    uart.reads = 0;
    s.sink.write(&s.sink, "abc", 3);
    assert_int_equal(uart.n, 3);
    assert_int_equal(uart.reads, 3);
}

static void nobody(void **state)
{
    (void)state;
    uart.there = false;
    struct serial s = probe(115200);
    assert_false(s.on);
    assert_non_null(s.why_not);
    s.sink.write(&s.sink, "abc", 3); /* out8 would have asserted */
    assert_int_equal(s.lost, 3);
    assert_false(serial_key(&s));

    good(NULL);
    uart.zero = true;
    assert_false(probe(115200).on);

    good(NULL);
    uart.scratch = uart.loopback = false; /* something else lives at this port */
    assert_false(probe(115200).on);
    assert_int_equal(uart.mcr, 0x0b);
    assert_int_equal(uart.lcr, 0);
}

static void off(void **state)
{
    (void)state;
    struct serial_choice c = {.kind = SERIAL_OFF};
    struct serial s = serial_probe(&c);

    assert_false(s.on);
    assert_int_equal(s.port, 0);
    s.sink.write(&s.sink, "abc", 3);
    assert_int_equal(uart.n, 0);
}

static void stops_taking(void **state)
{
    (void)state;
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

static void keys(void **state)
{
    (void)state;
    struct serial s = probe(115200);
    assert_false(serial_key(&s));
    uart.keys = "xyq";
    uart.key_state[0] = 0x10; /* break */
    uart.key_state[1] = 0x08; /* framing */
    assert_true(serial_key(&s));
    assert_int_equal(uart.key, 3);
    assert_false(serial_key(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(programs_and_writes, good),
        cmocka_unit_test_setup(slow_speeds, good),
        cmocka_unit_test_setup(without_a_fifo, good),
        cmocka_unit_test_setup(nobody, good),
        cmocka_unit_test_setup(off, good),
        cmocka_unit_test_setup(stops_taking, good),
        cmocka_unit_test_setup(keys, good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
