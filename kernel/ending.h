/* How a run ends: with its report, without being able to measure, or by a fault. */
#ifndef KERNEL_ENDING_H
#define KERNEL_ENDING_H

#include "bench/api/platform.h"
#include "bench/api/report.h"
#include "bench/measure/engine.h"
#include "bench/run.h"
#include "kernel/machine/leave.h"
#include "kernel/machine/machine.h"

/* All that there is one of. */
struct kernel {
    struct machine machine;
    struct platform platform;
    struct platform_cores others; /* platform.cores, where there are any */
    struct report report;         /* `out` NULL: not begun, so nothing can be said yet */
    struct engine engine;
    struct shown shown;
    unsigned faults; /* fatal ones on the boot core so far */
    bool told_nmis;
    uint64_t nmis_at_end; /* of the report: the boot core's */
};

/* Begins the report on the consoles that are open. */
void ending_report(struct kernel *k);

/* An event tells the NMIs and machine checks that came before the first row. Called again, it does
 * nothing. */
void ending_tell_nmis(struct kernel *k);

/* After the last row: the essence, the report's last lines, then off, back to the firmware, or what
 * else finish= says. `stopped`: by a person, before the last row. */
_Noreturn void ending_measured(struct kernel *k, bool stopped, enum exit_status status);

/* Nothing can be measured: an event of that type says why. */
_Noreturn void ending_refused(struct kernel *k, enum exit_status status, const char *type,
                              const char *why);

/* Nothing happens where `why_not`, of a step that cannot be done without, is NULL. */
void ending_if_failed(struct kernel *k, const char *why_not);

/*
 * A fatal exception, on any core, in its handler: registers and backtrace are printed, then the
 * boot core ends the run, and any other core stops and leaves it to the boot core to tell. A fault
 * on the way to the end ends the program at once. Where no console was open, those are opened that
 * need no table: COM1, or the port of serial=, and the firmware's framebuffer.
 */
_Noreturn void ending_fault(struct kernel *k, struct core *c, const struct trap_frame *f);

#endif
