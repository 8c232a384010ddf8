/*
 * The addresses that a run works at: the code buffer and the data buffer where every platform has
 * them, the samples, and a stack of its own. The kernel places a process's stack at random, and
 * moves it by the length of the environment; a figure must not depend on either.
 */
#ifndef HOSTED_PLATFORM_MEMORY_H
#define HOSTED_PLATFORM_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include "bench/api/platform.h"

struct memory {
    uint8_t *code, *data, *stack;
    uint64_t *samples; /* shared with the processes that this one forks */
    const char *what;  /* where something is NULL: the thing that could not be had, */
    int error;         /* and the kernel's errno */
};

#define MEMORY_STACK_SIZE (1u << 20)

/* Maps all of it, every page present. */
struct memory memory_map(size_t sample_words);

/* Makes every page of data and stack this process's own again, after a fork. */
void memory_touch(void);

/* The code buffer's rights, as bench/api/platform.h asks. A kernel that refuses ends the
 * program. */
void memory_code_write(const struct platform *p);
void memory_code_exec(const struct platform *p);

/* Calls f(argument) on the stack in `m`, below which lies a page that faults when touched; returns
 * when it has. */
void memory_on_stack(const struct memory *m, void (*f)(void *), void *argument);

#endif
