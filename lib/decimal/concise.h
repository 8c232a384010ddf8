/*
 * A figure with its uncertainty in the concise notation of metrology (GUM, section 7.2.2, and
 * ISO/IEC Guide 98-3): "0.257(4)" is 0.257 +- 0.004. Uses SSE, like the whole room.
 */
#ifndef LIB_DECIMAL_CONCISE_H
#define LIB_DECIMAL_CONCISE_H

#include "lib/text/sink.h"

/*
 * Writes three significant digits of `value`, at most three of them after the point, and fewer if
 * `error` exceeds CONCISE_MOST units of the last one. In parentheses is the error in these units,
 * rounded up, so that value +- error contains the original interval. An error of up to
 * CONCISE_UNITS units, as most are, is not written. An unknown error (NaN) is "(?)"; the value then
 * has no trailing zeros.
 */
#define CONCISE_UNITS 2
#define CONCISE_MOST  6
void concise(struct sink *out, double value, double error);

#endif
