/*
 * Store forwarding: a load that follows a store, by the sizes of both and by the load's offset from
 * the store. Which bytes they have in common, and whether the time of the load shows that it got
 * them from the store.
 */
#ifndef LIB_MEMORY_FORWARD_H
#define LIB_MEMORY_FORWARD_H

#include <stddef.h>
#include <stdint.h>

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
