/*
 * A figure with its uncertainty in few characters: "0.257d" is 0.257 +- 0.004, because d is the
 * fourth letter, and "1234(56)" is 1234 +- 56, as in the concise notation of metrology (GUM,
 * section 7.2.2).
 */
#ifndef LIB_DECIMAL_CONCISE_H
#define LIB_DECIMAL_CONCISE_H

#include "lib/text/sink.h"

/*
 * Writes three significant digits of `value`, at most three of them after the point, and fewer if
 * `error` exceeds CONCISE_MOST units of the last one. Then comes the error in these units, rounded
 * up, so that value +- error contains the original interval: as a letter, or in parentheses if it
 * exceeds CONCISE_MOST. An error of up to CONCISE_UNITS units, as most are, is not written. An
 * unknown error (NaN) is "(?)"; the value then has no trailing zeros.
 */
#define CONCISE_UNITS 2
#define CONCISE_MOST  6
void concise(struct sink *out, double value, double error);

#endif
