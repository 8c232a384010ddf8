/*
 * All that was found of the machine and done to it, and the steps that find and do it.
 * kernel/main.c calls the steps in the order in which they stand here; each relies on those before
 * it. The way out is kernel/machine/leave.h.
 */
#ifndef KERNEL_MACHINE_MACHINE_H
#define KERNEL_MACHINE_MACHINE_H

#include "kernel/console/console.h"
#include "kernel/console/screen.h"
#include "kernel/console/serial.h"
#include "kernel/cores/cores.h"
#include "kernel/cores/deadline.h"
#include "kernel/cpu/core.h"
#include "kernel/cpu/lfence.h"
#include "kernel/cpu/mce.h"
#include "kernel/cpu/paging.h"
#include "kernel/devices/counters.h"
#include "kernel/devices/dma.h"
#include "kernel/devices/irq.h"
#include "kernel/machine/core_controls.h"
#include "kernel/memory/acpi_mem.h"
#include "kernel/memory/arena.h"
#include "kernel/memory/handoff.h"
#include "kernel/trap/traps.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/mtrr.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_fadt.h"
#include "lib/firmware/acpi_hpet.h"
#include "lib/firmware/acpi_madt.h"
#include "lib/firmware/acpi_watchdog.h"
#include "lib/stats/clock.h"
#include "lib/text/report_log.h"

struct machine {
    struct handoff *handoff;
    struct arena arena;
    struct cpu cpu;

    struct serial_places places; /* where the serial port may be */
    struct serial serial;
    struct screen screen;
    struct console console;      /* what people read */
    struct console records;      /* what programs read: the serial port alone, where it can be */
    struct console live;         /* the first without the log: progress lines */
    struct report_log log;       /* of a borrowed machine, for the stick: both of the others */
    const char *console_missing; /* the console that was asked for and is not there; or NULL */
    bool keyboard;               /* beside the screen */

    struct core *boot_core; /* NULL: its traps are not loaded yet */
    struct mce mce;

    struct mtrr mtrr;
    bool has_mtrr;
    struct paging paging;
    uint8_t arena_type; /* MTRR type of the arena: MTRR_WB, else figures of memory are suspect */

    struct acpi_mem acpi_mem;
    struct acpi acpi;
    bool has_fadt, has_hpet;
    struct fadt fadt;
    struct hpet_table hpet;
    struct madt *madt;            /* NULL: none */
    struct acpi_error madt_error; /* what stands before it is used */
    bool has_wdat, has_wddt;      /* tables of a hardware watchdog; too short ones too */
    struct watchdog wdat, wddt;

    struct irq_masked irq;
    bool others_stopped; /* INIT went to all other cores */
    enum lfence_state lfence;
    struct counters counters;
    struct tsc_clock clock;
    struct thermal_state thermal;
    struct cores cores;
    struct deadlines deadlines;
    struct core_controls controls;
    struct dma dma;

    bool leaving; /* machine_leave() was called */
};

/* The arena's bounds; GDT, TSS and IDT with these hooks. m->boot_core stays NULL where the arena is
 * too small for its stacks. */
void machine_traps(struct machine *m, struct handoff *h, const struct trap_hooks *hooks);
/* CPUID. */
void machine_cpu(struct machine *m);
/* Tables. Needs no table of ours: what it reads is in the memory map. */
void machine_acpi(struct machine *m);
/* Screen and serial port, as console= says and as there are, but for a port in memory, and the log;
 * from here on things can be said. */
void machine_console(struct machine *m);
/* All that can be found without a table, whatever console= says: for a fault before the above. */
void machine_console_early(struct machine *m);
/* Machine checks are reported from here on. NULL, or why nothing can be measured. */
const char *machine_checks(struct machine *m);
/* MTRRs and our own page tables. NULL, or why not. */
const char *machine_memory(struct machine *m);
/* A serial port in memory, where none was found before; the screen in place of a port that
 * console= asked for and that is missing. The console that was opened by this, or NULL; all can be
 * written from here on. */
struct sink *machine_console_late(struct machine *m);
/* dma=off. */
void machine_dma(struct machine *m);
/* Interrupts masked at their sources, the other cores stopped. */
void machine_irq(struct machine *m);
/* LFENCE first: the clock reads rely on it. Then counters, TSC frequency, thermal status. */
void machine_clocks(struct machine *m);
/* The other cores: started or borrowed, compared, parked. Those that cannot be had are named in
 * m->cores. NULL, or why nothing can be measured. */
const char *machine_cores(struct machine *m);
/* What ends a row that runs past deadline=: each source is tried. */
void machine_deadline(struct machine *m);
/* turbo=, prefetch=, freq= on all cores. NULL, or why nothing can be measured. */
const char *machine_controls(struct machine *m);

#endif
