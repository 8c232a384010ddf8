/* The kernel's state, and the ends of a run: after a measurement, without one, or by a fault. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "bench/api/platform.h"
#include "bench/api/report.h"
#include "bench/engine/engine.h"
#include "bench/run/run.h"
#include "kernel/machine/machine.h"

/* The kernel's global state. */
struct kernel {
    struct machine machine;
    struct platform platform;
    struct platform_cores others; /* platform.cores, if there are other cores */
    struct report report;         /* `out` NULL: not begun, so nothing can be written */
    struct engine engine;
    struct shown shown;
    unsigned faults; /* fatal faults on the boot core so far */
    bool told_nmis;
    uint64_t nmis_at_end; /* the boot core's NMIs at the report's end */
};

/* --- ending.c --------------------------------------------------------------------------------- */

/* Begins the report on the consoles that are open. */
void ending_report(struct kernel *k);

/* Reports the NMIs and machine checks before the first row as an event. Further calls do
 * nothing. */
void ending_tell_nmis(struct kernel *k);

/* Returns the kernel's parts of the end of a report. */
struct run_end ending_parts(struct kernel *k);

/* Ends as finish= says, with a report that is complete. */
_Noreturn void ending_leave(struct kernel *k, enum status status);

/* Ends a run that cannot measure; an event of this type says why. */
_Noreturn void ending_refused(struct kernel *k, enum status status, const char *type,
                              const char *why);

/* Ends the run if a required step failed. `why_not` NULL: does nothing. */
void ending_if_failed(struct kernel *k, const char *why_not);

/*
 * Handles a fatal exception on any core, in its handler. Prints registers and backtrace. Then the
 * boot core ends the run; any other core stops, and the boot core reports it. A fault while the run
 * ends ends the program at once. If no console is open, this opens those that need no ACPI table:
 * COM1, or the port of serial=, and the firmware's framebuffer.
 */
_Noreturn void ending_fault(struct kernel *k, struct core *c, const struct trap_frame *f);

/* --- platform.c: bench/api/platform.h for the bare machine ------------------------------------ */

/* Fills `p`, and `others` if there are other cores; allocates the sample memory. Call it after all
 * machine_...() steps. All three must stay valid. Returns NULL, or why not. */
const char *platform_init(struct platform *p, struct platform_cores *others, struct machine *m);

#endif
