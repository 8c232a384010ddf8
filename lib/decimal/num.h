/* Doubles as text, without libm. */
#ifndef LIB_DECIMAL_NUM_H
#define LIB_DECIMAL_NUM_H

#include "lib/text/sink.h"

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

#endif
