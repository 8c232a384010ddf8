#include "kernel/clocks.h"
#include "kernel/cpu.h"

#define WINDOWS     5   /* a median of five throws out two that a hypervisor or an SMI stretched */
#define WINDOWS_A_S 100 /* windows of 10 ms */
#define READ_TRIES  8   /* a reading is the quickest of so many */

/* No clock is known yet: a wait ends by reads or by raw ticks, whichever runs out first. Ten
 * times the ticks of a window on the fastest machine; reads that take ten windows at 100 ns
 * each. */
#define WAIT_READS (1u << 20)
#define WAIT_TICKS (1ull << 30)

/* Figures outside are no TSC of a machine that boots by UEFI, emulated ones included. */
#define TSC_HZ_MIN 1000000ull
#define TSC_HZ_MAX 20000000000ull

#define PM_TIMER_HZ 3579545.0 /* ACPI 6.5 section 4.8.3.3 */

/* HPET 1.0a section 2.3: register offsets and fields. */
#define HPET_BYTES      0x400u
#define HPET_ID         0x00
#define HPET_PERIOD     0x04
#define HPET_CONFIG     0x10
#define HPET_COUNTER    0xf0
#define HPET_ENABLE     1u
#define HPET_PERIOD_MIN 1000000u   /* fs: 1 ns, faster than any that was built */
#define HPET_PERIOD_MAX 100000000u /* fs: section 2.3.4, 05F5E100h */

/* 8254: channel 2 is the one whose gate software has, in port 0x61. */
#define PIT_HZ            (14318180.0 / 12)
#define PIT_CHANNEL2      0x42
#define PIT_COMMAND       0x43
#define PIT_CH2_RATE      0xb4 /* channel 2, low then high byte, mode 2, binary */
#define PIT_CH2_LATCH     0x80
#define PORT_B            0x61
#define PORT_B_KEEP       0x0c /* the parity and bus error switches; bits 7:4 are read-only */
#define PORT_B_GATE2      0x01
#define PORT_B_GATE_SPEAK 0x03

#define NOBODY 0xffffffffu

struct counter {
    uint32_t (*read)(const struct counter *c);
    uint16_t port;
    volatile uint32_t *at;
    unsigned bits;
    double hz;
};

static uint32_t read_port(const struct counter *c)
{
    return in32(c->port);
}

static uint32_t read_mmio(const struct counter *c)
{
    return *c->at;
}

/* Counts down from 65536, which reads as 0; turned round so that all counters count up. */
static uint32_t read_pit(const struct counter *c)
{
    (void)c;
    out8(PIT_COMMAND, PIT_CH2_LATCH);
    uint8_t low = in8(PIT_CHANNEL2);
    return (uint16_t) - (low | in8(PIT_CHANNEL2) << 8);
}

static uint64_t mask_of(const struct counter *c)
{
    return (1ull << c->bits) - 1;
}

static struct clock_read read_once(const struct counter *c)
{
    struct clock_read r;

    r.tsc_before = rdtsc();
    r.count = c->read(c) & mask_of(c);
    r.tsc_after = rdtsc();
    return r;
}

static struct clock_read read_best(const struct counter *c)
{
    struct clock_read best = read_once(c);

    for (unsigned i = 1; i < READ_TRIES; i++) {
        struct clock_read r = read_once(c);
        if (r.tsc_after - r.tsc_before < best.tsc_after - best.tsc_before)
            best = r;
    }
    return best;
}

/* Whether the counter came at least `counts` further before patience ran out. */
static bool wait_counts(const struct counter *c, uint64_t counts)
{
    uint64_t start = c->read(c) & mask_of(c), tsc = rdtsc();

    for (unsigned i = 0; i < WAIT_READS && rdtsc() - tsc < WAIT_TICKS; i++) {
        if (((c->read(c) - start) & mask_of(c)) >= counts)
            return true;
    }
    return false;
}

/* Windows one after the other. With `least` the smallest of them, else the median. */
static struct clock_result measure(const struct counter *c, bool least)
{
    struct clock_result r = {0};
    uint64_t hz[WINDOWS];
    double error, widest = 0;

    if (!wait_counts(c, 1)) {
        r.why_not = (c->read(c) & mask_of(c)) == mask_of(c) ? "nobody there (reads all ones)"
                                                            : "does not count";
        return r;
    }
    for (unsigned i = 0; i < WINDOWS; i++) {
        struct clock_read a = read_best(c);
        if (!wait_counts(c, (uint64_t)(c->hz / WINDOWS_A_S))) {
            r.why_not = "stops, or counts far too slowly";
            return r;
        }
        struct clock_read b = read_best(c);
        hz[i] = clock_hz(&a, &b, c->hz, c->bits, &error);
        if (hz[i] < TSC_HZ_MIN || hz[i] > TSC_HZ_MAX) {
            r.why_not = "gives a figure that no TSC has";
            return r;
        }
        if (error > widest)
            widest = error;
    }
    r.hz = clock_median(hz, WINDOWS); /* sorts */
    if (least)
        r.hz = hz[0];
    r.error_hz = widest;
    r.known = true;
    return r;
}

static struct clock_result nothing(const char *why)
{
    return (struct clock_result){.why_not = why};
}

static struct clock_result by_pmtimer(const struct fadt *f)
{
    if (!f)
        return nothing("no FADT");
    if (!f->pm_timer_port)
        return nothing("the FADT names none");

    struct counter c = {.read = read_port, .port = f->pm_timer_port, .hz = PM_TIMER_HZ};
    c.bits = f->pm_timer_bits == 32 ? 32 : 24;
    return measure(&c, false);
}

static struct clock_result by_hpet(const struct hpet_table *h, struct paging *p)
{
    volatile uint8_t *at;

    if (!h)
        return nothing("no HPET table");
    at = h->address & 7 ? NULL : paging_map_mmio(p, h->address, HPET_BYTES);
    if (!at)
        return nothing("the HPET table's address is no device's");

    uint32_t id = *(volatile uint32_t *)(at + HPET_ID);
    uint32_t period = *(volatile uint32_t *)(at + HPET_PERIOD);
    volatile uint32_t *config = (volatile uint32_t *)(at + HPET_CONFIG);
    uint32_t was = *config;
    if (id == NOBODY || period == NOBODY)
        return nothing("nobody there (reads all ones)");
    if (period < HPET_PERIOD_MIN || period > HPET_PERIOD_MAX)
        return nothing("its period is outside 1 to 100 ns");

    struct counter c = {.read = read_mmio, .bits = 32, .hz = 1e15 / period};
    c.at = (volatile uint32_t *)(at + HPET_COUNTER);
    *config = was | HPET_ENABLE;
    struct clock_result r = measure(&c, false);
    *config = was;
    return r;
}

static struct clock_result by_pit(void)
{
    struct counter c = {.read = read_pit, .bits = 16, .hz = PIT_HZ};
    uint8_t was = in8(PORT_B);

    out8(PORT_B, (was & PORT_B_KEEP) | PORT_B_GATE2);
    out8(PIT_COMMAND, PIT_CH2_RATE);
    out8(PIT_CHANNEL2, 0);
    out8(PIT_CHANNEL2, 0);
    /* Three port accesses a read: a busy host only ever makes it read high. */
    struct clock_result r = measure(&c, true);
    out8(PORT_B, was & (PORT_B_KEEP | PORT_B_GATE_SPEAK));
    return r;
}

static struct clock_result by_cpuid(const struct cpu *cpu)
{
    if (!cpu->tsc_hz)
        return nothing(cpu->tsc_ratio_num ? "leaf 15h gives no crystal" : "no leaf 15h");
    return (struct clock_result){.known = true, .hz = cpu->tsc_hz};
}

struct tsc_clock clocks_measure(const struct cpu *cpu, struct paging *p, const struct fadt *f,
                                const struct hpet_table *h)
{
    struct tsc_clock c = {0};

    c.source[CLOCK_CPUID15] = by_cpuid(cpu);
    c.source[CLOCK_PMTIMER] = by_pmtimer(f);
    c.source[CLOCK_HPET] = by_hpet(h, p);
    c.source[CLOCK_PIT] = by_pit();
    clock_choose(&c);
    return c;
}
