/* Writes a trace as JSON Lines for scripts/assembly/stores.py: one object of type `trace`; then,
 * for each instruction that touched memory, one of type `instruction`, followed by one of type
 * `stack` for each stack of calls that it ran in, with the counts for that stack. */
#ifndef HOSTED_STORES_SHOW_H
#define HOSTED_STORES_SHOW_H

#include "lib/text/sink.h"
#include "hosted/stores/trace.h"

/* `wrong`: the message of the row's check, or NULL. False: out of memory. */
bool show_trace(const struct trace *t, const char *wrong, struct sink *out);

#endif
