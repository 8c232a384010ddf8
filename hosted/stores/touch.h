/* One access of an instruction to one stretch of memory. */
#ifndef HOSTED_STORES_TOUCH_H
#define HOSTED_STORES_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#define TOUCH_BYTES 128 /* maximum bytes of one stretch: FNSAVE has 108 */

struct touch {
    uint64_t at;
    uint32_t size;    /* 1 .. TOUCH_BYTES */
    bool load, store; /* both: loaded first, then stored to */
    uint64_t lanes;   /* bit i: byte i is touched; a stretch above 64 bytes is touched as a whole */
};

#define TOUCH_ALL (~0ull)

static inline bool touch_has(const struct touch *t, uint32_t byte)
{
    return byte >= 64 || (t->lanes >> byte & 1);
}

/* Returns the number of touched bytes. */
static inline uint32_t touch_count(const struct touch *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->size; i++)
        n += touch_has(t, i);
    return n;
}

#endif
