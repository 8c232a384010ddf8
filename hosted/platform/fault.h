/*
 * What faults, and a person who interrupts. A fault in a guarded call ends that call alone
 * (hosted/platform/guard.h). Any other is reported as the image reports an exception: an `event`
 * that names the row, the `end` record, exit status 4.
 */
#ifndef HOSTED_PLATFORM_FAULT_H
#define HOSTED_PLATFORM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/report.h"

/* Takes over SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGINT and SIGTERM; faults are reported to r. */
void fault_catch(struct report *r);

/* What the report lacks until then is said by this before a fault. NULL: nothing is. */
void fault_say_first(void (*say)(void));

/* What SIGINT and SIGTERM call beside: in the handler. NULL: nothing. */
void fault_hand_on(void (*to_others)(void));

/* From now on in this process, which was forked, a fault is no report: its text goes to `said`, and
 * the process ends, as it does at a deadline outside of a guarded call; SIGTERM alone stops it. */
void fault_say(char *said, size_t size);

/* What runs from now on; NULL, NULL: nothing. The strings must stay where they are. */
void fault_row(const char *suite, const char *name);

/* SIGINT or SIGTERM came: the hosted way of pressing a key. The row that runs is left, and the
 * report ends; a second one ends the process at once. */
bool fault_interrupted(void);

#endif
