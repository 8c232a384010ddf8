/* Physical memory for the decoders of firmware tables. */
#ifndef LIB_FIRMWARE_PHYSMEM_H
#define LIB_FIRMWARE_PHYSMEM_H

#include <stddef.h>
#include <stdint.h>

/* `at` returns a pointer to n readable bytes at a physical address, or NULL if they are not
 * readable. */
struct physmem {
    const void *(*at)(void *ctx, uint64_t address, size_t n);
    void *ctx;
};

#endif
