/* A double as a member of a report's record. Uses SSE, as all of this room. */
#ifndef LIB_DECIMAL_JSON_F64_H
#define LIB_DECIMAL_JSON_F64_H

#include "lib/text/json.h"

/* `decimals` (0..9) at most, trailing zeros dropped. A NaN or infinity is a value that is not
 * known: the member is left out (inside an array: null). */
void json_f64(struct json *j, const char *name, double v, int decimals);

#endif
