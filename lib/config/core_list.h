/*
 * The cores in a list of words: `bsp` (the one that the firmware started), `all`, `types` (the
 * first one of each type of a hybrid CPU), or numbers and ranges, "3", "1-4,8". Numbers are those
 * of the report's `core` records; 0 is bsp.
 */
#ifndef LIB_CONFIG_CORE_LIST_H
#define LIB_CONFIG_CORE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define CORE_LIST_MAX  1024 /* cores, numbered from 0 */
#define CORE_LIST_TEXT 128  /* bytes of a list's text, including the NUL */

#define CORE_LIST_TYPES 3 /* most cores of `types`, including one of unknown type */

struct core_list {
    bool all;   /* every core; then no bit is set */
    bool types; /* the first one of each type, which only a machine can tell; then no bit is set */
    uint64_t bits[CORE_LIST_MAX / 64];
};

/* False: empty, not a number, a number above CORE_LIST_MAX - 1, or a descending range. */
bool core_list_parse(struct core_list *l, const char *text);

/* Returns whether the core is in the list; of `types`, each core may be. */
bool core_list_has(const struct core_list *l, unsigned core);

/* Returns how many of the cores 0 .. count - 1 are in the list; an upper bound if it is `types`. */
unsigned core_list_count(const struct core_list *l, unsigned count);

/* Returns how many of these cores rows of several cores run on: with `types` all. */
unsigned core_list_meet(const struct core_list *l, unsigned count);

/* Writes the listed cores from `count` on, as ranges: "8,10-12"; false: no cores are left. */
bool core_list_beyond(const struct core_list *l, unsigned count, struct sink *out);

#endif
