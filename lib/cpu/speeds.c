#include "lib/cpu/speeds.h"
#include <stddef.h>

const char *const speed_names[SPEEDS] = {
    [SPEED_CPUID15] = "cpuid15",
    [SPEED_STATED] = "stated",
    [SPEED_CPUID16_BASE] = "cpuid16_base",
    [SPEED_CPUID16_MAXIMUM] = "cpuid16_maximum",
    [SPEED_CPUID16_BUS] = "cpuid16_bus",
    [SPEED_SMBIOS_CURRENT] = "smbios_current",
    [SPEED_SMBIOS_MAXIMUM] = "smbios_maximum",
    [SPEED_SMBIOS_EXTERNAL] = "smbios_external",
};

const char *const speed_verdicts[SPEED_OTHER + 1] = {
    [SPEED_ABSENT] = "absent", [SPEED_NOT_JUDGED] = "not judged", [SPEED_AGREES] = "agrees",
    [SPEED_WRONG] = "wrong",   [SPEED_OTHER] = "another clock",
};

#define MHZ 1000000ull

static void state(struct speed_stated *s, uint64_t hz, const char *why_not)
{
    *s = (struct speed_stated){.hz = hz, .why_not = hz ? NULL : why_not};
}

static void state_cpuid(struct speed_stated out[SPEEDS], const struct cpu *c, struct tsc_rate rate)
{
    const char *no_leaf = "the CPU has no leaf 16h", *zero = "leaf 16h states it as zero";
    const char *why = c->max_leaf >= 0x16 ? zero : no_leaf;

    state(&out[SPEED_CPUID15], c->tsc_hz,
          c->tsc_ratio_num ? "leaf 15h gives no crystal" : "no leaf 15h that states it");
    state(&out[SPEED_STATED], rate.source == TSC_RATE_CPUID ? 0 : rate.hz,
          rate.source == TSC_RATE_CPUID ? "as cpuid15" : "neither CPUID nor an MSR states it");
    state(&out[SPEED_CPUID16_BASE], c->tsc_nominal_hz, why);
    state(&out[SPEED_CPUID16_MAXIMUM], c->max_mhz * MHZ, why);
    state(&out[SPEED_CPUID16_BUS], c->bus_mhz * MHZ, why);
}

static void state_firmware(struct speed_stated out[SPEEDS], const struct smbios_processors *p)
{
    const char *why = !p          ? "SMBIOS cannot be read here"
                      : !p->table ? "there is no SMBIOS table"
                      : p->filled ? "SMBIOS states it as zero, which is unknown"
                                  : "SMBIOS lists no processor";

    state(&out[SPEED_SMBIOS_CURRENT], p ? p->current * MHZ : 0, why);
    state(&out[SPEED_SMBIOS_MAXIMUM], p ? p->maximum * MHZ : 0, why);
    state(&out[SPEED_SMBIOS_EXTERNAL], p ? p->external * MHZ : 0, why);
}

static enum speed_verdict judge(enum speed which, int64_t off, int64_t error)
{
    int64_t size = off < 0 ? -off : off;

    switch (which) {
    case SPEED_CPUID15:
    case SPEED_STATED:
        return size <= SPEED_TSC_PPM + error ? SPEED_AGREES : SPEED_WRONG;
    case SPEED_CPUID16_BASE:
    case SPEED_SMBIOS_CURRENT:
        return size <= SPEED_LABEL_PPM + error ? SPEED_AGREES : SPEED_OTHER;
    case SPEED_CPUID16_MAXIMUM:
    case SPEED_SMBIOS_MAXIMUM:
        return size <= SPEED_LABEL_PPM + error ? SPEED_AGREES : off < 0 ? SPEED_WRONG : SPEED_OTHER;
    case SPEED_CPUID16_BUS:
    case SPEED_SMBIOS_EXTERNAL:
    case SPEEDS:
        break;
    }
    return SPEED_OTHER;
}

/* In parts per million; larger values are limited to fit 64 bits. */
static int64_t ppm(uint64_t hz, uint64_t of)
{
    return hz <= INT64_MAX / MHZ ? (int64_t)(hz * MHZ / of) : INT64_MAX / 2;
}

void speeds(struct speed_stated out[SPEEDS], const struct cpu *c, struct tsc_rate stated,
            const struct smbios_processors *processors, uint64_t measured_hz, uint64_t error_hz)
{
    state_cpuid(out, c, stated);
    state_firmware(out, processors);
    for (unsigned i = 0; i < SPEEDS; i++) {
        struct speed_stated *s = &out[i];
        bool bus = i == SPEED_CPUID16_BUS || i == SPEED_SMBIOS_EXTERNAL;
        s->verdict = s->hz == 0 ? SPEED_ABSENT : SPEED_NOT_JUDGED;
        if (s->hz == 0 || measured_hz == 0)
            continue;
        s->compared = !bus;
        s->off_ppm = bus ? 0 : ppm(s->hz, measured_hz) - (int64_t)MHZ;
        s->verdict = judge((enum speed)i, s->off_ppm, ppm(error_hz, measured_hz));
    }
}

/* Status bits; the log bit of each is the next bit. */
enum {
    STATUS = 1u << 0,
    PROCHOT = 1u << 2, /* or FORCEPR: an external signal */
    CRITICAL = 1u << 4,
    THRESHOLD_1 = 1u << 6,
    THRESHOLD_2 = 1u << 8,
    POWER_LIMIT = 1u << 10,
    CURRENT_LIMIT = 1u << 12,
    CROSS_DOMAIN = 1u << 14,
};

/* Leaf 6 EAX. */
enum { LEAF6_SENSOR = 1u << 0, LEAF6_PLN = 1u << 4, LEAF6_PTM = 1u << 6, LEAF6_HWP = 1u << 7 };

void thermal_decode(struct thermal *t, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    *t = (struct thermal){0};
    if (c->vendor != VENDOR_INTEL || !c->msr || c->max_leaf < 6)
        return;
    uint32_t eax = cpuid(ctx, 6, 0).eax;
    uint32_t causes = STATUS | PROCHOT | (eax & LEAF6_PLN ? POWER_LIMIT : 0);
    uint32_t events = causes | CRITICAL | THRESHOLD_1 | THRESHOLD_2;
    uint32_t more = eax & LEAF6_HWP ? CURRENT_LIMIT | CROSS_DOMAIN : 0; /* only per core */
    if (eax & LEAF6_SENSOR) {
        t->scope[THERMAL_CORE].causes = causes | more;
        t->scope[THERMAL_CORE].logs = (events | more) << 1;
    }
    if (eax & LEAF6_PTM) {
        t->scope[THERMAL_PACKAGE].causes = causes;
        t->scope[THERMAL_PACKAGE].logs = events << 1;
    }
}

const char *const thermal_cause_names[THERMAL_BITS] = {[0] = "thermal",
                                                       [2] = "prochot",
                                                       [10] = "power_limit",
                                                       [12] = "current_limit",
                                                       [14] = "cross_domain"};
