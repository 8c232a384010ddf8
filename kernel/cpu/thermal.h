/*
 * Whether a core was throttled while it measured a row (lib/cpu/thermal.h). The log bits stay set
 * until they are cleared: one that counts and is set before a row is cleared, and nothing else of
 * the register; it cannot be put back. On a machine that is never throttled nothing is written.
 */
#ifndef KERNEL_CPU_THERMAL_H
#define KERNEL_CPU_THERMAL_H

#include "lib/cpu/thermal.h"
#include "lib/text/json.h"

/* One row's, on one core; by scope. */
struct thermal_row {
    bool begun[THERMAL_SCOPES]; /* the register could be read before the row, ... */
    bool known[THERMAL_SCOPES]; /* ... and after it: causes hold */
    uint64_t first[THERMAL_SCOPES];
    uint32_t causes[THERMAL_SCOPES];
};

struct thermal_state {
    struct thermal cpu;
    bool was[THERMAL_SCOPES]; /* the boot core's log, as it was found, had a cause in it */
    uint32_t cleared;         /* how often log bits were */
};

void thermal_init(struct thermal_state *s, const struct cpu *c);

/* Around a row, on the core that measures it. */
void thermal_begin(struct thermal_state *s, struct thermal_row *row);
void thermal_end(const struct thermal_state *s, struct thermal_row *row);

/* Adds a row's causes to those of its rounds before, kept[THERMAL_SCOPES], all zero at first; and
 * back: what is not known of one round is not known of the row. */
void thermal_row_keep(const struct thermal_row *row, uint64_t *kept);
struct thermal_row thermal_row_kept(const uint64_t *kept);

bool thermal_row_is_known(const struct thermal_row *row);
bool thermal_row_throttled(const struct thermal_row *row);

/* "  ^ throttled by core_prochot package_power_limit", where it was. */
void thermal_row_show(const struct thermal_row *row, struct sink *out);
/* throttled, and where it was throttled_by; nothing where it is not known. */
void thermal_row_record(const struct thermal_row *row, struct json *j);

/* The line "thermal" of the head, and the object of that name. */
void thermal_show(const struct thermal_state *s, struct sink *out);
void thermal_record(const struct thermal_state *s, struct json *j);

#endif
