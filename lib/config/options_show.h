/*
 * The options in print: `help`, the line of the table, the record's object.
 */
#ifndef LIB_CONFIG_OPTIONS_SHOW_H
#define LIB_CONFIG_OPTIONS_SHOW_H

#include <stdint.h>
#include "lib/config/options.h"
#include "lib/text/sink.h"

struct json;

/* Writes all of `help`: usage, the keys, exit codes. At most 79 columns, lines end in CR LF. */
void options_help(struct sink *out);

/* Writes suite=, bench= and samples=, the number of windows; then each other option that differs
 * from its default, in the table's order, as the words that would set it. */
void options_show(const struct options *o, uint32_t samples, struct sink *out);

/* Writes the effective settings as members of a record's object "options", in the table's order. */
void options_record(const struct options *o, struct json *j);

#endif
