/*
 * The clocks that a CPU and its firmware state, compared with the measured TSC. Each is a label
 * with its own meaning. Only one that claims to be the TSC's frequency, or a maximum that the TSC
 * exceeds, can be proven wrong. General registers only. Sources: Intel SDM vol. 2A, CPUID leaves
 * 15h and 16h; DSP0134 3.7 section 7.5.
 */
#ifndef LIB_CPU_SPEEDS_H
#define LIB_CPU_SPEEDS_H

#include "lib/cpu/tsc_rate.h"
#include "lib/firmware/smbios.h"
#include "lib/cpu/cpu.h"

enum speed {
    SPEED_CPUID15,         /* the TSC: leaf 15h with its crystal */
    SPEED_STATED,          /* the TSC: stated by a hypervisor, an MSR, the model (tsc_rate.h) */
    SPEED_CPUID16_BASE,    /* leaf 16h EAX: the core's base clock */
    SPEED_CPUID16_MAXIMUM, /* EBX: the highest clock of a core */
    SPEED_CPUID16_BUS,     /* ECX: the reference clock */
    SPEED_SMBIOS_CURRENT,  /* type 4: the core's clock while the firmware started */
    SPEED_SMBIOS_MAXIMUM,  /* the highest that the socket supports */
    SPEED_SMBIOS_EXTERNAL, /* the reference clock */
    SPEEDS
};
/* "cpuid15", "stated", "cpuid16_base", ... */
extern const char *const speed_names[SPEEDS];

enum speed_verdict {
    SPEED_ABSENT,     /* not stated, or stated as zero */
    SPEED_NOT_JUDGED, /* nothing was measured to compare with */
    SPEED_AGREES,     /* with the TSC */
    SPEED_WRONG,      /* claims to be the TSC's or a maximum, and is not */
    SPEED_OTHER       /* a clock other than the TSC, which need not be near it */
};
/* "absent", "not judged", "agrees", "wrong", "another clock" */
extern const char *const speed_verdicts[SPEED_OTHER + 1];

/* The TSC's limit: boards' reference clocks are up to 0.2% off their name (tsc_rate.h), and some
 * are adjusted a little. The others' limit: their makers also round them to 100 MHz. */
#define SPEED_TSC_PPM   5000
#define SPEED_LABEL_PPM 10000

struct speed_stated {
    uint64_t hz; /* 0: absent */
    const char *why_not;
    bool compared;   /* off_ppm is set; not for a bus clock */
    int64_t off_ppm; /* deviation from the measured TSC */
    enum speed_verdict verdict;
};

/* measured_hz 0: nothing was measured; error_hz: its half-width. processors NULL: SMBIOS cannot be
 * read. */
void speeds(struct speed_stated out[SPEEDS], const struct cpu *c, struct tsc_rate stated,
            const struct smbios_processors *processors, uint64_t measured_hz, uint64_t error_hz);

/*
 * Detects whether a CPU was throttled, by Intel's IA32_THERM_STATUS and IA32_PACKAGE_THERM_STATUS.
 * Each cause has a status bit (now) and, above it, a log bit that stays set until software writes 0
 * to it. Source: SDM vol. 3B section 15.8 "Thermal monitoring and protection", vol. 4 table 2-2;
 * CPUID leaf 6 in vol. 2A for which bits exist. No such status is known for AMD.
 */
#define MSR_THERM_STATUS         0x19c
#define MSR_PACKAGE_THERM_STATUS 0x1b1

enum thermal_scope { THERMAL_CORE, THERMAL_PACKAGE, THERMAL_SCOPES };

/* Per scope: the status bits that mean throttling, 0: no such register; and all of its log bits,
 * including those of other events. */
struct thermal {
    struct {
        uint32_t causes, logs;
    } scope[THERMAL_SCOPES];
};
void thermal_decode(struct thermal *t, const struct cpu *c, cpuid_fn cpuid, void *ctx);

/* Returns the value that clears the causes' log bits and no others; 0: nothing to clear. */
static inline uint64_t thermal_clear(const struct thermal *t, enum thermal_scope scope,
                                     uint64_t now)
{
    uint32_t ours = t->scope[scope].causes << 1;

    return now & ours ? t->scope[scope].logs & ~ours : 0;
}

/* Returns the causes between two readings, as status bits: active at either, or logged since the
 * first. A log bit that was set at the first reading is ignored. */
static inline uint32_t thermal_causes(const struct thermal *t, enum thermal_scope scope,
                                      uint64_t first, uint64_t last)
{
    uint32_t log = (uint32_t)((last & ~first) >> 1);

    return ((uint32_t)(first | last) | log) & t->scope[scope].causes;
}

/* The names of the status bits: "thermal", "prochot", "power_limit", "current_limit",
 * "cross_domain"; NULL: the bit is not a cause. */
#define THERMAL_BITS 16
extern const char *const thermal_cause_names[THERMAL_BITS];

#endif
