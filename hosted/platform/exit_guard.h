/* System calls that a body may not make, because they end or duplicate the process, change how it
 * runs, or write into its report. Each is a fault of its row: no run ends with status 0 and without
 * the end of its report, and no later row is measured in a changed process. */
#ifndef HOSTED_PLATFORM_EXIT_GUARD_H
#define HOSTED_PLATFORM_EXIT_GUARD_H

#include <signal.h>
#include <stddef.h>

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
