/*
 * Calls that always return (bench/api/platform.h, `guarded`). The handler of a signal during such a
 * call leaves it. Each process has its own.
 *
 * The deadline counts the process's CPU time (ITIMER_PROF, SIGPROF): a row that waits for a CPU, or
 * whose machine is paused, is not at fault. GUARD_WALL_TIMES that in elapsed time (ITIMER_REAL,
 * SIGALRM) ends a body that sleeps.
 */
#ifndef HOSTED_PLATFORM_SIGNAL_GUARD_H
#define HOSTED_PLATFORM_SIGNAL_GUARD_H

#include "bench/api/platform.h"
#include "lib/text/sink.h"

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

/* --- body_state.c ----------------------------------------------------------------------------- */

/*
 * Protection keys of memory (Intel SDM vol. 3A section 4.6.2): a body can execute WRPKRU and take
 * from the program the memory of key 0, which is all of it. The next access is then a SIGSEGV.
 * Linux 6.12 and later write its frame and run its handler with the keys that a process begins
 * with; earlier ones cannot deliver it and end the process.
 */

/* Keeps PKRU as it is now. Ends the C library's rseq(2): the kernel writes that area before it
 * delivers a signal and when it moves the process, with the keys of the body, and ends the process
 * where it cannot. */
void keys_open(void);

/* Restores PKRU. True: it had changed. */
bool keys_put_back(void);

/*
 * FS and GS of this process, which a body can change and no window restores. FS points to the C
 * library's thread-local data: code before segments_put_back() must not use any. May be called in a
 * signal's handler.
 */

/* A row begins: the values found now are kept. A row ends: nothing is compared any more. */
void segments_keep(void);
void segments_drop(void);

/* Restores what has changed and notes it. True: something had changed. */
bool segments_put_back(void);

/* Writes what was found changed ("the FS base") to `out`, and forgets it. */
void segments_tell(struct sink *out);

#endif
