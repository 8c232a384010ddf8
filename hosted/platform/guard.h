/*
 * Calls that always return (bench/api/platform.h, `guarded`): SIGALRM is the deadline, and the
 * handler of a signal during such a call leaves it. Each process has its own.
 */
#ifndef HOSTED_PLATFORM_GUARD_H
#define HOSTED_PLATFORM_GUARD_H

#include "bench/api/platform.h"

/* Sets the deadline of every row in seconds and the TSC's frequency; 0: not known. Handles
 * SIGALRM. */
void guard_open(unsigned seconds, uint64_t tsc_hz);

/* Sets `stopped`, which a guarded call asks before it begins, and `overdue_outside`, which the
 * deadline calls outside such a call. Call once, before the first guarded call. */
void guard_ask(bool (*stopped)(void), void (*overdue_outside)(void));

/* Mark the beginning and end of a row. Its time is the time between them plus `ran` TSC ticks that
 * it took before. */
void guard_row_begin(uint64_t ran);
void guard_row_end(void);
/* Gives the current row this many more milliseconds. */
void guard_row_longer(unsigned ms);

/* The platform's guarded call. */
bool guard_call(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);

/* In a signal's handler: leaves the running guarded call; returns if there is none. */
void guard_leave(enum guard_end by, uint64_t at, const char *what);

#endif
