/* A trace as JSON Lines, for scripts/stores.py: one object of type `trace`, behind it one of type
 * `instruction` for each that touched memory. */
#ifndef STORES_SHOW_H
#define STORES_SHOW_H

#include "lib/text/sink.h"
#include "tests/stores/trace.h"

/* `wrong`: what the row's check said of the call, or NULL. */
void show_trace(const struct trace *t, const char *wrong, struct sink *out);

#endif
