/* Writes a double as a member of a report's record. */
#ifndef LIB_DECIMAL_JSON_F64_H
#define LIB_DECIMAL_JSON_F64_H

#include "lib/text/json.h"

/* Writes at most `decimals` (0..9), without trailing zeros. A NaN or infinity is an unknown value:
 * the member is omitted (in an array: null). */
void json_f64(struct json *j, const char *name, double v, int decimals);

/* Returns the number of decimals that a figure needs whose interval is `width` wide: the interval
 * has at least JSON_WIDTH units of the last one. `most`: if that is not enough, or the width is not
 * known. Rounding then moves an end of the interval by 1/40 of it at most. */
#define JSON_WIDTH 20
int json_decimals(double width, int most);

#endif
