/*
 * No row holds the machine: each core's has a deadline, and an NMI ends what runs past it
 * (kernel/trap/guard.h). Who sends it, the first that works and is free:
 *
 *   another core     one that sleeps; the timer of its own APIC wakes it. It executes nothing until
 *                    then. Not where the machine is borrowed: the firmware has these timers.
 *   its own counter  whose overflow interrupts (kernel/cores/counter_nmi.h): each core has one.
 *   HPET, PIT        to the boot core (kernel/devices/nmi_timer.h), which passes it on to others.
 *
 * They are set for the deadline itself, or for as far as they reach and then anew, and are off
 * where no row runs. Each was tried at boot.
 */
#ifndef KERNEL_CORES_DEADLINE_H
#define KERNEL_CORES_DEADLINE_H

#include "kernel/cores/cores.h"
#include "kernel/devices/nmi_timer.h"
#include "kernel/trap/traps.h"
#include "lib/firmware/acpi_hpet.h"

enum { DEADLINE_CORE, DEADLINE_COUNTER, DEADLINE_HPET, DEADLINE_PIT, DEADLINE_SOURCES };

struct deadline_source {
    const char *name;    /* "core", "counter", "hpet", "pit" */
    const char *why_not; /* it does not work here; NULL: it was tried, and works */
};

struct deadlines {
    struct cores *cores; /* NULL: not open */
    uint64_t row;        /* ticks of the TSC that a row may take */
    struct overflow_plan counter;
    struct nmi_timer timer[2];
    struct deadline_source source[DEADLINE_SOURCES];
    unsigned order[DEADLINE_SOURCES]; /* in which they are taken */
    uint64_t apic_hz;                 /* of the APICs' timers, as they are set here, or less */

    volatile uint32_t state;  /* which source is set (deadline.c) */
    volatile uint64_t due[2]; /* a timer that is set fires not before this TSC; 0: it is not set */
    volatile uint32_t looked; /* times that a core was woken and looked at the deadlines */
    unsigned again;           /* the timer that fired, for its handler */
};

/* Finds HPET and PIT, before the machine's last page is mapped. One for the whole machine: `d` must
 * stay. */
void deadline_open(struct deadlines *d, struct cores *c, struct paging *p, const struct madt *madt,
                   const struct hpet_table *hpet);
/*
 * Where instructions are counted the TSC's seconds are virtual, and pass faster than a person's.
 * Each second of deadline= takes this number of them. And one core's instructions are counted after
 * the other's: QEMU leaves a core that was woken without a turn while another does nothing but
 * spin. So another core is the last source there.
 */
#define DEADLINE_VIRTUAL 3
void deadline_count_virtual(struct deadlines *d);

/* Once the cores are up: tries each source, which takes some milliseconds. */
void deadline_try(struct deadlines *d);
/* All is as it was found. */
void deadline_close(struct deadlines *d);

/* On the core that runs a row, around it; `ran`: ticks that it has taken before. */
void deadline_begin(struct core *c, uint64_t ran);
void deadline_end(struct core *c);
/* In between: its deadline comes this many ticks later. What is set fires too early then, and is
 * set again. */
void deadline_later(struct core *c, uint64_t ticks);
/* It was woken, and runs something: if it watched deadlines while it slept, another source does. */
void deadline_awake(struct core *c);
/* Whether the core's row is past its deadline. */
bool deadline_passed(const struct core *c);

/* The hooks of kernel/trap/traps.h. */
bool deadline_nmi(struct core *c, struct trap_frame *f);
void deadline_interrupt(struct core *c, unsigned vector);

#endif
