/* Physical memory as the decoders of firmware's tables see it. */
#ifndef LIB_FIRMWARE_PHYSMEM_H
#define LIB_FIRMWARE_PHYSMEM_H

#include <stddef.h>
#include <stdint.h>

/* `at` gives a pointer to n readable bytes at a physical address, or NULL where there is none. */
struct physmem {
    const void *(*at)(void *ctx, uint64_t address, size_t n);
    void *ctx;
};

#endif
