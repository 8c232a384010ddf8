/*
 * A streaming histogram in bounded memory: one bin for each different value while there is room,
 * then bins of increasing width, in powers of two. While each value has its own bin, all statistics
 * are exact; afterwards quantiles and MAD are low by less than a bin's width, and min, max, mean
 * and sd are still exact.
 */
#ifndef LIB_STATS_HISTOGRAM_H
#define LIB_STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>
#include "lib/stats/stats.h"

struct histogram {
    struct bin *bin; /* ascending by value, a multiple of the width: a bin counts the samples in
                      * [value, value + width) */
    size_t cap, used;
    uint64_t width; /* a power of two; 1: every value has its own bin */
    uint64_t min, max;
    struct moments all;
};

/* Makes the histogram empty, with room for cap >= 2 bins. */
static inline void histogram_init(struct histogram *h, struct bin *bin, size_t cap)
{
    *h = (struct histogram){.bin = bin, .cap = cap, .width = 1};
}

/* Adds n ascending samples. */
void histogram_add(struct histogram *h, const uint64_t *sorted, size_t n);

/* Returns what lib/stats/stats.h computes for the same samples, sorted: identical to the last digit
 * if the width is 1. All zero if nothing was added. */
struct statistics histogram_stats(const struct histogram *h);

/*
 * Copies the bins, ascending by value. If there are more than `cap`, it keeps the cap fullest
 * (ties: the smaller value first), and *rest gets the count of all other samples. Returns the
 * number of bins.
 */
size_t histogram_fullest(const struct histogram *h, struct bin *bins, size_t cap, uint64_t *rest);

#endif
