/*
 * The addresses that a run uses: the code buffer and the data buffer at the same addresses as on
 * every platform, the samples, and a separate stack. The kernel places a process's stack at random,
 * and the length of the environment moves it; a figure must not depend on either.
 */
#ifndef HOSTED_PLATFORM_BUFFERS_H
#define HOSTED_PLATFORM_BUFFERS_H

#include <stddef.h>
#include <stdint.h>
#include "bench/api/platform.h"

struct memory {
    uint8_t *code, *data, *stack;
    uint64_t *samples; /* shared with the processes that this one forks */
    const char *what;  /* if something is NULL: what could not be allocated, */
    int error;         /* and the kernel's errno */
};

#define MEMORY_STACK_SIZE (1u << 20)

/* Maps all of it, every page present. */
struct memory memory_map(size_t sample_words);

/* After a fork, makes every page of data and stack private to this process again. */
void memory_touch(void);

/* Set the rights of the code buffer as in bench/api/platform.h. If the kernel refuses, the report
 * ends with a fault (fault.h). */
void memory_code_write(const struct platform *p);
void memory_code_exec(const struct platform *p, size_t bytes);

/* Calls f(argument) on the stack in `m`, which has a guard page below it. */
void memory_on_stack(const struct memory *m, void (*f)(void *), void *argument);

#endif
