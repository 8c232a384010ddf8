/*
 * Requests of a process to the kernel, to avoid disturbance: one CPU, locked memory, priority over
 * all ordinary programs. Each can be refused; the report then states it, and the run continues.
 */
#ifndef HOSTED_PLATFORM_PROCESS_H
#define HOSTED_PLATFORM_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include "bench/api/platform.h"
#include "bench/output/board.h"
#include "lib/firmware/smbios.h"
#include "lib/text/json.h"

#define PROCESS_CPU "BARETICK_CPU" /* the environment variable that names the CPU to run on */

enum process_wish { PROCESS_PINNED, PROCESS_LOCKED, PROCESS_FIFO, PROCESS_WISHES };
extern const char *const process_wish_names[PROCESS_WISHES]; /* "pinned", "locked", "fifo" */

struct process {
    int cpu;           /* the CPU it runs on */
    int cpus;          /* number of CPUs it may use, before it was pinned: ... */
    cpu_set_t allowed; /* ... these */
    struct {
        bool had;
        int error; /* errno if refused */
    } wish[PROCESS_WISHES];
};

/*
 * Pins itself to the CPU that the environment names, or to the last allowed one (interrupts go to
 * the first by default). False: the environment's CPU is not allowed; the message lists those that
 * are.
 */
bool process_pin(struct process *p, struct sink *err);

/* A cpuid_fn of the current CPU; ctx is not used. */
struct cpuid_regs process_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf);

/* Returns the microcode revision of a CPU from /proc/cpuinfo; 0: not known. */
uint32_t process_microcode(int cpu);

/* Reads the board from /sys/class/dmi; missing fields stay empty. */
void process_board(struct board *b);

/* Moves a process (0: this one) to this CPU and pins it; returns 0, or errno. */
int process_move(pid_t pid, int cpu);

/* Locks the memory and requests SCHED_FIFO. Call it once all memory is allocated. */
void process_settle(struct process *p);

/* Reads one of the system's clocks in nanoseconds. */
uint64_t clock_ns(clockid_t clock);

/* SMBIOS as Linux shows it to root, as two files. */
#define SMBIOS_FILES "/sys/firmware/dmi/tables"

/* False: the folder lacks these files, or they are not readable; then nothing is known. */
bool smbios_files_processors(const char *folder, struct smbios_processors *s);

/*
 * --- process_events.c ---
 * Events in the process during a row that only occur under an operating system. They are only
 * counted: the windows that they hit are disturbed (docs/window.md "Disturbed windows").
 */

enum process_event {
    EVENTS_VOLUNTARY, /* context switches (getrusage) */
    EVENTS_INVOLUNTARY,
    EVENTS_FAULTS,     /* page faults, minor and major (getrusage) */
    EVENTS_MIGRATIONS, /* by RDTSCP's aux, read before and after every block */
    EVENTS_AWAY_NS,    /* time without the CPU: CLOCK_MONOTONIC minus the CPU time */
    EVENTS_STEAL_MS,   /* time given to other guests, ... */
    EVENTS_NO_STEAL,   /* ... unless this is not 0: it is not known */
    EVENTS
};
struct event_counts {
    uint64_t of[EVENTS];
};

/* Sets what the platform has of events. cpu[i]: the CPU of core i, whose line of /proc/stat has the
 * steal time. False: out of memory. */
bool events_open(struct platform *p, const int *cpu, unsigned cores);

/* This process is on that core from now on; counts go to that core, whichever process measures. */
void events_core(unsigned core);

/* Call these around a row; end adds the row's counts to the totals. */
void events_begin(void);
void events_end(void);

/* Returns the number of moves away from the core's CPU so far; 0 before events_open(). Cheap: no
 * system call if the CPU has RDTSCP. */
uint64_t events_migrations(void);

/* Returns the sum over all rows on all cores. */
struct event_counts events_total(void);

/*
 * --- cpus.c ---
 * The CPUs that this process may use, as the cores of bench/api/platform.h. Core 0 is the CPU that
 * the process is pinned to; the others follow in ascending order. One at a time: the process moves
 * to the core and back. Together: one process per core, with its own memory except the platform's.
 */

/* Returns the number of cores. The process must be pinned. */
unsigned cores_of_process(const struct process *p);

/* Sets what the platform has of cores and of events on them, after cores_of_process(). Reads each
 * core's properties and compares their TSCs by an exchange in the platform's memory. False: no
 * memory to note what happens to them. */
bool cores_open(struct platform *p);

/* --- process_facts.c: the start of a hosted report: the part of bench/output/head.h, the process,
 * and the TSC as measured in a process --- */

struct hosted_clock;
struct summary;
struct probe;
struct report;
struct run_facts;

/* Writes the head of the table, the `run` record, and a warning for each thing that the process was
 * refused. The summary gets the machine's name. */
void facts_report(const struct platform *platform, const struct run_facts *run,
                  const struct probe *p, const struct process *process,
                  const struct hosted_clock *clock, bool has_words, struct summary *summary,
                  struct report *r);

/* Writes an event that sums up what happened to the process in all rows, also to the summary. */
void facts_events(struct summary *summary, struct report *r);

#endif
