/*
 * Figures that may be missing, in one way for each kind:
 * - a double is UNKNOWN (NaN), asked for by is_known(), which infinite ones are not either;
 * - a frequency, or ticks a core cycle, is 0 (bench/model/facts.h, run_has_hz and _ruler);
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
