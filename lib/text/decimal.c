#include "lib/text/decimal.h"
#include <stdbool.h>
#include <stdint.h>
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define DECIMALS_MAX 9
#define FIXED_BELOW  1e18 /* below this, the whole part is exact in 64 bits */

static const uint32_t power10[DECIMALS_MAX + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
};

/*
 * round(fraction * 10^decimals), half upwards, for 0 <= fraction < 1. Exact: the fraction is
 * m / 2^shift with m < 2^53, and m * 10^9 < 2^83. IEEE 754 binary64: 52 bits of mantissa, exponent
 * bias 1023.
 */
static uint32_t scaled(double fraction, int decimals)
{
    union {
        double value;
        uint64_t bits;
    } u = {fraction};
    int exponent = (int)(u.bits >> 52 & 0x7ff); /* 0 also for zeros of either sign */
    uint64_t m = (u.bits & ((1ull << 52) - 1)) | 1ull << 52;
    int shift = 1023 + 52 - exponent;
    if (shift >
        96) /* below 2^-43: less than half a unit of the ninth decimal (also zero, subnormals) */
        return 0;
    unsigned __int128 product = (unsigned __int128)m * power10[decimals];
    product += (unsigned __int128)1 << (shift - 1);
    return (uint32_t)(product >> shift);
}

static void fixed(char *text, size_t size, double v, bool negative, int decimals)
{
    uint64_t whole = (uint64_t)v;
    uint32_t part = scaled(v - (double)whole, decimals);

    if (part == power10[decimals]) {
        part = 0;
        whole++;
    }
    const char *sign = negative && (whole != 0 || part != 0) ? "-" : "";
    unsigned long long w = whole;
    if (decimals == 0)
        fmt_buf(text, size, "%s%llu", sign, w);
    else
        fmt_buf(text, size, "%s%llu.%0*u", sign, w, decimals, part);
}

/* Writes d.ddde+NN; the error of the divisions, about 1e-14, is far below the shown digits. */
static void scientific(char *text, size_t size, double v, bool negative)
{
    int exponent = 0;

    for (; v >= 1e16; exponent += 16)
        v /= 1e16;
    for (; v >= 10; exponent++)
        v /= 10;
    uint32_t digits = (uint32_t)(v * 1000 + 0.5);
    if (digits == 10000) {
        digits = 1000;
        exponent++;
    }
    fmt_buf(text, size, "%s%u.%03ue+%02d", negative ? "-" : "", digits / 1000, digits % 1000,
            exponent);
}

void num_f64(struct sink *out, double v, int decimals, int width)
{
    char text[40]; /* a sign, 18 digits, a point, 9 digits */
    bool negative = v < 0;

    if (decimals < 0)
        decimals = 0;
    if (decimals > DECIMALS_MAX)
        decimals = DECIMALS_MAX;
    if (negative)
        v = -v;
    if (v != v)
        fmt_buf(text, sizeof text, "nan");
    else if (v - v != 0) /* infinity */
        fmt_buf(text, sizeof text, negative ? "-inf" : "inf");
    else if (v < FIXED_BELOW)
        fixed(text, sizeof text, v, negative, decimals);
    else
        scientific(text, sizeof text, v, negative);
    fmt(out, "%*s", width, text);
}

void num_short(struct sink *out, double v, int decimals)
{
    char text[40]; /* a sign, 18 digits, a point, 9 digits */
    struct sink_buf b;

    sink_buf_init(&b, text, sizeof text);
    num_f64(&b.sink, v, decimals, 0);
    if (str_has(text, ".") && !str_has(text, "e")) {
        while (text[b.used - 1] == '0')
            b.used--;
        if (text[b.used - 1] == '.')
            b.used--;
    }
    out->write(out, text, b.used);
}

static bool put_f64(struct sink *out, char kind, int width, int precision, struct fmt_args *args)
{
    if (kind != 'f' || precision < 0)
        return false;
    num_f64(out, va_arg(args->list, double), precision, width);
    return true;
}

void num_fmt(struct sink *out, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fmt_list(out, format, list, put_f64);
    va_end(list);
}

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

void json_f64s(struct json *j, const double v[], unsigned n, int decimals)
{
    json_array(j, NULL);
    for (unsigned i = 0; i < n; i++)
        json_f64(j, NULL, v[i], decimals);
    json_close(j);
}

int json_decimals(double width, int most)
{
    int decimals = 0;

    /* A NaN is not at least anything. */
    for (double units = width; decimals < most && !(units >= JSON_WIDTH); units *= 10)
        decimals++;
    return decimals;
}
