/*
 * Whether a CPU held itself back: Intel's IA32_THERM_STATUS and IA32_PACKAGE_THERM_STATUS. Each
 * cause has a status bit (now) and, above it, a log bit that stays set until software writes 0 to
 * it. Source: SDM vol. 3B section 15.8 "Thermal monitoring and protection", vol. 4 table 2-2; which
 * bits there are: vol. 2A, CPUID leaf 6. Of AMD no such status is known.
 */
#ifndef LIB_CPU_THERMAL_H
#define LIB_CPU_THERMAL_H

#include "lib/cpu/cpu.h"

#define MSR_THERM_STATUS         0x19c
#define MSR_PACKAGE_THERM_STATUS 0x1b1

enum thermal_scope { THERMAL_CORE, THERMAL_PACKAGE, THERMAL_SCOPES };

/* Of each scope: the status bits that mean a core is held back, 0: no such register; and all of its
 * log bits, those of other events too. */
struct thermal {
    struct {
        uint32_t causes, logs;
    } scope[THERMAL_SCOPES];
};
void thermal_decode(struct thermal *t, const struct cpu *c, cpuid_fn cpuid, void *ctx);

/* What to write so that the causes' log bits are cleared and no other event's is; 0: nothing is to
 * be cleared. */
uint64_t thermal_clear(const struct thermal *t, enum thermal_scope scope, uint64_t now);

/* The causes, as status bits, between two readings: in force at either, or logged since the first.
 * A log that stood at the first one tells nothing. */
uint32_t thermal_causes(const struct thermal *t, enum thermal_scope scope, uint64_t first,
                        uint64_t last);

/* A status bit's word: "thermal", "prochot", "power_limit", "current_limit", "cross_domain"; NULL:
 * the bit is no cause. */
const char *thermal_cause(unsigned bit);

#endif
