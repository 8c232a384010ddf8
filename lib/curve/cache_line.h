/*
 * The states in which a cache line can be when an instruction flushes it: in no cache, or as it was
 * read or written, in a cache of this core or of another one; and how much other memory must be
 * read to move it from one cache to the next. Pure; integers only.
 */
#ifndef LIB_CURVE_CACHE_LINE_H
#define LIB_CURVE_CACHE_LINE_H

#include <stdbool.h>
#include <stddef.h>
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

/*
 * Store forwarding: a load that follows a store, by the sizes of both and by the load's offset from
 * the store. Which bytes they have in common, and whether the time of the load shows that it got
 * them from the store.
 */
#define FORWARD_SIZES 7 /* 1, 2, 4 ... 64 bytes */
#define FORWARD_MOST  64
#define FORWARD_CELLS (2 * FORWARD_MOST + 1) /* most offsets of one store and load */
/* Cells of all pairs of sizes: the sum of store + load + 1. */
#define FORWARD_ALL (2 * FORWARD_SIZES * (2 * FORWARD_MOST - 1) + FORWARD_SIZES * FORWARD_SIZES)

/* Offsets are consecutive: from the load that ends where the store begins, to the load that begins
 * where the store ends. */
static inline unsigned forward_cells(unsigned store, unsigned load)
{
    return store + load + 1;
}

static inline int forward_offset(unsigned load, unsigned cell)
{
    return (int)cell - (int)load;
}

/* The source of a load's bytes. The letters are those of the report. */
enum forward_how {
    FORWARD_APART = '-',     /* no byte is of the store */
    FORWARD_PARTIAL = 'p',   /* some bytes are */
    FORWARD_INSIDE = 'c',    /* all bytes are; not judged whether they were forwarded */
    FORWARD_FORWARDED = 'f', /* all bytes are, and come from the store */
    FORWARD_NOT = 'n',       /* all bytes are, and the load waits as one does that gets a part */
};

/* Returns FORWARD_APART, FORWARD_PARTIAL or FORWARD_INSIDE. */
enum forward_how forward_overlap(unsigned store, unsigned load, int offset);

/* A load that gets all bytes from the store is forwarded if it takes less than this part of the
 * time of a load that gets some bytes from the store. */
#define FORWARD_WAITS 0.75

/*
 * Sets how[] of the cells of a store and a load from their times; UNKNOWN: no figure. waits: the
 * time of a load that gets some of its bytes from the store, used if no load of this size does.
 * UNKNOWN: not judged then.
 */
void forward_judge(unsigned store, unsigned load, const double *time, double waits, char *how);

#endif
