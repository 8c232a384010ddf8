/*
 * Intel SDM vol. 3B section 18.17 "Time-Stamp Counter" and 19.7.3, vol. 4 for the MSRs (the tables
 * are named by family and model, as there).
 */
#include "lib/cpu/tsc_rate.h"

#include <stddef.h>

#define MSR_PLATFORM_ID   0x17
#define MSR_EBC_FREQUENCY 0x2c
#define MSR_FSB_FREQ      0xcd
#define MSR_PLATFORM_INFO 0xce
#define MSR_PERF_STATUS   0x198

/* How a model's TSC clock is found. */
enum way {
    WAY_CRYSTAL_24, /* leaf 15h without its crystal, which is this many MHz */
    WAY_CRYSTAL_25,
    WAY_CRYSTAL_24_OR_25, /* server, or workstation: told by the nominal frequency */
    WAY_CRYSTAL_19_2,
    WAY_RATIO_100, /* MSR CEh[15:8] times this bus clock */
    WAY_RATIO_133,
    WAY_RATIO_SILVERMONT, /* the same, the bus clock from MSR CDh[2:0] */
    WAY_RATIO_AIRMONT,    /* from MSR CDh[3:0] */
    WAY_CORE2             /* bus clock from MSR CDh[2:0], the maximum bus ratio */
};

static const struct {
    uint8_t model, way;
} models[] = {
    /* SDM vol. 3B table 19-85 "Nominal Core Crystal Clock Frequency". */
    {0x4e, WAY_CRYSTAL_24},
    {0x5e, WAY_CRYSTAL_24},
    {0x8e, WAY_CRYSTAL_24},
    {0x9e, WAY_CRYSTAL_24},
    {0x55, WAY_CRYSTAL_24_OR_25},
    {0x5c, WAY_CRYSTAL_19_2},
    {0x5f, WAY_CRYSTAL_25}, /* Denverton: C3000 datasheet, "Reference clocks"; as Linux has it */
    /* "Bus clock: 133.33 MHz" in Nehalem's MSR_PLATFORM_INFO, Westmere's and their servers'. */
    {0x1a, WAY_RATIO_133},
    {0x1e, WAY_RATIO_133},
    {0x1f, WAY_RATIO_133},
    {0x2e, WAY_RATIO_133},
    {0x25, WAY_RATIO_133},
    {0x2c, WAY_RATIO_133},
    {0x2f, WAY_RATIO_133},
    /* "in units of 100 MHz": Sandy Bridge to Broadwell, Xeon Phi. */
    {0x2a, WAY_RATIO_100},
    {0x2d, WAY_RATIO_100},
    {0x3a, WAY_RATIO_100},
    {0x3e, WAY_RATIO_100},
    {0x3c, WAY_RATIO_100},
    {0x3f, WAY_RATIO_100},
    {0x45, WAY_RATIO_100},
    {0x46, WAY_RATIO_100},
    {0x3d, WAY_RATIO_100},
    {0x47, WAY_RATIO_100},
    {0x4f, WAY_RATIO_100},
    {0x56, WAY_RATIO_100},
    {0x57, WAY_RATIO_100},
    {0x85, WAY_RATIO_100},
    /* Bay Trail, Avoton; Braswell, Cherry Trail. */
    {0x37, WAY_RATIO_SILVERMONT},
    {0x4d, WAY_RATIO_SILVERMONT},
    {0x4c, WAY_RATIO_AIRMONT},
    /* Core 2 and Bonnell's Atoms: SDM section 19.7.3, "maximum resolved bus ratio". */
    {0x0f, WAY_CORE2},
    {0x17, WAY_CORE2},
    {0x1d, WAY_CORE2},
    {0x1c, WAY_CORE2},
    {0x26, WAY_CORE2},
};

/* A bus clock: num/den times 100 MHz; num is 0 where a code is reserved. */
struct bus {
    uint8_t num, den;
};

/* MSR_FSB_FREQ by its code (vol. 4): Core microarchitecture, Bonnell, Silvermont, Airmont; and
 * MSR_EBC_FREQUENCY_ID's, Netburst from model 3 on. */
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

/* The ratio of leaf 15h times a crystal; 0 where the nominal frequency is more than 1% away, so that
 * the crystal must be another. Nominal ones are rounded to 100 MHz, or to a crystal of 100 MHz. */
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

/* Half a bus clock, this many times. */
static uint64_t times(struct bus bus, uint64_t halves)
{
    return bus.num != 0 ? (100000000 * bus.num * halves + bus.den) / (2 * bus.den) : 0;
}

/* MSR_PLATFORM_INFO[15:8], "Maximum Non-Turbo Ratio": the TSC's. */
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
 * MSR_PERF_STATUS[44:40], without it MSR_PLATFORM_ID[12:8]. [46] adds a half. Where the two differ
 * without XE nobody vouches for either.
 */
static uint64_t by_fsb_and_maximum(const struct source *s)
{
    uint64_t fsb, status, id;
    const struct bus *bus = s->c->model == 0x1c || s->c->model == 0x26 ? bus_bonnell : bus_core2;
    if (!s->rdmsr(s->ctx, MSR_FSB_FREQ, &fsb) || !s->rdmsr(s->ctx, MSR_PERF_STATUS, &status))
        return 0;
    bool xe = status >> 31 & 1;
    uint64_t ratio = status >> 40 & 0x1f, half = status >> 46 & 1;
    if (!xe && (!s->rdmsr(s->ctx, MSR_PLATFORM_ID, &id) || (id >> 8 & 0x1f) != ratio))
        return 0;
    return times(bus[fsb & 7], 2 * ratio + half);
}

/*
 * MSR_EBC_FREQUENCY_ID of family Fh: [31:24] ratio, [18:16] bus clock. Models before 3 count core
 * clocks as they are, which throttling and SpeedStep change.
 */
static uint64_t by_ebc(const struct source *s)
{
    uint64_t v;
    if (s->c->model < 3 || !s->rdmsr(s->ctx, MSR_EBC_FREQUENCY, &v))
        return 0;
    return times(bus_netburst[v >> 16 & 7], 2 * (v >> 24 & 0xff));
}

static struct tsc_rate by_way(const struct source *s, enum way way)
{
    uint64_t hz = 0;
    switch (way) {
    case WAY_CRYSTAL_24:
        return (struct tsc_rate){by_crystal(s, 24000000), TSC_RATE_CRYSTAL};
    case WAY_CRYSTAL_25:
        return (struct tsc_rate){by_crystal(s, 25000000), TSC_RATE_CRYSTAL};
    case WAY_CRYSTAL_24_OR_25:
        hz = by_crystal(s, 25000000);
        return (struct tsc_rate){hz ? hz : by_crystal(s, 24000000), TSC_RATE_CRYSTAL};
    case WAY_CRYSTAL_19_2:
        return (struct tsc_rate){by_crystal(s, 19200000), TSC_RATE_CRYSTAL};
    case WAY_RATIO_100:
        return (struct tsc_rate){by_ratio(s, (struct bus){1, 1}), TSC_RATE_PLATFORM_INFO};
    case WAY_RATIO_133:
        return (struct tsc_rate){by_ratio(s, (struct bus){4, 3}), TSC_RATE_PLATFORM_INFO};
    case WAY_RATIO_SILVERMONT:
        return (struct tsc_rate){by_fsb_and_ratio(s, bus_silvermont, 7), TSC_RATE_FSB};
    case WAY_RATIO_AIRMONT:
        return (struct tsc_rate){by_fsb_and_ratio(s, bus_airmont, 15), TSC_RATE_FSB};
    case WAY_CORE2:
        return (struct tsc_rate){by_fsb_and_maximum(s), TSC_RATE_FSB};
    }
    return (struct tsc_rate){0, TSC_RATE_NONE};
}

struct tsc_rate tsc_rate_intel(const struct cpu *c, msr_fn rdmsr, void *ctx)
{
    const struct source s = {c, rdmsr, ctx};
    if (c->family == 0xf)
        return (struct tsc_rate){by_ebc(&s), TSC_RATE_EBC};
    for (unsigned i = 0; c->family == 6 && i < sizeof models / sizeof models[0]; i++)
        if (models[i].model == c->model)
            return by_way(&s, (enum way)models[i].way);
    return (struct tsc_rate){0, TSC_RATE_NONE};
}
