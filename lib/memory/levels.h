/*
 * Finds the levels of a curve over sizes, and compares them with the caches that CPUID reports. A
 * level is a range of sizes with nearly one value: the working set fits into one cache. Where the
 * value rises, the cache is full. Pure; uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_MEMORY_LEVELS_H
#define LIB_MEMORY_LEVELS_H

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
    int cache;         /* the cache of CPUID that ends where it ends; -1: no cache does */
};

/* Values of one level differ by at most this factor, and it spans at least this factor of sizes. */
#define LEVEL_FLAT 1.15
#define LEVEL_SPAN 2
/* Two adjacent levels whose values differ by less than this factor are one. */
#define LEVEL_STEP 1.20
/* A curve falls if a value is lower than that of a smaller size by more than this factor, and by
 * more than both intervals. */
#define LEVEL_FALL 1.15

/*
 * Finds the levels of n points, which are ascending in bytes; points without a value are skipped.
 * Takes the longest range of sizes with nearly one value (LEVEL_FLAT), then the longest of the rest
 * on either side, and so on; then joins adjacent ones (LEVEL_STEP). Returns their number, in
 * ascending order of size; cache is -1.
 */
size_t levels_find(const struct level_point *point, size_t n, struct level level[LEVELS_MOST]);

/* Returns whether the curve falls somewhere: a larger working set cannot be faster to reach, so
 * that something else was measured too. *at gets the size with the lower value. */
bool levels_fall(const struct level_point *point, size_t n, uint64_t *at);

/*
 * Sets `cache` of each level to the index of the data or unified cache whose size is nearest to the
 * end of the level, if the level ends between half and one and a half times that size. A cache
 * belongs to at most one level. The level that the curve ends in has no cache.
 */
void levels_match(struct level *level, size_t n, const struct cache *cache, unsigned caches);

#endif
