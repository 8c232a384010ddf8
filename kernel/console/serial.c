#include "kernel/console/console.h"
#include "kernel/cpu/instructions.h"
#include "lib/cpu/tsc_rate.h"

/* Registers, offsets from the base (PC16550D table 1). */
enum { RBR = 0, THR = 0, DLL = 0, IER = 1, DLM = 1, IIR = 2, FCR = 2, LCR = 3, MCR = 4, LSR = 5 };
enum { MSR = 6, SCR = 7 };

enum {
    LSR_DR = 0x01,
    LSR_OE = 0x02, /* overrun: bytes before this one were lost */
    LSR_BAD = 0x1c /* parity, framing, break */,
    LSR_THRE = 0x20,
    LSR_TEMT = 0x40
};
enum { LCR_8N1 = 0x03, LCR_DLAB = 0x80 };
enum { MCR_DTR_RTS = 0x03, MCR_LOOP_RTS_OUT2 = 0x1a, MCR_LOOP_DTR_OUT1 = 0x15 };
enum { MSR_LINES = 0xf0, MSR_CTS_DCD = 0x90, MSR_DSR_RI = 0x60 };
enum { FCR_ON_CLEARED = 0x07, FCR_DMA = 0x08, IIR_FIFO = 0xc0 };

#define REGISTERS     8
#define FIFO          16    /* bytes, of a 16550 */
#define BAUD_SLOW     9600u /* assumed for waits if the speed is not known */
#define BITS_A_FIFO   160u  /* 16 bytes of 10 bits */
#define PATIENCE      4u    /* wait limit, as a multiple of the longest time to send a full FIFO */
#define READS_FASTEST 20000000ull /* port reads per second: no bus is faster than 50 ns per read */

/* The shortest limits of a wait, for emulated ports on a busy host. */
#define TICKS_LEAST (1ull << 30)
#define READS_LEAST (1ull << 20)

static uint8_t read_register(const struct serial *s, unsigned reg)
{
    uint64_t at = s->place.address + (uint64_t)s->place.stride * reg;

    if (!s->place.mmio)
        return in8((uint16_t)at);
    return (uint8_t)mmio_read(at, s->place.width);
}

static void write_register(const struct serial *s, unsigned reg, uint8_t v)
{
    uint64_t at = s->place.address + (uint64_t)s->place.stride * reg;

    if (!s->place.mmio)
        out8((uint16_t)at, v);
    else
        mmio_write(at, s->place.width, v);
}

/* Waits for any of the line status bits. False: the wait reached a limit. */
static bool wait_lsr(const struct serial *s, uint8_t bits)
{
    uint64_t scale = PATIENCE * BITS_A_FIFO, baud = s->baud ? s->baud : BAUD_SLOW;
    uint64_t ticks = TICKS_LEAST + TSC_HZ_MAX * scale / baud;
    uint64_t reads = READS_LEAST + READS_FASTEST * scale / baud;
    uint64_t start = rdtsc();

    for (uint64_t i = 0; i < reads && rdtsc() - start < ticks; i++) {
        if (read_register(s, LSR) & bits)
            return true;
        pause();
    }
    return false;
}

static void serial_write(struct sink *self, const char *bytes, size_t n)
{
    struct serial *s = (struct serial *)self;

    for (size_t i = 0; i < n; i++) {
        if (s->on && s->room == 0) {
            if (s->waits)
                s->waits(s->waits_ctx);
            if (wait_lsr(s, LSR_THRE)) {
                s->room = s->fifo;
            } else {
                s->on = false;
                s->why_not = "the transmitter stopped taking bytes";
            }
        }
        if (!s->on) {
            s->lost += n - i;
            return;
        }
        write_register(s, THR, (uint8_t)bytes[i]);
        s->room--;
        s->sent++;
    }
}

static bool scratch_holds(const struct serial *s)
{
    uint8_t was = read_register(s, SCR);
    bool holds = true;

    for (unsigned i = 0; i < 2; i++) {
        uint8_t pattern = i ? 0x5a : 0xa5;
        write_register(s, SCR, pattern);
        holds = holds && read_register(s, SCR) == pattern;
    }
    write_register(s, SCR, was);
    return holds;
}

/* RAM holds what is written. In a UART the register at this offset that is written (its bit 3, the
 * mode of DMA, does nothing here) is not the one that is read, which never is 08h: PC16550D table
 * 4. Leaves a UART's FIFO off. */
static bool is_ram(const struct serial *s)
{
    uint8_t was = read_register(s, IIR);
    bool same = true;

    for (unsigned i = 0; i < 2; i++) {
        uint8_t pattern = i ? 0 : FCR_DMA;
        write_register(s, FCR, pattern);
        same = same && read_register(s, IIR) == pattern;
    }
    if (same)
        write_register(s, FCR, was);
    return same;
}

/* In loopback mode RTS, OUT2, DTR and OUT1 appear as CTS, DCD, DSR and RI. */
static bool loopback_answers(const struct serial *s)
{
    uint8_t was = read_register(s, MCR);
    bool answers;

    write_register(s, MCR, MCR_LOOP_RTS_OUT2);
    answers = (read_register(s, MSR) & MSR_LINES) == MSR_CTS_DCD;
    write_register(s, MCR, MCR_LOOP_DTR_OUT1);
    answers = answers && (read_register(s, MSR) & MSR_LINES) == MSR_DSR_RI;
    write_register(s, MCR, was);
    return answers;
}

/* Only while LCR_DLAB is set. */
static void set_divisor(const struct serial *s, uint16_t divisor)
{
    write_register(s, DLL, (uint8_t)divisor);
    write_register(s, DLM, (uint8_t)(divisor >> 8));
}

static uint16_t get_divisor(const struct serial *s)
{
    return (uint16_t)(read_register(s, DLL) | read_register(s, DLM) << 8);
}

/* Tests that the divisor replaces the first two registers while LCR_DLAB is set, and only then. */
static bool divisor_holds(const struct serial *s)
{
    uint8_t lcr = read_register(s, LCR), ier = read_register(s, IER);
    uint16_t was;
    bool holds = true;

    write_register(s, LCR, lcr | LCR_DLAB);
    if (read_register(s, LCR) != (lcr | LCR_DLAB)) {
        write_register(s, LCR, lcr);
        return false;
    }
    was = get_divisor(s);
    for (unsigned i = 0; i < 2; i++) {
        uint16_t pattern = i ? 0x5aa5 : 0xa55a;
        set_divisor(s, pattern);
        holds = holds && get_divisor(s) == pattern;
    }
    if (!(lcr & LCR_DLAB)) {
        write_register(s, LCR, lcr);
        holds = holds && read_register(s, IER) == ier;
        write_register(s, LCR, lcr | LCR_DLAB);
    }
    set_divisor(s, was);
    write_register(s, LCR, lcr);
    return holds;
}

static const char *find_uart(struct serial *s)
{
    uint8_t lsr = read_register(s, LSR);
    const char *lacks = NULL;

    if (lsr == 0xff)
        return "no device answers (the line status reads 0xff)";
    /* A byte of the firmware may still be in the transmitter; loopback and clearing the FIFO would
     * destroy it. */
    if (!wait_lsr(s, LSR_TEMT))
        return lsr == 0 ? "no device answers (the line status reads 0x00)"
                        : "the transmitter does not become empty";
    /* The most harmless test comes first. The last one writes to addresses at which another device
     * would have its first registers. */
    if (!scratch_holds(s))
        return "no UART (its scratch register does not hold what is written)";
    if (s->place.mmio && s->place.named && is_ram(s)) /* others need a loopback */
        return "no UART (its registers hold what is written, like memory)";
    if (!loopback_answers(s))
        lacks = "no UART (its loopback does not answer)";
    s->has_divisor = (!lacks || s->place.named) && divisor_holds(s);
    if (!lacks && !s->has_divisor)
        lacks = "no UART (its divisor does not hold what is written)";
    if (!s->place.named)
        return lacks;
    s->lacks = lacks;
    return NULL;
}

static void program_uart(struct serial *s)
{
    const struct serial_place *p = &s->place;

    s->ier_was = read_register(s, IER);
    s->lcr_was = read_register(s, LCR);
    s->mcr_was = read_register(s, MCR);
    write_register(s, IER, 0);
    if (s->has_divisor) {
        write_register(s, LCR, LCR_DLAB);
        s->divisor_was = get_divisor(s);
        if (p->baud)
            set_divisor(s, serial_divisor(p->clock_hz, p->baud));
        else
            s->baud = s->divisor_was ? p->clock_hz / 16 / s->divisor_was : 0;
    }
    write_register(s, LCR, LCR_8N1);
    write_register(s, FCR, FCR_ON_CLEARED);
    write_register(s, MCR, s->mcr_was & MCR_DTR_RTS); /* a device may act on a change of them */
    s->fifo = (read_register(s, IIR) & IIR_FIFO) == IIR_FIFO ? FIFO : 1;
}

struct serial serial_open(struct serial_places *places, serial_map *map, void *ctx)
{
    struct serial s = {.sink.write = serial_write, .why_not = "no place to look at"};

    for (; places->next < places->n && !s.on; places->next++) {
        const struct serial_place *p = &places->place[places->next];
        if (p->mmio && !map)
            break;
        s.place = *p;
        s.baud = p->baud;
        if (p->mmio && !map(ctx, p->address, (uint64_t)p->stride * REGISTERS))
            s.why_not = "its address is not a device's";
        else
            s.why_not = find_uart(&s);
        s.on = !s.why_not;
    }
    if (s.on)
        program_uart(&s);
    return s;
}

void serial_flush(struct serial *s)
{
    if (s->on)
        (void)wait_lsr(s, LSR_TEMT);
}

void serial_release(struct serial *s)
{
    if (!s->on)
        return;
    serial_flush(s);
    s->on = false;
    s->why_not = "given back to the firmware";
    if (s->has_divisor) {
        write_register(s, LCR, LCR_DLAB);
        set_divisor(s, s->divisor_was);
    }
    write_register(s, LCR, s->lcr_was);
    write_register(s, IER, s->ier_was);
    write_register(s, MCR, s->mcr_was);
}

/* Takes the received bytes. True: one of them stops the run. At most one FIFO per call: a line that
 * is held in break would never end. */
static bool take_keys(struct serial *s, uint64_t now)
{
    bool overrun = false;

    for (unsigned i = 0; i < FIFO; i++) {
        uint8_t lsr = read_register(s, LSR);
        if (lsr == 0xff || !(lsr & LSR_DR))
            break;
        uint8_t byte = read_register(s, RBR);
        overrun = overrun || (lsr & LSR_OE);
        if (!(lsr & LSR_BAD) && stop_keys_feed(&s->keys, byte, now))
            return true;
    }
    if (overrun)
        stop_keys_forget(&s->keys);
    return false;
}

bool serial_stop_key(struct serial *s)
{
    uint64_t now = rdtsc();

    return s->on && (take_keys(s, now) || stop_keys_alone(&s->keys, now));
}
