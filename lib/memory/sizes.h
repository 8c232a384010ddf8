/*
 * The sizes at which a curve is measured, and how often each. First a grid of two sizes per
 * octave, later more where neighbours differ. The number of measurements follows from the time
 * that one takes at each size and from the time that there is. Pure; uses SSE: not for boot/ or
 * trap handlers.
 */
#ifndef LIB_MEMORY_SIZES_H
#define LIB_MEMORY_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIZES_MOST     64            /* of a curve */
#define SIZES_FIRST    4096u         /* bytes: the smallest */
#define SIZES_UNIT     1024u         /* every size is a multiple: a stride divides it */
#define SIZES_BEYOND   4             /* the largest is this many times the last-level cache */
#define SIZES_NO_CACHE (32ull << 20) /* bytes of the last-level cache if CPUID reports none */

/* Returns the bytes up to which a curve goes. largest: of the caches for data (caches_largest());
 * 0: CPUID reports none. */
static inline uint64_t sizes_wanted(uint64_t largest)
{
    return SIZES_BEYOND * (largest ? largest : SIZES_NO_CACHE);
}

/* Writes `first`, twice that, 4 times that ... up to `most` bytes, ascending, if `dense` also those
 * half-way between. Returns their number, at most SIZES_MOST; 0 if `most` is below the
 * smallest. */
size_t sizes_grid(uint64_t first, uint64_t most, bool dense, uint64_t size[SIZES_MOST]);

/* Neighbours whose values differ by more than this factor get a size between them. */
#define SIZES_BEND 1.12

/*
 * Inserts a size half-way between two neighbours if their values differ by more than SIZES_BEND,
 * beginning with those that differ most, and if it is a multiple of `unit`. A value that is not
 * known is no reason for one. size[] has n entries and room for SIZES_MOST; value[] has n. Returns
 * the new number.
 */
size_t sizes_refine(uint64_t size[SIZES_MOST], const double *value, size_t n, uint64_t unit);

/* How often each size is measured. */
struct sizes_plan {
    size_t n;                    /* sizes that are measured: the smallest n of them */
    unsigned rounds;             /* passes over the sizes, ... */
    unsigned visits[SIZES_MOST]; /* ... and the measurements of each in a pass, at least one */
    double seconds;              /* for all of it */
};

/*
 * Plans at most `rounds` passes with at most `visits` measurements per size, so that all of them
 * take at most `budget` seconds. cost[i]: seconds of one measurement at size i. To save time, the
 * most expensive sizes are measured less often first; then there are fewer passes, down to two (one
 * if `rounds` is 1); at last the largest sizes are left out, except the smallest two.
 */
struct sizes_plan sizes_plan(const double *cost, size_t n, unsigned rounds, unsigned visits,
                             double budget);

#endif
