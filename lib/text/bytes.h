/* Little-endian numbers in bytes, with any alignment, and checksums. */
#ifndef LIB_TEXT_BYTES_H
#define LIB_TEXT_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t le16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t le32(const uint8_t *at)
{
    return le16(at) | (uint32_t)le16(at + 2) << 16;
}

static inline uint64_t le64(const uint8_t *at)
{
    return le32(at) | (uint64_t)le32(at + 4) << 32;
}

/* Sum of n bytes modulo 256: zero over each of the firmware's tables. */
static inline uint8_t byte_sum(const uint8_t *at, uint32_t n)
{
    uint8_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + at[i]);
    return sum;
}

/* CRC-32 of IEEE 802.3, zlib and PNG: polynomial 0x04c11db7, reflected, inverted at both ends. */

/* Extends `crc`, 0 for no bytes, by n more bytes. "123456789" gives cbf43926. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t n);

#endif
