/*
 * A histogram that samples are added to as they come, in bounded memory: a bin for each different
 * value while there is room, then bins that are wider and wider, in powers of two. What is said of
 * the samples is exact as long as each value has its own bin; then quantiles and MAD are low by
 * less than a bin's width, and min, max, mean and sd still exact. Uses SSE: not for boot/ or trap
 * handlers.
 */
#ifndef LIB_STATS_HISTOGRAM_H
#define LIB_STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>
#include "lib/stats/moments.h"
#include "lib/stats/stats.h"

struct histogram {
    struct bin *bin; /* ascending by value, a multiple of the width: what is less than a width above
                        it is counted there */
    size_t cap, used;
    uint64_t width; /* a power of two; 1: every value has its own bin */
    uint64_t min, max;
    struct moments all;
};

/* Empty, with room for cap >= 2 bins. */
void histogram_init(struct histogram *h, struct bin *bin, size_t cap);

/* n ascending samples. */
void histogram_add(struct histogram *h, const uint64_t *sorted, size_t n);

/* What lib/stats/stats.h says of the same samples, sorted: the same to the last digit where the
 * width is 1. Nothing added: all zero. */
struct summary histogram_summary(const struct histogram *h);

/*
 * The bins, ascending by value. Where there are more than `cap`, the cap fullest are kept (ties:
 * the smaller value first) and the count of all the other samples goes to *rest. Returns the number
 * of bins.
 */
size_t histogram_fullest(const struct histogram *h, struct bin *bins, size_t cap, uint64_t *rest);

#endif
