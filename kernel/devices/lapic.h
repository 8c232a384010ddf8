/*
 * The running core's local APIC, by MMIO or by MSR as the firmware left it. Source: Intel SDM vol.
 * 3A chapter 11 (registers: table 11-1, x2APIC: 11.12), AMD APM vol. 2 chapter 16 (extended LVT:
 * 16.8).
 */
#ifndef KERNEL_DEVICES_LAPIC_H
#define KERNEL_DEVICES_LAPIC_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/paging.h"

/* MMIO offsets; x2APIC's MSR is 800h + offset / 16. */
enum {
    LAPIC_ID = 0x20,
    LAPIC_VERSION = 0x30,
    LAPIC_EOI = 0xb0,
    LAPIC_SPURIOUS = 0xf0,
    LAPIC_LVT_CMCI = 0x2f0,
    LAPIC_ICR = 0x300, /* high half at 310h; one MSR in x2APIC mode */
    LAPIC_ICR_HIGH = 0x310,
    LAPIC_LVT_TIMER = 0x320,
    LAPIC_LVT_THERMAL = 0x330,
    LAPIC_LVT_COUNTERS = 0x340,
    LAPIC_LVT_LINT0 = 0x350,
    LAPIC_LVT_LINT1 = 0x360,
    LAPIC_LVT_ERROR = 0x370,
    LAPIC_TIMER_INITIAL = 0x380,
    LAPIC_TIMER_CURRENT = 0x390,
    LAPIC_TIMER_DIVIDE = 0x3e0,
    LAPIC_EXT_FEATURES = 0x400,
    LAPIC_EXT_LVT = 0x500,
};

/*
 * Commands of the ICR, SDM vol. 3A figure 11-12: delivery mode, level assert. A fixed interrupt and
 * a start-up take a vector, which is or-ed in.
 */
#define ICR_ASSERT   (1u << 14)
#define ICR_FIXED    (0u << 8 | ICR_ASSERT)
#define ICR_NMI      (4u << 8 | ICR_ASSERT)
#define ICR_INIT     (5u << 8 | ICR_ASSERT)
#define ICR_START_UP (6u << 8 | ICR_ASSERT) /* vector: the page, below 1 MiB */
#define ICR_OTHERS   (3u << 18)             /* to all but the sender, whatever id is given */

struct lapic {
    bool present, x2apic;
    uint64_t address; /* of the registers; 0 in x2APIC mode */
    uint32_t id;
    uint32_t lvt_max;    /* index of the last standard LVT entry */
    uint32_t lvt_ext;    /* AMD's extended entries */
    const char *why_not; /* where not present */
};

struct lapic lapic_open(struct paging *p, const struct cpu *cpu);
/* False: no such register. */
bool lapic_read(const struct lapic *l, uint32_t offset, uint32_t *v);
void lapic_write(const struct lapic *l, uint32_t offset, uint32_t v);
/*
 * One command of the ICR (SDM vol. 3A section 11.6.1: delivery mode, vector, level) to the core
 * with that APIC id. What was stored before is seen by the core that it wakes. False: not taken in
 * time.
 */
bool lapic_ipi(const struct lapic *l, uint32_t apic_id, uint32_t command);
/*
 * Puts the running core's LAPIC into the boot core's mode, which is `l`'s, and its registers where
 * the boot core has them; *id gets what it calls itself. NULL, or why it could not be.
 */
const char *lapic_follow(const struct lapic *l, uint32_t *id);
/* The same where nothing may be changed: NULL, or in what it differs. */
const char *lapic_is_alike(const struct lapic *l, uint32_t *id);
/* The boot core's to x2APIC. False: it would not (no such mode, or a hypervisor refuses). */
bool lapic_switch_x2apic(struct lapic *l);
/*
 * INIT to every other core: they wait for a SIPI then, and execute nothing. Firmware leaves its own
 * cores in loops that may be runnable (MWAIT, PAUSE). False: the command was not taken in time.
 */
bool lapic_stop_others(const struct lapic *l);

#endif
