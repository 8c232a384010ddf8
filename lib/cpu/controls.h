/*
 * Settings that make a core's clock and caches behave alike in every window: turbo off, prefetchers
 * off, the P-state pinned. From CPUID and the MSRs, this decides which controls a core has and
 * which values they need; it sets them, reads them back and restores them. Pure: CPUID and MSRs
 * come as functions, which access the calling core. Every core that measures does all of this with
 * its own struct controls.
 *
 * Sources: Intel SDM vol. 4 tables 2-2 (architectural MSRs), 2-3 (Core 2), 2-6 (Silvermont and
 * later Atoms), 2-15 (Nehalem), 2-20 (Sandy Bridge and later), vol. 3B ch. 15.3 (turbo) and 15.4
 * (HWP); AMD APM vol. 2 section 17.1 (P-states, core performance boost) and 17.6 (CPPC), vol. 3
 * appendix E and AMD's PPRs (MSR C000_0108).
 */
#ifndef LIB_CPU_CONTROLS_H
#define LIB_CPU_CONTROLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/config/options.h"
#include "lib/cpu/core_counter.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/register_bits.h"

enum control_id { CONTROL_TURBO, CONTROL_PREFETCH, CONTROL_FREQ, CONTROL_IDS };

/* The meaning of a control's value. */
enum control_form {
    CONTROL_DISABLES, /* bits that disable something: all set means off */
    CONTROL_RATIO,    /* a multiple of the bus clock in bits 15:8 */
    CONTROL_RATIO_0,  /* the same in bits 7:0: Nehalem and Westmere */
    CONTROL_PSTATE,   /* the number of a P-state; 0 is the fastest */
    CONTROL_HWP,      /* lowest level in bits 7:0, highest in 15:8 */
    CONTROL_CPPC,     /* highest level in bits 7:0, lowest in 15:8 */
};

struct control {
    const char *control; /* "IA32_MISC_ENABLE[38]"; NULL: no control is known for this CPU */
    const char *why_not; /* why there is no control, or it could not be set */
    bool asked;          /* by its option, or by another option that needs it */
    bool in_force;       /* it was asked for, and reads back as set */
    enum control_form form;
    uint32_t msr;
    uint64_t mask, wanted; /* the control's bits, and their wanted values (if asked) */
    uint64_t found, now;   /* read before and after setting */
    /* What it asks for, as a multiple of MPERF's clock: ratio / base. base 0: it states none. */
    uint8_t ratio, base;
    uint32_t status; /* the MSR with the value at which the core runs; 0: none is known */
};

/* The clock of a busy core, measured with its settings. */
struct core_clock {
    bool measured;
    const char *why_not; /* why `grown` is not known */
    struct aperf_grown grown;
    bool has_status;
    uint64_t status; /* controls_status() of freq= */
};

/* The controls of one core. */
struct controls {
    struct control of[CONTROL_IDS];
    struct core_clock clock; /* set by the caller */
    struct msr_kept kept[CONTROL_IDS];
    uint8_t keeps;
    bool lent;  /* the last one kept is that of controls_prefetch_off() */
    bool guest; /* CPUID names a hypervisor */
};

extern const char *const control_names[CONTROL_IDS]; /* the options' names */

/* Reads which controls there are, their values, and what these options ask of them. */
void controls_plan(struct controls *q, const struct options *o, const struct cpu *c, cpuid_fn cpuid,
                   void *ctx, const struct msr_access *a);
/* Sets what was asked for and reads it back. */
void controls_apply(struct controls *q, const struct msr_access *a);
/* Restores the values found. False: an MSR does not read back. A second call does nothing. */
bool controls_restore(struct controls *q, const struct msr_access *a);

/*
 * Disables the prefetchers for a while, although prefetch= does not ask for it. Returns NULL, or
 * why not: nothing is changed then. controls_prefetch_back() restores the value found, as
 * controls_restore() does; false: the MSR does not read back; a second call does nothing.
 */
const char *controls_prefetch_off(struct controls *q, const struct msr_access *a);
bool controls_prefetch_back(struct controls *q, const struct msr_access *a);

/* Writes a value in words: "on", "off", "partly off", "ratio 36", "P0", "level 8 to 40". */
void control_text(const struct control *s, uint64_t value, struct sink *out);

/* Reads the value of the control at which the core runs, which can differ from the one that was
 * set. False: no register is known to show it, or a hypervisor emulates it. */
bool controls_status(const struct control *s, const struct cpu *c, const struct msr_access *a,
                     uint64_t *value);

/* Returns whether the firmware lets an idle core enter C1E; *known is false if no MSR shows it. */
bool controls_c1e(const struct cpu *c, const struct msr_access *a, bool *known);

/*
 * --- advice.c ---
 * Advice on the machine's setup: what to change, in the firmware's setup or in baretick's options,
 * for figures that repeat. Facts that were not read are not judged.
 */
enum seen { SEEN_NOT, SEEN_NO, SEEN_YES }; /* not read; read as false; read as true */

struct advice_facts {
    enum seen emulated; /* an emulator executes this: nothing else is judged */
    enum seen virtualised;
    enum seen smt;   /* two usable logical CPUs on one core */
    enum seen turbo; /* the core's clock may go above its base */
    enum seen c1e;
    enum seen lfence;    /* LFENCE serialises */
    enum seen invariant; /* the TSC is invariant */
    enum seen smi;       /* SMIs occurred */
};

#define ADVICE_MAX 8

struct advice {
    const char *topic;
    bool change; /* false: it was checked and needs no change */
    const char *text;
};

/* Returns the number of entries; those that ask for a change come first. */
size_t advice_choose(const struct advice_facts *f, struct advice out[ADVICE_MAX]);

#endif
