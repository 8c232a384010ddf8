#include "lib/network/base64.h"

#include <stdint.h>

bool base64_encode(char *text, size_t size, const char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    if ((n + 2) / 3 * 4 >= size) {
        text[0] = '\0';
        return false;
    }
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = 0;

        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (i + j < n ? (uint8_t)bytes[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            *text++ = i + j <= n ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    *text = '\0';
    return true;
}
