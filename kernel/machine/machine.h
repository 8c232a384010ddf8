/* The state of the machine; machine.c has the steps that find and change it, and the ways out. */
#ifndef KERNEL_MACHINE_MACHINE_H
#define KERNEL_MACHINE_MACHINE_H

#include "kernel/console/console.h"
#include "kernel/cores/deadline.h"
#include "kernel/devices/counters.h"
#include "lib/config/status.h"
#include "lib/cpu/controls.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/mtrr.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/firmware/ipmi.h"
#include "lib/firmware/pci.h"
#include "lib/firmware/smbios.h"
#include "lib/stats/clock_rate.h"
#include "lib/text/sink.h"

/* One sink for several consoles: it writes everything to each of `to`. */
struct console {
    struct sink sink;
    unsigned n;
    struct sink *to[4];
};

/* The settings of the cores, and SMIs. */
struct core_controls {
    struct controls *core;        /* by core number; NULL: nothing was changed */
    unsigned cores;               /* cores to which the settings were applied */
    unsigned failed[CONTROL_IDS]; /* cores of these where the setting is not as requested */
    bool stuck;                   /* some MSR could not be restored */
    bool smi_counter;             /* SMIs are counted: by an MSR, or ... */
    bool smi_event;               /* ... by a performance counter of each core */
    const char *smi_why_not;      /* a core's counter cannot be used; NULL: no such core */
    bool c1e, has_c1e;
};

/* dma=off. */
struct dma {
    bool asked;
    const char *why_not;     /* why no device could be accessed at all; or NULL */
    const char *way;         /* access to segment 0: "ports", "ecam" */
    unsigned unreached;      /* ranges of MCFG that could not be accessed */
    struct pci_stop stopped; /* the result */
};

struct machine {
    struct handoff *handoff;
    struct arena arena;
    struct cpu cpu;

    struct serial_places places; /* where the serial port may be */
    struct serial serial;
    struct screen screen;
    struct console console; /* for people */
    struct console records; /* for programs: only the serial port if possible */
    struct console live;    /* the screen, on which a progress line is replaced */
    struct console steady;  /* the serial port, on which it stays */
    struct report_log log;  /* of a borrowed machine, for the stick: gets `console` and `records` */
    const char *console_missing; /* the requested console that is missing; or NULL */
    bool keyboard;               /* a keyboard answers, for the screen */

    struct core *boot_core; /* NULL: its traps are not loaded yet */
    struct mce mce;

    struct mtrr mtrr;
    bool has_mtrr;
    struct paging paging;
    uint8_t arena_type; /* MTRR type of the arena; if not MTRR_WB, figures of memory are suspect */

    struct physmem physical;
    struct acpi acpi;
    bool has_fadt, has_hpet, has_s5;
    struct fadt fadt;
    struct acpi_s5 s5;
    struct hpet_table hpet;
    struct madt *madt;            /* NULL: no MADT */
    struct acpi_error madt_error; /* the entries before it are used */
    struct watchdog watchdog[2];
    struct acpi_table wdat; /* bytes NULL: none */
    struct {
        bool armed;          /* the watchdog of WDAT */
        bool timed;          /* without it, the timer */
        bool lent;           /* the machine is given back, and still guarded */
        const char *why_not; /* why WDAT's is not armed, although once= was given */
        char too_short[96];
        const char *timer_why_not; /* and why the timer is not set */
        uint64_t fed, every;       /* TSC of the last time, ticks to the next */
        struct nmi_timer timer;
        uint64_t ticks;                /* that it allows */
        volatile uint64_t due;         /* TSC at which the machine is reset */
        volatile uint64_t next;        /* TSC before which the timer does not fire */
        volatile unsigned came;        /* its NMIs */
        volatile uint32_t feeds, sets; /* 1: a core feeds, or sets the timer */
    } guard;
    struct {
        bool there; /* the firmware's tables name one */
        struct smbios_kcs place;
        struct ipmi_watchdog watchdog;
        const char *why_not; /* why its watchdog is not known, or was not fed the last time */
        unsigned failed;     /* times in a row that it was not fed */
        uint64_t fed, every; /* as above */
    } bmc;                   /* only if once= was given */
    uint64_t firmware_cr3;   /* of a borrowed machine */

    struct irq_masked irq;
    bool others_stopped; /* INIT was sent to all other cores */
    enum lfence_state lfence;
    struct counters counters;
    struct tsc_clock clock;
    struct thermal_state thermal;
    struct cores cores;
    struct deadlines deadlines;
    struct core_controls controls;
    struct dma dma;
    uint64_t ecam; /* where the configuration space of PCI device 0:0.0 is mapped; 0: it is not */

    unsigned left; /* steps of machine_leave() that were begun */
    enum finish finish;
    enum status status; /* as given to it */
};

/* --- machine.c --- */

/* Sets up the arena, GDT, TSS, and the IDT with these hooks. m->boot_core stays NULL if the arena
 * is too small for its stacks. */
void machine_traps(struct machine *m, struct handoff *h, const struct trap_hooks *hooks);

/* Finds out and changes all of the machine that a run needs, except its traps. `opened` is called
 * once text can be written, `opened_late` once all consoles work; `late`: the console opened since,
 * or NULL. Returns NULL, or why nothing can be measured. */
const char *machine_take(struct machine *m, void (*opened)(struct machine *m),
                         void (*opened_late)(struct machine *m, struct sink *late));

/* --- consoles.c --- */

/* Opens the available consoles that console= selects, except a serial port in memory, and the log.
 * Text can be written from here on. */
void machine_console(struct machine *m);
/* Opens all consoles that are found without ACPI tables, whatever console= says: for a fault before
 * machine_console(). */
void machine_console_early(struct machine *m);
/* Opens a serial port in memory if no port was found before, or the screen if the port that
 * console= selects is missing. Returns the console that it opened, or NULL. All consoles work from
 * here on. */
struct sink *machine_console_late(struct machine *m);
/* Returns the bytes of arena that the log of a borrowed machine takes. */
uint64_t machine_log_cost(const struct handoff *h);

/*
 * --- core_controls.c ---
 * Applies turbo=, prefetch= and freq= to the cores (lib/cpu/controls.h does it for one core), and
 * counts SMIs. core_controls_restore_all() restores everything; every way out calls it.
 */

/* To be called once the cores are up. Returns NULL, or why nothing can be measured. */
const char *core_controls_apply_all(struct machine *m);
/* Restores the settings as found; may be called again. `others`: the other cores can be called,
 * which is false after a fault. */
void core_controls_restore_all(struct machine *m, bool others);

/* Implements prefetch() of struct platform. core_controls_restore_all() restores them too. */
const char *core_controls_prefetch(const struct platform *p, unsigned core, bool off,
                                   const char **why);

/* Returns the SMIs of the running core so far; meaningless without smi_counter. */
uint64_t core_controls_smis(void);

/*
 * --- watchdog.c ---
 * The hardware watchdogs of ACPI tables. With once= the one of WDAT is armed, so that a run which
 * hangs on a remote machine ends in a reset. If that is not possible, a comparator of the HPET is
 * set, whose NMI resets the machine by the ways of kernel/devices/reset.h. Either is fed where the
 * user's keys are polled, when a row begins and while the serial port sends. So is the OS watchdog
 * of a BMC that runs.
 */
void watchdog_find(struct machine *m);
/* Finds the comparator, after deadline_open(), whose comparator is another one; and the BMC. */
void watchdog_open(struct machine *m);
void watchdog_arm(struct machine *m);
/* On any core; the argument is the struct machine. */
void watchdog_feed(void *machine);
/* Returns whether it is no longer tried to feed the BMC's. */
#define BMC_FAILS 10
static inline bool watchdog_bmc_lost(const struct machine *m)
{
    return m->bmc.failed >= BMC_FAILS;
}
/* Stops it, and restores the HPET. */
void watchdog_stop(struct machine *m);
/* To be called before a borrowed machine is given back, after deadline_close(): the watchdog
 * continues while the firmware writes the report, if it allows a minute and the firmware maps its
 * registers. Else it is stopped. From then on the firmware's phase can call watchdog_stop() and
 * watchdog_nmi(). */
void watchdog_lend(struct machine *m);
/* In the handler of an NMI on the boot core: returns whether the timer sent it. Resets the machine
 * if the time is over. */
bool watchdog_nmi(struct machine *m);

/* --- leave.c: the ways out, with a status of lib/config/status.h ------------------------------ */

/* Sends INIT to every other core: it then waits for a SIPI and executes nothing. False: the command
 * was not accepted in time, or one of them would restart the firmware instead. */
bool machine_stop_others(const struct machine *m);

/* Exits QEMU by port 0xf4; to be called only there. Returns if the machine has no
 * isa-debug-exit. */
void qemu_exit(enum status status);

/*
 * Leaves as `finish` says. auto: on QEMU isa-debug-exit, then S5 by PM1a; elsewhere halt.
 * reboot: ResetSystem, then the ways of kernel/devices/reset.h. poweroff: ResetSystem, then S5 by
 * PM1a and PM1b; never a reset, after which firmware would start the program again. The last line
 * on the consoles says which way is tried. Halts if all fail, and lets the user scroll back then
 * (kernel/console/display.c). The fault handler calls it again when a step faulted: then the next
 * step follows.
 *
 * A borrowed machine is given back instead, from anywhere in the kernel, a fault handler included.
 * boot/main.c does what `finish` says, once the report is on the stick. Other cores return to the
 * firmware first (kernel/cores/smp.h). In addition to kernel/cpu/cpu_setup.h, these are restored:
 * DE_CFG's LFENCE bit, the masked entries of the IO-APICs and the LVT (never the timer's count),
 * TPR and spurious vector, the PIC's masks, the machine-check enables, the serial port's settings.
 * The code that uses the HPET, the PIT's gate and cycle counters restores them. Old errors in
 * machine-check banks are lost.
 */
#define FINISH_TELLS "baretick: finish=%s: %s\r\n"
#define TRYING_S5    "trying S5 by PM1a and PM1b of the ACPI tables"
#define FINISH_HALTS "nothing worked, so the machine is halted"
_Noreturn void machine_leave(struct machine *m, enum finish finish, enum status status);

#endif
