#include "lib/decimal/concise.h"

#include <stdint.h>
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"

#define DECIMALS 3
#define ROUNDING 1e-9 /* of a unit: what binary fractions differ from decimal ones */

static double size_of(double v)
{
    return v < 0 ? -v : v;
}

static double rounded(double v, double unit)
{
    double scaled = v / unit;

    return (double)(int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5)) * unit;
}

/* Returns the error of the rounded value in units, rounded up. */
static uint64_t units_of(double value, double error, double unit)
{
    double moved = size_of(value - rounded(value, unit));
    double units = (error + moved) / unit - ROUNDING;
    uint64_t whole = units > 0 ? (uint64_t)units : 0;

    return (double)whole < units ? whole + 1 : whole;
}

void concise(struct sink *out, double value, double error)
{
    int decimals = DECIMALS;
    double unit = 0.001;

    if (error - error != 0) { /* true only for NaN and the infinities */
        num_short(out, value, DECIMALS);
        fmt(out, "(?)");
        return;
    }
    for (; decimals > 0 &&
           (size_of(value) >= 1000 * unit || units_of(value, error, unit) > CONCISE_MOST);
         decimals--)
        unit *= 10;
    num_f64(out, rounded(value, unit), decimals, 0);
    uint64_t units = units_of(value, error, unit);
    if (units > CONCISE_MOST)
        fmt(out, "(%llu)", (unsigned long long)units);
    else if (units > CONCISE_UNITS)
        fmt(out, "%c", (char)('a' + (units - 1)));
}
