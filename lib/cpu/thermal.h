/*
 * Detects whether a CPU was throttled, by Intel's IA32_THERM_STATUS and IA32_PACKAGE_THERM_STATUS.
 * Each cause has a status bit (now) and, above it, a log bit that stays set until software writes 0
 * to it. Source: SDM vol. 3B section 15.8 "Thermal monitoring and protection", vol. 4 table 2-2;
 * CPUID leaf 6 in vol. 2A for which bits exist. No such status is known for AMD.
 */
#ifndef LIB_CPU_THERMAL_H
#define LIB_CPU_THERMAL_H

#include "lib/cpu/cpu.h"

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
uint64_t thermal_clear(const struct thermal *t, enum thermal_scope scope, uint64_t now);

/* Returns the causes between two readings, as status bits: active at either, or logged since the
 * first. A log bit that was set at the first reading is ignored. */
uint32_t thermal_causes(const struct thermal *t, enum thermal_scope scope, uint64_t first,
                        uint64_t last);

/* Returns the name of a status bit: "thermal", "prochot", "power_limit", "current_limit",
 * "cross_domain"; NULL: the bit is not a cause. */
const char *thermal_cause(unsigned bit);

#endif
