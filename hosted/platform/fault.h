/*
 * Faults and interrupts by the user. A fault in a guarded call ends only that call
 * (hosted/platform/signal_guard.h). Any other is reported as the image reports an exception: an
 * `event` that names the row, the `end` record, exit status 4.
 */
#ifndef HOSTED_PLATFORM_FAULT_H
#define HOSTED_PLATFORM_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Handles SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGSYS, SIGINT and SIGTERM. `end` writes the end of the
 * report after a fault; the message says what faulted and during which row. */
void fault_catch(void (*end)(const char *message));

/* Sets the function that SIGINT and SIGTERM also call, in the handler. NULL: none. */
void fault_hand_on(void (*to_others)(void));

/* From now on in this forked process, a fault is not reported: its text goes to `said`, and the
 * process ends, as it does at a deadline outside a guarded call. Only SIGTERM stops it. */
void fault_say(char *said, size_t size);

/* Ends the program, which cannot continue: the end of the report, with `what` and the row, and exit
 * status 4. In a forked process as above. */
_Noreturn void fault_end(const char *what);

/* Sets the row that runs from now on; NULL, NULL: none. The strings must stay valid. */
void fault_row(const char *suite, const char *name);

/* Returns true if SIGINT or SIGTERM came, which stops like a key on a bare machine. The current row
 * is left, and the report ends; a second signal ends the process at once. */
bool fault_interrupted(void);

#endif
