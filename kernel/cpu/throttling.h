/*
 * Detects whether a core was throttled while it measured a row (lib/cpu/thermal.h). Log bits stay
 * set until cleared, so those that matter and are set before a row are cleared, and nothing else of
 * the register. They cannot be restored. On a machine that is never throttled nothing is written.
 */
#ifndef KERNEL_CPU_THROTTLING_H
#define KERNEL_CPU_THROTTLING_H

#include "bench/api/platform.h"
#include "lib/cpu/thermal.h"
#include "lib/text/json.h"

/* The state of one row on one core, by scope. */
struct thermal_row {
    bool begun[THERMAL_SCOPES]; /* the register could be read before the row, ... */
    bool known[THERMAL_SCOPES]; /* ... and after it: `causes` is valid */
    uint64_t first[THERMAL_SCOPES];
    uint32_t causes[THERMAL_SCOPES];
};

struct thermal_state {
    struct thermal cpu;
    bool was[THERMAL_SCOPES]; /* the boot core's log had a cause at the start */
};

void thermal_init(struct thermal_state *s, const struct cpu *c, cpuid_fn cpuid);

/* To be called before and after a row, on the core that measures it. */
void thermal_begin(const struct thermal_state *s, struct thermal_row *row);
void thermal_end(const struct thermal_state *s, struct thermal_row *row);

/* Adds a round's causes to kept[THERMAL_SCOPES], which is all zero before the first round. If one
 * round is not known, the row is not known. */
void thermal_keep(const struct thermal_row *row, uint64_t *kept);

/* As struct platform_kept. The line in the table: "  ^ throttled by core_prochot
 * package_power_limit"; the fields: `throttled`, and `throttled_by` if it was. */
void thermal_kept_show(const uint64_t *kept, struct sink *out);
void thermal_kept_record(const uint64_t *kept, struct json *j);
enum throttled thermal_kept_throttled(const uint64_t *kept);

/* Write the line "thermal" of the report's head, and the object of that name. */
void thermal_show(const struct thermal_state *s, struct sink *out);
void thermal_record(const struct thermal_state *s, struct json *j);

#endif
