/* A body that ends the process by itself, or makes two of it: its system call is a fault of its
 * row, so that no run ends with status 0 and without its report's end. */
#ifndef HOSTED_PLATFORM_EXIT_GUARD_H
#define HOSTED_PLATFORM_EXIT_GUARD_H

#include <signal.h>
#include <stddef.h>

/*
 * From here on exit(2), exit_group(2), execve(2), execveat(2), fork(2), vfork(2), clone(2) and
 * clone3(2) that are called from the code buffer raise SIGSYS, in this process and in those that it
 * forks; by a seccomp filter (seccomp(2)). 0, or errno where the system has no such filters.
 */
int exit_guard_open(void);

/* Writes what such a SIGSYS stands for: "SIGSYS, exit_group(2), which would end the program,". */
void exit_guard_describe(const siginfo_t *info, char *text, size_t size);

#endif
