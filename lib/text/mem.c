#include "lib/text/mem.h"

#include <stdint.h>

/* gcc and clang replace loops that copy, fill or measure by calls of memcpy, memset and strlen:
 * here, by calls of themselves. They do not recognise a loop whose value passes through this. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *at = to;

    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(n) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    /* Unsigned: also true if `to` is before `from`, and then upwards is right. */
    if ((uintptr_t)to - (uintptr_t)from >= n)
        return memcpy(to, from, n);
    /* Downwards by hand: with `std; rep movsb`, an NMI could find the direction flag set. */
    unsigned char *out = to;
    const unsigned char *in = from;
    while (n-- > 0) {
        OPAQUE(n);
        out[n] = in[n];
    }
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    void *at = to;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(byte) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < n; i++) {
        OPAQUE(i);
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n] != '\0') {
        n++;
        OPAQUE(n);
    }
    return n;
}
