/*
 * A body that faults, and a person who interrupts. A fault is reported as the image reports an
 * exception: an `event` that names the row, the `end` record, exit status 4.
 */
#ifndef HOSTED_FAULT_H
#define HOSTED_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/report.h"

/* Takes over SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGINT and SIGTERM; faults are reported to r. */
void fault_catch(struct report *r);

/* From now on in this process a fault is no report: its text goes to `said`, and the process ends. */
void fault_say(char *said, size_t size);

/* What runs from now on; NULL, NULL: nothing. The strings must stay where they are. */
void fault_row(const char *suite, const char *name);

/* SIGINT or SIGTERM came: the hosted way of pressing a key. */
bool fault_interrupted(void);

#endif
