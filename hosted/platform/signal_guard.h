/*
 * Calls that always return (bench/api/platform.h, `guarded`). The handler of a signal during such a
 * call leaves it. Each process has its own.
 *
 * The deadline counts the process's CPU time (ITIMER_PROF, SIGPROF): a row that waits for a CPU, or
 * whose machine is paused, is not at fault. GUARD_WALL_TIMES that in elapsed time (ITIMER_REAL,
 * SIGALRM) ends a body that sleeps.
 *
 * Also here: faults, interrupts by the user, single-stepping, and system calls that end a row.
 */
#ifndef HOSTED_PLATFORM_SIGNAL_GUARD_H
#define HOSTED_PLATFORM_SIGNAL_GUARD_H

#include <signal.h>
#include <ucontext.h>
#include "bench/api/platform.h"

#define GUARD_WALL_TIMES 10

/* Sets what the platform has of rows' deadlines, guarded calls and steps; the deadline of every row
 * in seconds and the TSC's frequency; 0: not known. Handles SIGALRM and SIGPROF. While row_waits()
 * is set, the row's CPU time does not count; elapsed time counts. */
void guard_open(struct platform *p, unsigned seconds, uint64_t tsc_hz);

/* Mark the beginning and end of a row. Its time is the time between them plus `ran` TSC ticks that
 * it took before. */
void guard_row_begin(uint64_t ran);
void guard_row_end(void);

/* The platform's guarded call. */
bool guard_call(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);

/* In a signal's handler: leaves the running guarded call; returns if no such call runs. */
void guard_leave(enum guard_end by, uint64_t at, const char *what);

/* Restores FS and GS of this process if a row has changed them. FS points to the C library's
 * thread-local data: code before this must not use any. True: something had changed. May be called
 * in a signal's handler. */
bool segments_put_back(void);

/*
 * --- fault.c ---
 * Faults and interrupts by the user. A fault in a guarded call ends only that call. Any other is
 * reported as the image reports an exception: an `event` that names the row, the `end` record, exit
 * status 4.
 */

/* Handles SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGSYS, SIGTRAP, SIGINT and SIGTERM. `end` writes the
 * end of the report after a fault; the message says what faulted and during which row. */
void fault_catch(void (*end)(const char *message));

/* Sets the function that SIGINT and SIGTERM also call, in the handler. NULL: none. */
void fault_hand_on(void (*to_others)(void));

/* From now on in this forked process, a fault is not reported: its text goes to `said`, and the
 * process ends, as it does at a deadline outside a guarded call. Only SIGTERM stops it. */
void fault_say(char *said, size_t size);

/* Ends the program, which cannot continue: the end of the report, with `what` and the row, and exit
 * status 4. In a forked process as above. */
_Noreturn void fault_end(const char *what);

/* Sets the row that runs from now on; NULL, NULL: none. The strings must stay valid. */
void fault_row(const char *suite, const char *name);

/* Returns true if SIGINT or SIGTERM came, which stops like a key on a bare machine. The current row
 * is left, and the report ends; a second signal ends the process at once. */
bool fault_interrupted(void);

/* In a handler of the deadline, outside a guarded call: ends a forked process. */
void fault_overdue(void);

/*
 * Runs a function one instruction at a time in this process: by the trap flag, which raises SIGTRAP
 * after each instruction. Within guard_call() stepping always ends with the call, whatever ends it.
 */

/* Calls entry(argument, code); each(ctx, at) is called in a signal's handler at the code's first
 * instruction and after each instruction. If it returns true, the next one traps too. */
typedef bool step_each(void *ctx, ucontext_t *at);
struct step_result step_run(step_each *each, void *ctx, step_entry *entry, const void *code,
                            const uint64_t argument[STEP_ARGUMENTS]);

/* Ends stepping in the middle of the call. */
void step_drop(void);

/*
 * --- exit_guard.c ---
 * System calls that a body may not make, because they end or duplicate the process, change how it
 * runs, or write into its report. Each is a fault of its row: no run ends with status 0 and without
 * the end of its report, and no later row is measured in a changed process.
 */

/*
 * Installs a seccomp filter (seccomp(2)): from now on, the calls listed in exit_guard.c raise
 * SIGSYS if they come from the code buffer, in this process and its forks. The program itself may
 * make them, except execve and execveat. From elsewhere it ends with status 0 only by
 * exit_guard_end(): a body can make system calls in memory that it maps, or in the C library.
 * If the system has no such filters, warns on stderr that calls of `whose` code ("a body") can end
 * or change `program`.
 */
void exit_guard_open(const char *program, const char *whose);

/* Ends the process with this status, 0 to 255. Does not flush standard output. */
_Noreturn void exit_guard_end(int status);

/* Writes the meaning of such a SIGSYS: "SIGSYS, exit_group(2), which would end the program,". */
void exit_guard_describe(const siginfo_t *info, char *text, size_t size);

#endif
