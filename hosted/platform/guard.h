/*
 * Calls that always return (bench/api/platform.h, `guarded`). The handler of a signal during such a
 * call leaves it. Each process has its own.
 *
 * The deadline counts the process's CPU time (ITIMER_PROF, SIGPROF): a row that waits for a CPU, or
 * whose machine is paused, is not at fault. GUARD_WALL_TIMES that in elapsed time (ITIMER_REAL,
 * SIGALRM) ends a body that sleeps.
 */
#ifndef HOSTED_PLATFORM_GUARD_H
#define HOSTED_PLATFORM_GUARD_H

#include "bench/api/platform.h"

#define GUARD_WALL_TIMES 10

/* Sets the deadline of every row in seconds and the TSC's frequency; 0: not known. Handles SIGALRM
 * and SIGPROF. */
void guard_open(unsigned seconds, uint64_t tsc_hz);

/* Sets `stopped`, which a guarded call asks before it begins, and `overdue_outside`, which the
 * deadline calls outside such a call. Call once, before the first guarded call. */
void guard_ask(bool (*stopped)(void), void (*overdue_outside)(void));

/* Mark the beginning and end of a row. Its time is the time between them plus `ran` TSC ticks that
 * it took before. */
void guard_row_begin(uint64_t ran);
void guard_row_end(void);
/* While `waits` is set, the row's CPU time does not count: it waits for other processes. Elapsed
 * time counts. */
void guard_row_waits(bool waits);
/* Returns the part of deadline= that the row which has just ended used since it began, in ticks of
 * the TSC; 0 if its frequency is not known. */
uint64_t guard_row_ran(void);
/* Gives the current row this many more milliseconds. */
void guard_row_longer(const struct platform *p, unsigned ms);

/* The platform's guarded call. */
bool guard_call(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);

/* In a signal's handler: leaves the running guarded call; returns if no such call runs. */
void guard_leave(enum guard_end by, uint64_t at, const char *what);

#endif
