/*
 * The log of a borrowed machine's report: kept in memory, and written to the stick once the
 * firmware runs again (boot/after.c). Its size depends on the rows and cores that the options
 * select.
 */
#ifndef KERNEL_MACHINE_LOG_H
#define KERNEL_MACHINE_LOG_H

#include "kernel/memory/arena.h"
#include "lib/text/report_log.h"

/* Returns the bytes of arena that log_begin() takes. */
uint64_t log_cost(const struct handoff *h);

/* Makes an empty log. False: the arena has no room for it. */
bool log_begin(struct report_log *log, const struct handoff *h, struct arena *a);

#endif
