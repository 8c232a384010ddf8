/*
 * Finds the levels of a curve over sizes, and compares them with the caches that CPUID reports. A
 * level is a range of sizes with nearly one value: the working set fits into one cache. Where the
 * value rises, the cache is full.
 */
#ifndef LIB_CURVE_LEVELS_H
#define LIB_CURVE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/cpu/caches.h"

#define LEVELS_MOST 8

/* One size of a curve. */
struct level_point {
    uint64_t bytes;
    double value;  /* UNKNOWN: not measured */
    double lo, hi; /* its interval; UNKNOWN: not known */
};

struct level {
    double value;      /* the median over its points */
    uint64_t from, to; /* the smallest and the largest size, bytes */
    uint64_t beyond;   /* the next size, at which the value is higher; 0: the curve ends */
    uint64_t half_way; /* the next size at which the curve is half-way to the next level: half of
                        * the accesses miss, so the cache ends between `to` and this size. Without
                        * a next level `beyond`; 0: the curve ends, or climbs too slowly */
    int cache;         /* of CPUID, whose data the level is; -1: not known */
    bool early;        /* the level ends before this cache: others use the rest */
};

/* Values of one level differ by at most this factor, and it spans at least this factor of sizes. */
#define LEVEL_FLAT 1.20
#define LEVEL_SPAN 2
/* Two adjacent levels whose values differ by less than this factor are one. */
#define LEVEL_STEP 1.25
/* A curve that needs more than this factor of sizes to climb half-way to the next level may hide a
 * level between the two: where the first one ends is not known then. */
#define LEVEL_CLIMB 4
/* A curve falls if a value is lower than that of a smaller size by more than this factor, and by
 * more than both intervals. If some of its points have an interval, those without one are too
 * uncertain for this. */
#define LEVEL_FALL 1.15

/*
 * Finds the levels of n points, which are ascending in bytes; points without a value are skipped.
 * Takes the longest range of sizes with nearly one value (LEVEL_FLAT), then the longest of the rest
 * on either side, and so on; then joins adjacent ones (LEVEL_STEP), and finds where each one ends.
 * Matches them with the caches, see levels_match(). Returns their number, in ascending order of
 * size.
 */
size_t levels_find(const struct level_point *point, size_t n, const struct cache *cache,
                   unsigned caches, struct level level[LEVELS_MOST]);

/* Returns whether the curve falls somewhere: a larger working set cannot be faster to reach, so
 * that something else was measured too. *at gets the smallest size with a lower value. */
bool levels_fall(const struct level_point *point, size_t n, uint64_t *at);

/* A load of a cache takes less than this share of one of the next level. Above it, most loads of
 * the range go to that level already: others hold most of the cache. */
#define LEVEL_HITS 0.5

/* A cache may end at this factor outside of the sizes between which a level ends: some of its sets
 * overflow before it is full, and sizes are measured in steps. */
#define LEVEL_MATCH 1.5

/*
 * Sets `cache` of each level, -1 before, to the index of the data or unified cache that ends where
 * it ends, between `to` and `half_way` (LEVEL_MATCH); of several the one nearest to the middle. A
 * cache belongs to at most one level. The level that the curve ends in has no cache.
 *
 * Then the level after that of a cache gets the next larger cache, if no level ends at that one, in
 * two cases. It has no clear end, and lies within the cache. Or it is the last but one, and ends
 * before the last-level cache, which it gets with `early`. Its value must be below LEVEL_HITS of
 * the next level's. The last level may be memory.
 */
void levels_match(struct level *level, size_t n, const struct cache *cache, unsigned caches);

#endif
