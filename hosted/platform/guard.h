/*
 * Calls that come back (bench/api/platform.h, `guarded`): SIGALRM is the deadline's, and a signal's
 * handler that finds such a call running leaves it. Each process has its own.
 */
#ifndef HOSTED_PLATFORM_GUARD_H
#define HOSTED_PLATFORM_GUARD_H

#include "bench/api/platform.h"

/* The deadline of every row, in seconds, and the TSC's frequency; 0: not known. Takes over
 * SIGALRM. */
void guard_open(unsigned seconds, uint64_t tsc_hz);

/* What a guarded call asks before it begins: whether somebody stops the run; and what the deadline
 * does outside of such a call. Given once, before the first of them. */
void guard_ask(bool (*stopped)(void), void (*overdue_outside)(void));

/* A row begins, and is over: its time is that between the two, and `ran` ticks of the TSC that it
 * has taken before. */
void guard_row_begin(uint64_t ran);
void guard_row_end(void);
/* The row that has begun may take this many milliseconds more. */
void guard_row_longer(unsigned ms);

/* The platform's. */
bool guard_call(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);

/* In a signal's handler: leaves the guarded call that runs; comes back where none does. */
void guard_leave(enum guard_end by, uint64_t at, const char *what);

#endif
