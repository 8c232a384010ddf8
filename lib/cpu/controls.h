/*
 * What makes a core's clock and caches behave alike in every window: turbo off, prefetchers off,
 * the P-state pinned. By CPUID and the MSRs as found this decides which control a core has and what
 * it must hold; it is set, read back, and put back. Pure: CPUID and MSRs come as functions, which
 * are those of the core that calls. All of it is done on each core that measures, each with a
 * struct controls of its own.
 *
 * Sources: Intel SDM vol. 4 tables 2-2 (architectural MSRs), 2-3 (Core 2), 2-6 (Silvermont and
 * later Atoms), 2-15 (Nehalem), 2-20 (Sandy Bridge and later), vol. 3B ch. 15.3 (turbo) and 15.4
 * (HWP); AMD APM vol. 2 section 17.1 (P-states, core performance boost) and 17.6 (CPPC), vol. 3
 * appendix E and AMD's PPRs (MSR C000_0108).
 */
#ifndef LIB_CPU_CONTROLS_H
#define LIB_CPU_CONTROLS_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/options.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/msr_plan.h"

enum control_id { CONTROL_TURBO, CONTROL_PREFETCH, CONTROL_FREQ, CONTROL_IDS };

/* How a value of the control reads. */
enum control_form {
    CONTROL_DISABLES, /* bits that disable: all set is off */
    CONTROL_RATIO,    /* a multiple of the bus clock in bits 15:8 */
    CONTROL_PSTATE,   /* the number of a P-state, 0 is the fastest */
    CONTROL_HWP,      /* least level in bits 7:0, greatest in 15:8 */
    CONTROL_CPPC,     /* the reverse */
};

struct control {
    const char *control; /* "IA32_MISC_ENABLE[38]"; NULL: this CPU has none that is known */
    const char *why_not; /* no control, or not as asked: why */
    bool asked;          /* by its option, or by another that needs it */
    bool in_force;       /* it was asked for, and reads back so */
    enum control_form form;
    uint32_t msr;
    uint64_t mask, wanted; /* the control's bits, and what they are to hold (where asked) */
    uint64_t found, now;   /* as read before and after */
};

/* One core's. */
struct controls {
    struct control of[CONTROL_IDS];
    struct msr_kept kept[CONTROL_IDS];
    uint8_t keeps;
};

extern const char *const control_names[CONTROL_IDS]; /* the options' names */

/* Which controls there are, what they hold, and what these options ask of them. Only reads. */
void controls_plan(struct controls *q, const struct options *o, const struct cpu *c, cpuid_fn cpuid,
                   void *ctx, const struct msr_access *a);
/* Sets what was asked for, and reads it back. */
void controls_apply(struct controls *q, const struct msr_access *a);
/* As found. False: an MSR does not read back as it was. May be called again, and then does
 * nothing. */
bool controls_restore(struct controls *q, const struct msr_access *a);

/* A value of the control in words: "on", "off", "partly off", "ratio 36", "P0", "level 8 to 40". */
void control_text(const struct control *s, uint64_t value, struct sink *out);

/* Whether the firmware lets an idle core into C1E; false in *known where no MSR tells. */
bool controls_c1e(const struct cpu *c, const struct msr_access *a, bool *known);

#endif
