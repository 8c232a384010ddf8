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
#include "bench/output/board.h"
#include "lib/cpu/cpu.h"
#include "lib/firmware/smbios.h"
#include "lib/text/sink.h"

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

/* --- smbios_files.c: SMBIOS as Linux shows it to root, as two files --- */

#define SMBIOS_FILES "/sys/firmware/dmi/tables"

/* False: the folder lacks these files, or they are not readable; then nothing is known. */
bool smbios_files_processors(const char *folder, struct smbios_processors *s);

#endif
