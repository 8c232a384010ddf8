/* A machine's physical memory for tests: one block that begins at address `base`, and nothing
 * else. */
#ifndef TESTS_IMAGE_H
#define TESTS_IMAGE_H

#include <stdint.h>
#include <string.h>
#include "lib/text/bytes.h"
#include "lib/firmware/acpi.h"

struct image {
    uint8_t *bytes;
    size_t n;
    uint64_t base;
};

static inline const void *image_at(void *ctx, uint64_t address, size_t n)
{
    const struct image *m = ctx;

    if (address < m->base || address - m->base > m->n || n > m->n - (address - m->base))
        return NULL;
    return m->bytes + (address - m->base);
}

static inline void put_le(uint8_t *at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

/* Sets at[checksum] so that the n bytes sum up to zero. */
static inline void fix_sum(uint8_t *at, uint32_t n, uint32_t checksum)
{
    at[checksum] = (uint8_t)(at[checksum] - byte_sum(at, n));
}

#endif
