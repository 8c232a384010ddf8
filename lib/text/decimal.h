/* Doubles as text and as members of a record, without libm. Uses SSE, unlike the rest of the
 * room. */
#ifndef LIB_TEXT_DECIMAL_H
#define LIB_TEXT_DECIMAL_H

#include "lib/text/sink.h"
#include "lib/text/json.h"

/*
 * Writes v with exactly `decimals` (0..9) digits after the point, rounded from v's exact value,
 * half away from zero; a result of zero has no sign. Right aligned in `width` columns (0: no
 * padding; negative: left aligned). |v| >= 1e18 is written as d.ddde+NN; NaN and infinities as
 * "nan", "inf", "-inf" (json_f64 never passes these).
 */
void num_f64(struct sink *out, double v, int decimals, int width);

/* fmt() with %f too, which num_f64() writes: with a precision (number or *), and a width. */
void num_fmt(struct sink *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same as num_f64() without zeros at the end of a fraction, and without padding. */
void num_short(struct sink *out, double v, int decimals);

/*
 * A figure with its uncertainty in few characters: "0.257d" is 0.257 +- 0.004, because d is the
 * fourth letter, and "1234(56)" is 1234 +- 56, as in the concise notation of metrology (GUM,
 * section 7.2.2).
 */

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

/* Writes a double as a member of a report's record. */

/* Writes at most `decimals` (0..9), without trailing zeros. A NaN or infinity is an unknown value:
 * the member is omitted (in an array: null). */
void json_f64(struct json *j, const char *name, double v, int decimals);
/* Writes an array of these as an element of an array. */
void json_f64s(struct json *j, const double v[], unsigned n, int decimals);

/* Returns the number of decimals that a figure needs whose interval is `width` wide: the interval
 * has at least JSON_WIDTH units of the last one. `most`: if that is not enough, or the width is not
 * known. Rounding then moves an end of the interval by 1/40 of it at most. */
#define JSON_WIDTH 20
int json_decimals(double width, int most);

#endif
