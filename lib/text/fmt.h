/*
 * Formatted text for a freestanding program: the integer part of printf. fmt.c is compiled for
 * general registers only, so boot/ and trap handlers may call it before SSE is enabled; therefore
 * doubles have their own function in decimal.h.
 */
#ifndef LIB_TEXT_FMT_H
#define LIB_TEXT_FMT_H

#include <stdarg.h>
#include "lib/text/sink.h"

/*
 * Writes `format` to the sink. Known: %% %c %s %d %i %u %x %X %p with flags `-` and `0`, a width
 * (number or *), a precision for %s (number or *), and the lengths hh h l ll z. No positional
 * arguments, no %n, no floating point. A NULL %s prints "(null)", %p is 0x and the digits needed.
 * From an unknown conversion on, the format itself is printed, so that the mistake is visible.
 */
void fmt(struct sink *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For conversions that fmt() does not know, or NULL. Reads the arguments of one from args->list
 * and writes it. width below 0: left aligned; precision below 0: not given. False: unknown here
 * too. */
struct fmt_args {
    va_list list; /* may be an array type; in a struct, several functions can read from one */
};
typedef bool fmt_more(struct sink *out, char kind, int width, int precision, struct fmt_args *args);
void fmt_list(struct sink *out, const char *format, va_list list, fmt_more *more)
    __attribute__((format(printf, 2, 0)));

/* The same into a buffer of `size` bytes (always terminated); returns the number of bytes. */
size_t fmt_buf(char *at, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
