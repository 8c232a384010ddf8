#include "lib/text/fmt.h"

#include <limits.h>
#include <stdint.h>
#include "lib/text/mem.h"

enum length { LENGTH_INT, LENGTH_HH, LENGTH_H, LENGTH_L, LENGTH_LL, LENGTH_Z };

/* One conversion: %[flags][width][.precision][length]kind */
struct spec {
    bool left, zero;
    int width;
    int precision; /* negative: none */
    enum length length;
    char kind;
};

static void pad(struct sink *out, const char *with16, int n)
{
    for (; n > 0; n -= 16)
        out->write(out, with16, n < 16 ? (size_t)n : 16);
}

static void put(struct sink *out, const char *text, size_t n, const struct spec *s)
{
    int missing = n < (size_t)s->width ? s->width - (int)n : 0;

    if (!s->left)
        pad(out, "                ", missing);
    out->write(out, text, n);
    if (s->left)
        pad(out, "                ", missing);
}

static void put_number(struct sink *out, uint64_t v, const char *sign, const struct spec *s)
{
    char text[24]; /* a sign of two bytes ("0x") and 20 digits (2^64 - 1 in decimal) */
    const char *digits = s->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = s->kind == 'd' || s->kind == 'i' || s->kind == 'u' ? 10 : 16;
    size_t at = sizeof text, n_sign = strlen(sign);

    do {
        text[--at] = digits[v % base];
        v /= base;
    } while (v != 0);

    if (s->zero && !s->left) {
        out->write(out, sign, n_sign);
        size_t n = sizeof text - at + n_sign;
        pad(out, "0000000000000000", n < (size_t)s->width ? s->width - (int)n : 0);
        out->write(out, text + at, sizeof text - at);
        return;
    }
    at -= n_sign;
    memcpy(text + at, sign, n_sign);
    put(out, text + at, sizeof text - at, s);
}

static void put_string(struct sink *out, const char *text, const struct spec *s)
{
    if (text == NULL)
        text = "(null)";
    /* Not strlen: with a precision the string need not be terminated. */
    size_t n = 0;
    while ((s->precision < 0 || n < (size_t)s->precision) && text[n] != '\0')
        n++;
    put(out, text, n, s);
}

/* Reads a run of digits; saturates, so that no width overflows. */
static int digits_at(const char **f)
{
    int v = 0;

    for (; **f >= '0' && **f <= '9'; (*f)++)
        v = v > (INT_MAX - 9) / 10 ? INT_MAX : v * 10 + (**f - '0');
    return v;
}

static enum length length_at(const char **f)
{
    static const struct {
        char text[3];
        enum length length;
    } known[] = {
        {"hh", LENGTH_HH}, {"h", LENGTH_H}, {"ll", LENGTH_LL}, {"l", LENGTH_L}, {"z", LENGTH_Z},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t n = strlen(known[i].text);
        if ((*f)[0] == known[i].text[0] && (n == 1 || (*f)[1] == known[i].text[1])) {
            *f += n;
            return known[i].length;
        }
    }
    return LENGTH_INT;
}

static const char *spec_at(const char *f, struct spec *s, struct fmt_args *args)
{
    *s = (struct spec){.precision = -1};
    for (;; f++) {
        if (*f == '-')
            s->left = true;
        else if (*f == '0')
            s->zero = true;
        else
            break;
    }
    if (*f == '*') {
        f++;
        s->width = va_arg(args->list, int);
        if (s->width < 0) { /* C11 7.21.6.1: a negative width means the flag `-` */
            s->left = true;
            s->width = s->width == INT_MIN ? INT_MAX : -s->width;
        }
    } else {
        s->width = digits_at(&f);
    }
    if (*f == '.') {
        f++;
        if (*f == '*') {
            f++;
            s->precision = va_arg(args->list, int);
        } else {
            s->precision = digits_at(&f);
        }
    }
    s->length = length_at(&f);
    s->kind = *f;
    return *f != '\0' ? f + 1 : f;
}

static int64_t take_signed(struct fmt_args *args, enum length length)
{
    switch (length) {
    case LENGTH_HH:
        return (signed char)va_arg(args->list, int);
    case LENGTH_H:
        return (short)va_arg(args->list, int);
    case LENGTH_L:
        return va_arg(args->list, long);
    case LENGTH_LL:
        return va_arg(args->list, long long);
    case LENGTH_Z:
        return (ptrdiff_t)va_arg(args->list, size_t);
    case LENGTH_INT:
        break;
    }
    return va_arg(args->list, int);
}

static uint64_t take_unsigned(struct fmt_args *args, enum length length)
{
    switch (length) {
    case LENGTH_HH:
        return (unsigned char)va_arg(args->list, unsigned);
    case LENGTH_H:
        return (unsigned short)va_arg(args->list, unsigned);
    case LENGTH_L:
        return va_arg(args->list, unsigned long);
    case LENGTH_LL:
        return va_arg(args->list, unsigned long long);
    case LENGTH_Z:
        return va_arg(args->list, size_t);
    case LENGTH_INT:
        break;
    }
    return va_arg(args->list, unsigned);
}

/* Returns false for an unknown conversion. */
static bool convert(struct sink *out, const struct spec *s, struct fmt_args *args)
{
    bool plain = s->length == LENGTH_INT, number = s->precision < 0;

    switch (s->kind) {
    case 'd':
    case 'i':
        if (!number)
            return false;
        int64_t v = take_signed(args, s->length);
        put_number(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0 ? "-" : "", s);
        return true;
    case 'u':
    case 'x':
    case 'X':
        if (!number)
            return false;
        put_number(out, take_unsigned(args, s->length), "", s);
        return true;
    case 'p':
        if (!number || !plain)
            return false;
        put_number(out, (uintptr_t)va_arg(args->list, void *), "0x", s);
        return true;
    case 'c':
        if (!number || !plain)
            return false;
        put(out, &(char){(char)va_arg(args->list, int)}, 1, s);
        return true;
    case 's':
        if (!plain)
            return false;
        put_string(out, va_arg(args->list, const char *), s);
        return true;
    default:
        return false;
    }
}

void fmt_list(struct sink *out, const char *format, va_list list, fmt_more *more)
{
    struct fmt_args args;

    va_copy(args.list, list);
    while (*format != '\0') {
        const char *f = format;
        while (*f != '\0' && *f != '%')
            f++;
        if (f > format)
            out->write(out, format, (size_t)(f - format));
        format = f;
        if (*f == '\0')
            break;
        if (f[1] == '%') {
            out->write(out, "%", 1);
            format = f + 2;
            continue;
        }
        struct spec s;
        const char *after = spec_at(f + 1, &s, &args);
        if (!convert(out, &s, &args) &&
            !(more && more(out, s.kind, s.left ? -s.width : s.width, s.precision, &args))) {
            /* From here on the arguments cannot be assigned to conversions. */
            out->write(out, format, strlen(format));
            break;
        }
        format = after;
    }
    va_end(args.list);
}

void fmt(struct sink *out, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fmt_list(out, format, list, NULL);
    va_end(list);
}

size_t fmt_buf(char *at, size_t size, const char *format, ...)
{
    struct sink_buf b;

    sink_buf_init(&b, at, size);
    va_list list;
    va_start(list, format);
    fmt_list(&b.sink, format, list, NULL);
    va_end(list);
    return b.used;
}
