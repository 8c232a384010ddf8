/* The median of a few figures. Uses SSE: not for boot/ or trap handlers. */
#ifndef LIB_STATS_MEDIAN_H
#define LIB_STATS_MEDIAN_H

#include <stddef.h>

/* Of n >= 1 figures, which it sorts, in n^2 steps; the mean of the middle two where n is even. */
double median(double *x, size_t n);

#endif
