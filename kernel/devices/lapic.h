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

/* MMIO offsets; the MSR in x2APIC mode is 800h + offset / 16. */
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

/* Commands of the ICR, SDM vol. 3A figure 11-12: delivery mode, level assert. For a fixed interrupt
 * and a start-up, the vector is or-ed in. */
#define ICR_ASSERT   (1u << 14)
#define ICR_FIXED    (0u << 8 | ICR_ASSERT)
#define ICR_NMI      (4u << 8 | ICR_ASSERT)
#define ICR_INIT     (5u << 8 | ICR_ASSERT)
#define ICR_START_UP (6u << 8 | ICR_ASSERT) /* vector: the page, below 1 MiB */
#define ICR_OTHERS   (3u << 18)             /* to all but the sender; the id is ignored */

struct lapic {
    bool present, x2apic;
    uint64_t address; /* address of the registers; 0 in x2APIC mode */
    uint32_t id;
    uint32_t lvt_max; /* index of the last standard LVT entry */
    uint32_t lvt_ext; /* number of AMD's extended LVT entries */
};

struct lapic lapic_open(struct paging *p, const struct cpu *cpu);
/* False: no such register. */
bool lapic_read(const struct lapic *l, uint32_t offset, uint32_t *v);
void lapic_write(const struct lapic *l, uint32_t offset, uint32_t v);
/*
 * Sends one command of the ICR (SDM vol. 3A section 11.6.1: delivery mode, vector, level) to the
 * core with this APIC id. The core that it wakes sees all earlier stores. False: the command was
 * not accepted in time.
 */
bool lapic_ipi(const struct lapic *l, uint32_t apic_id, uint32_t command);
/* Puts the running core's LAPIC into the boot core's mode and at its address, as in `l`. Stores the
 * core's APIC id in *id. Returns NULL, or why it failed. */
const char *lapic_follow(const struct lapic *l, uint32_t *id);
/* Checks the same without changing anything. Returns NULL, or the difference. */
const char *lapic_is_alike(const struct lapic *l, uint32_t *id);
/* Switches the boot core's LAPIC to x2APIC. False: no such mode, or a hypervisor refuses. */
bool lapic_switch_x2apic(struct lapic *l);
/* Sends INIT to every other core: they then wait for a SIPI and execute nothing. Firmware may leave
 * its cores in running loops (MWAIT, PAUSE). False: the command was not accepted in time. */
bool lapic_stop_others(const struct lapic *l);

/* --- apic_timer.c: the running core's timer in one-shot mode (SDM vol. 3A section 11.5.4), which
 * delivers an interrupt, never an NMI --- */

/* Returns the timer's frequency in Hz, or less: with too low a value the timer fires early, never
 * late. Measures the running core's timer and leaves it off; all cores' timers are alike. */
uint64_t apic_timer_measure(const struct lapic *l, uint64_t tsc_hz);
/* Starts the timer for this many microseconds, or for its longest interval, at least some seconds.
 * hz: as measured. */
void apic_timer_start(const struct lapic *l, unsigned vector, uint64_t hz, uint64_t us);
void apic_timer_stop(const struct lapic *l, unsigned vector);

#endif
