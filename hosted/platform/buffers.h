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
 * ends with a fault (fault_end()). */
void memory_code_write(const struct platform *p);
void memory_code_exec(const struct platform *p, size_t bytes);

/* Calls f(argument) on the stack in `m`, which has a guard page below it. */
void memory_on_stack(const struct memory *m, void (*f)(void *), void *argument);

/* --- area.c: the large area of memory for curves over sizes (struct platform_area) --- */

/*
 * As platform.area. Takes at most half of the memory that the system has available, and less if the
 * process may not have as much.
 * - Pages of 4 KiB are mapped with transparent huge pages forbidden.
 * - Pages of 2 MiB are those of the hugetlb pool if it has enough, else transparent huge pages;
 *   where the kernel gives fewer than 9 in 10, there is no such area, and *why says what it gave.
 * - Pages of 1 GiB are those of the hugetlb pool.
 * - Pages that may be the same memory are one page of the pool, mapped many times, else at most 1
 *   GiB of transparent huge pages.
 */
bool area_map(const struct platform *p, const struct platform_wish *wish,
              struct platform_area *area, const char **why);
void area_unmap(const struct platform *p, struct platform_area *area);

/* As platform.area_execute. The area is then not writable. */
bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                  const char **why);

#endif
