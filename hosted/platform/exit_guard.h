/* System calls that a body may not make, as they end the process or make two of it, change how it
 * runs, or write into its report. Each is a fault of its row: no run ends with status 0 and without
 * its report's end, and no later row is measured in a changed process. */
#ifndef HOSTED_PLATFORM_EXIT_GUARD_H
#define HOSTED_PLATFORM_EXIT_GUARD_H

#include <signal.h>
#include <stddef.h>

/*
 * From here on the calls of a table in exit_guard.c raise SIGSYS when they are called from the code
 * buffer, in this process and in those that it forks; by a seccomp filter (seccomp(2)). The program
 * itself may call them. 0, or errno where the system has no such filters.
 */
int exit_guard_open(void);

/* Writes what such a SIGSYS stands for: "SIGSYS, exit_group(2), which would end the program,". */
void exit_guard_describe(const siginfo_t *info, char *text, size_t size);

#endif
