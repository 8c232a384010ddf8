/*
 * The states in which a cache line can be when an instruction flushes it: in no cache, or as it was
 * read or written, in a cache of this core or of another one; and how much other memory must be
 * read to move it from one cache to the next. Pure; integers only.
 */
#ifndef LIB_MEMORY_LINE_STATE_H
#define LIB_MEMORY_LINE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/caches.h"

enum line_state {
    LINE_ABSENT,
    LINE_CLEAN_L1,
    LINE_CLEAN_L2,
    LINE_CLEAN_L3,
    LINE_DIRTY_L1,
    LINE_DIRTY_L2,
    LINE_DIRTY_L3,
    LINE_HELD_CLEAN, /* another core has read it */
    LINE_HELD_DIRTY, /* another core has written it */
    LINE_STATES
};
#define LINE_STATES_ALONE LINE_HELD_CLEAN /* states that a core makes without another one */

extern const char *const line_state_names[LINE_STATES]; /* "absent", "clean L1" */

/* Returns whether the line is written in this state. */
bool line_state_is_dirty(enum line_state s);

/*
 * Sets *bytes to the bytes of other memory that are read after the line to move it to this state's
 * cache: twice the size of the cache for data above that one, 0 for L1 and for an absent line.
 * False: CPUID lists no such cache.
 */
bool line_state_evicts(enum line_state s, const struct cache *cache, unsigned caches,
                       uint64_t *bytes);

#endif
