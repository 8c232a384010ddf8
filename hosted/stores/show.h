/* A trace as JSON Lines, for scripts/assembly/stores.py: one object of type `trace`, then for each
 * instruction that touched memory one of type `instruction`, each followed by one of type `stack`
 * for each stack of calls that it ran in, with the counts of that alone. */
#ifndef HOSTED_STORES_SHOW_H
#define HOSTED_STORES_SHOW_H

#include "lib/text/sink.h"
#include "hosted/stores/trace.h"

/* `wrong`: what the row's check said of the call, or NULL. False: memory ran out. */
bool show_trace(const struct trace *t, const char *wrong, struct sink *out);

#endif
