/* Writes a double as a member of a report's record. Uses SSE, like the whole room. */
#ifndef LIB_DECIMAL_JSON_F64_H
#define LIB_DECIMAL_JSON_F64_H

#include "lib/text/json.h"

/* Writes at most `decimals` (0..9), without trailing zeros. A NaN or infinity is an unknown value:
 * the member is omitted (in an array: null). */
void json_f64(struct json *j, const char *name, double v, int decimals);

#endif
