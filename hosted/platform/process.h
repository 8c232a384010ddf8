/*
 * The process that measures, as a platform: its CPU and rights, memory, clocks, events and cores.
 * signal_guard.h has what ends its rows.
 *
 * --- process.c ---
 * Requests to the kernel, to avoid disturbance: one CPU, locked memory, priority over all ordinary
 * programs. Each can be refused; the report then states it, and the run continues.
 */
#ifndef HOSTED_PLATFORM_PROCESS_H
#define HOSTED_PLATFORM_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include "bench/api/platform.h"
#include "bench/api/report.h"
#include "bench/api/timer.h"
#include "bench/output/board.h"
#include "lib/config/options.h"
#include "lib/firmware/smbios.h"
#include "lib/stats/clock_rate.h"
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
 * --- folder.c ---
 * objects= of the Linux program: a folder with objects, or one object.
 */

/* Passes the files to bench/objects, in the order of their names; "on" and "off" name none. False:
 * there is no such folder or file; a message names it. */
bool folder_objects(const char *path, struct sink *err);

/*
 * --- output.c ---
 * Standard output as a sink. It is written only between rows, so that no write falls between two
 * windows.
 */

struct sink *output(void);
void output_flush(void);
/* Returns NULL, or why bytes were lost: a full disk, a closed pipe, another file in its place, a
 * file that was truncated or whose position was moved. */
const char *output_lost(void);
/* From now on it must stay the same file and keep what was written to it. */
void output_watch(void);

/* Opens a report on standard output. FORMAT_AUTO is a table on a terminal and records elsewhere.
 * With FORMAT_TABLE there are no records. Progress is shown on a terminal: below the table, or on
 * standard error if standard output is a file or a pipe. */
void output_report(struct report *r, enum format format);

/*
 * --- buffers.c ---
 * The addresses that a run uses: the code buffer and the data buffer at the same addresses as on
 * every platform, the samples, and a separate stack. The kernel places a process's stack at random,
 * and the length of the environment moves it; a figure must not depend on either.
 */

struct memory {
    uint8_t *stack;
    const char *what; /* not NULL: what could not be allocated, ... */
    int error;        /* ... and the kernel's errno */
};

#define MEMORY_STACK_SIZE (1u << 20)

/* Maps all of it, every page present, and sets what the platform has of it. If the kernel refuses
 * to change the rights of the code buffer, the report ends with a fault (fault_end()). */
struct memory memory_map(struct platform *p, size_t sample_words);

/* After a fork, makes every page of data and stack private to this process again. */
void memory_touch(void);

/* Calls f(argument) on the stack in `m`, which has a guard page below it. */
void memory_on_stack(const struct memory *m, void (*f)(void *), void *argument);

/*
 * --- nodes.c ---
 * The system's NUMA nodes. One of its numbers is the domain of a node, and the id of a CPU.
 */

#define NODES_FOLDER "/sys/devices/system/node"

/* False: the system does not tell. */
bool nodes_read(struct numa *n, const char *folder);

/* Returns the free bytes of a node; UINT64_MAX: not known. */
uint64_t nodes_free(const struct numa *n, unsigned node);

/* Asks for a node's memory in a mapping of which no page is present. False: refused; errno says
 * why. */
bool nodes_bind(const struct numa *n, unsigned node, void *at, uint64_t bytes);

/* --- area.c: the large area of memory for curves over sizes (struct platform_area) --- */

/*
 * map() takes at most half of the memory that the system has available, and less if the
 * process may not have as much.
 * - Pages of 4 KiB are mapped with transparent huge pages forbidden.
 * - Pages of 2 MiB are those of the hugetlb pool if it has enough, else transparent huge pages;
 *   where the kernel gives fewer than 9 in 10, there is no such area, and *why says what it gave.
 * - Pages of 1 GiB are those of the hugetlb pool.
 * - Pages that may be the same memory are one page of the pool, mapped many times, else at most 1
 *   GiB of transparent huge pages.
 * While an area is executable it is not writable.
 */
extern const struct platform_areas process_areas;

/*
 * --- clock.c ---
 * Measures the TSC's frequency in a process: against CLOCK_MONOTONIC_RAW, which no time server
 * adjusts, in a few windows of about 10 ms. Also has what CPUID states, in leaf 15h or others.
 */

enum hosted_source { HOSTED_MONOTONIC_RAW, HOSTED_CPUID15, HOSTED_STATED, HOSTED_SOURCES };
/* "monotonic_raw", "cpuid15", "stated" */
extern const char *const hosted_source_names[HOSTED_SOURCES];

struct hosted_clock {
    struct clock_result source[HOSTED_SOURCES];
    enum hosted_source used; /* the first that is known */
    uint64_t hz;             /* 0: none is known */
    enum tsc_rate_source stated_by;
};

struct hosted_clock clock_measure(const struct cpu *cpu);

/* Returns the timer interrupts since the system started, counted by the kernel's tick:
 * CLOCK_MONOTONIC_COARSE advances with it and is read without a system call. */
uint64_t clock_timer_interrupts(void);

/* Returns one of the platform's clocks, after clock_measure: the TSC; CPU time of the process and
 * of the thread, clock(3), times(2). */
struct timer *clock_source(void *context, unsigned id, const char **why);

/*
 * --- counter.c ---
 * Core cycles in a process: the counter of perf_event_open(2), read with RDPMC in user mode (pmc)
 * or, if the kernel does not allow that, with read(2) (perf). CPUs of virtual machines often have
 * no such counter.
 */

/* A timer_source: has CYCLE_PMC and CYCLE_PERF; APERF needs ring 0; the others are those of
 * bench/engine/cycle.h. */
struct timer *counter_source(void *context, unsigned id, const char **why);

/* The platform's counter of retired instructions. */
struct timer *counter_retired(void *context, const char **why);

/* Selects the core that measures from now on, on that CPU: counter_source() returns its own
 * counter. The first core is 0, on any CPU. */
void counter_core(unsigned core, int cpu);

/* Call when the same process returns to the core: the switch does not spoil the next reading. */
void counter_resume(void);

/* Call in a child before it measures: it opens counters for its own cycles. It cannot use its
 * parent's, whose page a fork does not copy. */
void counter_after_fork(void);

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

struct summary;
struct probe;
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
