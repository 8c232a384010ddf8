/*
 * The representation of figures that may be missing:
 * - a double is UNKNOWN (NaN), tested with is_known(), which is false for infinities too;
 * - a frequency, or ticks per core cycle, is 0 (bench/result/facts.h, run_has_hz and _ruler);
 * - a struct that may be missing as a whole has a flag `known`.
 */
#ifndef LIB_STATS_KNOWN_H
#define LIB_STATS_KNOWN_H

#include <stdbool.h>

#define UNKNOWN __builtin_nan("")

static inline bool is_known(double v)
{
    return v - v == 0;
}

#endif
