/*
 * Faults and interrupts by the user. A fault in a guarded call ends only that call
 * (hosted/platform/guard.h). Any other is reported as the image reports an exception: an `event`
 * that names the row, the `end` record, exit status 4.
 */
#ifndef HOSTED_PLATFORM_FAULT_H
#define HOSTED_PLATFORM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/report.h"

/* Handles SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGINT and SIGTERM; reports faults to r. */
void fault_catch(struct report *r);

/* Sets the function that writes what the report still lacks, before a fault. NULL: none. */
void fault_say_first(void (*say)(void));

/* Sets the function that SIGINT and SIGTERM also call, in the handler. NULL: none. */
void fault_hand_on(void (*to_others)(void));

/* From now on in this forked process, a fault is not reported: its text goes to `said`, and the
 * process ends, as it does at a deadline outside a guarded call. Only SIGTERM stops it. */
void fault_say(char *said, size_t size);

/* Reports that the program cannot go on: an `event` with what and the row, the `end` record, exit
 * status 4. In a forked process as above. */
_Noreturn void fault_end(const char *what);

/* Sets the row that runs from now on; NULL, NULL: none. The strings must stay valid. */
void fault_row(const char *suite, const char *name);

/* Returns true if SIGINT or SIGTERM came, which stops like a key on a bare machine. The current row
 * is left, and the report ends; a second signal ends the process at once. */
bool fault_interrupted(void);

#endif
