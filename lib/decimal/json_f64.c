#include "lib/decimal/json_f64.h"

#include "lib/decimal/num.h"
#include "lib/text/str.h"

void json_f64(struct json *j, const char *name, double v, int decimals)
{
    char text[40]; /* a sign, 18 digits, a point, 9 digits */
    struct sink_buf b;

    if (v - v != 0) { /* true only for NaN and the infinities */
        json_unknown(j);
        return;
    }
    sink_buf_init(&b, text, sizeof text);
    num_short(&b.sink, v, decimals);
    json_member(j, name, str_has(text, ".") || str_has(text, "e") ? JSON_FRACTION : JSON_INTEGER);
    json_raw(j, text, b.used);
}

int json_decimals(double width, int most)
{
    int decimals = 0;

    /* A NaN is not at least anything. */
    for (double units = width; decimals < most && !(units >= JSON_WIDTH); units *= 10)
        decimals++;
    return decimals;
}
