/* CRC-32 of IEEE 802.3, zlib and PNG: polynomial 0x04c11db7, reflected, inverted at both ends. */
#ifndef LIB_TEXT_CRC32_H
#define LIB_TEXT_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Extends `crc`, 0 for no bytes, by n more bytes. "123456789" gives cbf43926. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t n);

#endif
