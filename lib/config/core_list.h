/*
 * The cores that a list of words names: `bsp` (the one that the firmware started), `all`, or
 * numbers and ranges, "3", "1-4,8". Numbers are those of the report's `core` records, 0 is bsp.
 */
#ifndef LIB_CONFIG_CORE_LIST_H
#define LIB_CONFIG_CORE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define CORE_LIST_MAX  1024 /* cores, numbered from 0 */
#define CORE_LIST_TEXT 128  /* bytes of a list's text, NUL included */

struct core_list {
    bool all; /* every core that there is; then no bit is set */
    uint64_t bits[CORE_LIST_MAX / 64];
};

/* False: empty, no number, a number above CORE_LIST_MAX - 1, or a range that runs backwards. */
bool core_list_parse(struct core_list *l, const char *text);

bool core_list_has(const struct core_list *l, unsigned core);

/* How many of the cores 0 .. count - 1 it names. */
unsigned core_list_count(const struct core_list *l, unsigned count);

/* Writes what it names of `count` and above, as ranges: "8,10-12"; false: nothing. */
bool core_list_beyond(const struct core_list *l, unsigned count, struct sink *out);

#endif
