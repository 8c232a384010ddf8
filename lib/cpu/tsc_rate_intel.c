/*
 * Intel SDM vol. 3B section 18.17 "Time-Stamp Counter" and 19.7.3, vol. 4 for the MSRs.
 * lib/cpu/models.c has the way for each model.
 */
#include "lib/cpu/tsc_rate.h"

#include <stddef.h>

#define MSR_PLATFORM_ID   0x17
#define MSR_EBC_FREQUENCY 0x2c
#define MSR_FSB_FREQ      0xcd
#define MSR_PLATFORM_INFO 0xce
#define MSR_PERF_STATUS   0x198

/* A bus clock: num/den times 100 MHz; num is 0 for a reserved code. */
struct bus {
    uint8_t num, den;
};

/* MSR_FSB_FREQ by its code (vol. 4): Core microarchitecture, Bonnell, Silvermont, Airmont; and
 * MSR_EBC_FREQUENCY_ID, Netburst from model 3 on. */
static const struct bus bus_core2[8] = {{8, 3}, {4, 3}, {2, 1}, {5, 3}, {10, 3}, {1, 1}, {4, 1}};
static const struct bus bus_bonnell[8] = {[1] = {4, 3}, [3] = {5, 3}, [5] = {1, 1}, [7] = {5, 6}};
static const struct bus bus_silvermont[8] = {{5, 6}, {1, 1}, {4, 3}, {7, 6}, {4, 5}};
static const struct bus bus_airmont[16] = {{5, 6},   {1, 1},  {4, 3}, {7, 6}, {4, 5},
                                           {14, 15}, {9, 10}, {8, 9}, {7, 8}};
static const struct bus bus_netburst[8] = {{8, 3}, {4, 3}, {2, 1}, {5, 3}, {10, 3}};

struct source {
    const struct cpu *c;
    msr_fn rdmsr;
    void *ctx;
};

static uint64_t msr(const struct source *s, uint32_t address)
{
    uint64_t v;

    return s->rdmsr(s->ctx, address, &v) ? v : 0;
}

/* Returns the ratio of leaf 15h times a crystal; 0 if the nominal frequency is more than 1% away,
 * which means another crystal. Nominal frequencies are rounded to 100 MHz, or to a crystal of 100
 * MHz. */
static uint64_t by_crystal(const struct source *s, uint64_t crystal)
{
    const struct cpu *c = s->c;
    uint64_t nominal = c->tsc_nominal_hz;

    if (nominal == 0)
        nominal = (msr(s, MSR_PLATFORM_INFO) >> 8 & 0xff) * 100000000;
    if (c->tsc_ratio_den == 0)
        return 0;
    uint64_t hz = (crystal * c->tsc_ratio_num + c->tsc_ratio_den / 2) / c->tsc_ratio_den;
    uint64_t off = hz > nominal ? hz - nominal : nominal - hz;
    return off <= nominal / 100 ? hz : 0;
}

/* Returns half a bus clock times `halves`. */
static uint64_t times(struct bus bus, uint64_t halves)
{
    return bus.num != 0 ? (100000000 * bus.num * halves + bus.den) / (2 * bus.den) : 0;
}

/* MSR_PLATFORM_INFO[15:8], "Maximum Non-Turbo Ratio", is the TSC's. */
static uint64_t by_ratio(const struct source *s, struct bus bus)
{
    return times(bus, 2 * (msr(s, MSR_PLATFORM_INFO) >> 8 & 0xff));
}

static uint64_t by_fsb_and_ratio(const struct source *s, const struct bus *bus, unsigned mask)
{
    uint64_t v;

    return s->rdmsr(s->ctx, MSR_FSB_FREQ, &v) ? by_ratio(s, bus[v & mask]) : 0;
}

/*
 * SDM vol. 3B 19.7.3: with XE operation (MSR_PERF_STATUS[31]) the maximum resolved bus ratio is
 * MSR_PERF_STATUS[44:40], without it MSR_PLATFORM_ID[12:8]. [46] adds a half. If the two differ
 * without XE, neither is used.
 */
static uint64_t by_fsb_and_maximum(const struct source *s, const struct bus *bus)
{
    uint64_t fsb, status, id;

    if (!s->rdmsr(s->ctx, MSR_FSB_FREQ, &fsb) || !s->rdmsr(s->ctx, MSR_PERF_STATUS, &status))
        return 0;
    bool xe = status >> 31 & 1;
    uint64_t ratio = status >> 40 & 0x1f, half = status >> 46 & 1;
    if (!xe && (!s->rdmsr(s->ctx, MSR_PLATFORM_ID, &id) || (id >> 8 & 0x1f) != ratio))
        return 0;
    return times(bus[fsb & 7], 2 * ratio + half);
}

/* MSR_EBC_FREQUENCY_ID of family Fh: [31:24] ratio, [18:16] bus clock. */
static uint64_t by_ebc(const struct source *s)
{
    uint64_t v;

    return s->rdmsr(s->ctx, MSR_EBC_FREQUENCY, &v)
               ? times(bus_netburst[v >> 16 & 7], 2 * (v >> 24 & 0xff))
               : 0;
}

static struct tsc_rate by_way(const struct source *s, enum tsc_way way)
{
    uint64_t hz = 0;

    switch (way) {
    case TSC_WAY_CRYSTAL_24:
        return (struct tsc_rate){by_crystal(s, 24000000), TSC_RATE_CRYSTAL};
    case TSC_WAY_CRYSTAL_25:
        return (struct tsc_rate){by_crystal(s, 25000000), TSC_RATE_CRYSTAL};
    case TSC_WAY_CRYSTAL_24_OR_25:
        hz = by_crystal(s, 25000000);
        return (struct tsc_rate){hz ? hz : by_crystal(s, 24000000), TSC_RATE_CRYSTAL};
    case TSC_WAY_CRYSTAL_19_2:
        return (struct tsc_rate){by_crystal(s, 19200000), TSC_RATE_CRYSTAL};
    case TSC_WAY_RATIO_100:
        return (struct tsc_rate){by_ratio(s, (struct bus){1, 1}), TSC_RATE_PLATFORM_INFO};
    case TSC_WAY_RATIO_133:
        return (struct tsc_rate){by_ratio(s, (struct bus){4, 3}), TSC_RATE_PLATFORM_INFO};
    case TSC_WAY_RATIO_SILVERMONT:
        return (struct tsc_rate){by_fsb_and_ratio(s, bus_silvermont, 7), TSC_RATE_FSB};
    case TSC_WAY_RATIO_AIRMONT:
        return (struct tsc_rate){by_fsb_and_ratio(s, bus_airmont, 15), TSC_RATE_FSB};
    case TSC_WAY_CORE2:
        return (struct tsc_rate){by_fsb_and_maximum(s, bus_core2), TSC_RATE_FSB};
    case TSC_WAY_BONNELL:
        return (struct tsc_rate){by_fsb_and_maximum(s, bus_bonnell), TSC_RATE_FSB};
    case TSC_WAY_NETBURST:
        return (struct tsc_rate){by_ebc(s), TSC_RATE_EBC};
    /* Returns false for unknown models and for AMD. */
    case TSC_WAY_NONE:
    case TSC_WAY_FIDVID:
    case TSC_WAY_PSTATE_10H:
    case TSC_WAY_PSTATE_11H:
    case TSC_WAY_PSTATE_12H:
    case TSC_WAY_PSTATE_17H:
    case TSC_WAY_PSTATE_1AH:
        break;
    }
    return (struct tsc_rate){0, TSC_RATE_NONE};
}

struct tsc_rate tsc_rate_intel(const struct cpu *c, msr_fn rdmsr, void *ctx)
{
    const struct source s = {c, rdmsr, ctx};

    return by_way(&s, cpu_model(c)->tsc_way);
}
