/*
 * What a process asks of the kernel to be left alone: one CPU, memory that stays, a place before
 * all ordinary programs. Each can be refused; the report says so, and the run goes on.
 */
#ifndef HOSTED_PLATFORM_PROCESS_H
#define HOSTED_PLATFORM_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>
#include "bench/essence/board.h"
#include "lib/cpu/cpu.h"
#include "lib/text/sink.h"

#define PROCESS_CPU "BARETICK_CPU" /* the environment variable that names the CPU to run on */

enum process_wish { PROCESS_PINNED, PROCESS_LOCKED, PROCESS_FIFO, PROCESS_WISHES };
extern const char *const process_wish_names[PROCESS_WISHES]; /* "pinned", "locked", "fifo" */

struct process {
    int cpu;           /* the one it runs on */
    int cpus;          /* that it may run on, before it was pinned: ... */
    cpu_set_t allowed; /* ... these */
    struct {
        bool had;
        int error; /* errno, where not */
    } wish[PROCESS_WISHES];
};

/*
 * Pins itself to the CPU that the environment names or, without, to the last one allowed
 * (interrupts go to the first by default). False: the environment's CPU is none of those allowed;
 * the message says which are.
 */
bool process_pin(struct process *p, struct sink *err);

/* A cpuid_fn of the CPU that it runs on; ctx is not used. */
struct cpuid_regs process_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf);

/* The revision of a CPU's microcode, as the system tells it (/proc/cpuinfo); 0: it does not. */
uint32_t process_microcode(int cpu);

/* The board as the system tells it (/sys/class/dmi); empty where it does not. */
void process_board(struct board *b);

/* Moves a process (0: this one) to this CPU, where it stays; 0, or errno. */
int process_move(pid_t pid, int cpu);

/* Once all memory is there: locks it and asks for SCHED_FIFO. */
void process_settle(struct process *p);

#endif
