#include "kernel/devices/counters.h"
#include "kernel/cpu/instructions.h"
#include "lib/cpu/tsc_rate.h"

#define WINDOWS     5   /* the median ignores two that a hypervisor or an SMI stretched */
#define WINDOWS_A_S 100 /* windows of 10 ms */
#define READ_TRIES  8   /* a reading is the fastest of this many */

/* No machine that boots by UEFI has a slower TSC, emulated ones included. */
#define TSC_HZ_MIN 1000000ull

/* Returns the fastest of READ_TRIES readings; a failed one counts as infinitely slow. */
static struct clock_read read_best(struct timer *t)
{
    struct clock_read best = {0, UINT64_MAX, 0};

    for (unsigned i = 0; i < READ_TRIES; i++) {
        struct clock_read r = {.tsc_before = rdtsc()};
        bool whole = t->read(t, &r.count) == TIMER_OK;
        r.tsc_after = rdtsc();
        if (whole && r.tsc_after - r.tsc_before < best.tsc_after - best.tsc_before)
            best = r;
    }
    return best;
}

/* Measures the TSC's frequency in consecutive windows. Returns their median, or with `least` the
 * smallest. */
static struct clock_result measure_with(struct timer *t, bool least)
{
    struct clock_result r = {0};
    uint64_t hz[WINDOWS];
    double error, widest = 0;

    for (unsigned i = 0; i < WINDOWS; i++) {
        struct clock_read a = read_best(t);
        if (!counters_wait(t, t->hz / t->hz_per / WINDOWS_A_S)) {
            r.why_not = "stops, or counts far too slowly";
            return r;
        }
        struct clock_read b = read_best(t);
        hz[i] = clock_hz(&a, &b, (double)t->hz / t->hz_per, t->bits, &error);
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

static struct clock_result not_measured(const char *why)
{
    return (struct clock_result){.why_not = why};
}

static struct clock_result by_counter(struct timer *t, enum clock_id id)
{
    const char *why = t->start(t);

    if (why)
        return not_measured(why);
    /* A PIT read takes four port accesses: a busy host can only make the result too high. */
    struct clock_result r = measure_with(t, id == CLOCK_ID_PIT);
    if (t->stop)
        t->stop(t);
    t->tsc_hz = r.hz;
    t->tsc_error_hz = (uint64_t)(r.error_hz + 0.5);
    return r;
}

static struct clock_result by_cpuid(const struct cpu *cpu)
{
    if (!cpu->tsc_hz)
        return not_measured(cpu->tsc_ratio_num ? "leaf 15h gives no crystal" : "no leaf 15h");
    return (struct clock_result){.known = true, .hz = cpu->tsc_hz};
}

const enum clock_source clocks_sources[CLOCK_IDS] = {[CLOCK_ID_TSC] = CLOCK_SOURCES,
                                                     [CLOCK_ID_HPET] = CLOCK_HPET,
                                                     [CLOCK_ID_PMTIMER] = CLOCK_PMTIMER,
                                                     [CLOCK_ID_PIT] = CLOCK_PIT};

struct tsc_clock clocks_measure(const struct cpu *cpu, struct tsc_rate stated,
                                struct counters *counters)
{
    /* The PIT is last: its reads are the slowest. */
    static const enum clock_id order[] = {CLOCK_ID_PMTIMER, CLOCK_ID_HPET, CLOCK_ID_PIT};
    struct tsc_clock c = {0};

    c.source[CLOCK_CPUID15] = by_cpuid(cpu);
    c.source[CLOCK_STATED] = clock_stated(stated);
    c.stated_by = stated.source;
    for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        c.source[clocks_sources[order[i]]] = by_counter(&counters->timer[order[i]], order[i]);
    clock_choose(&c);
    counters->timer[CLOCK_ID_TSC].tsc_hz = c.hz;
    if (c.hz)
        counters->timer[CLOCK_ID_TSC].tsc_error_hz = (uint64_t)(c.source[c.used].error_hz + 0.5);
    return c;
}
