#include "bench/kinds/forward_walk.h"
#include "lib/text/mem.h"

#define LINE    64
#define IN_PAGE 1024 /* a line of the page, with room before and after it */
#define CHECKED 64   /* operations */

/* Returns the offset of a store in its line. Loads begin up to load_bytes before it, and end up to
 * load_bytes after it. */
static unsigned in_line(unsigned store, unsigned load)
{
    unsigned at = load > store ? load : store; /* aligned to its own size */

    return at + store + load <= LINE ? at : 0;
}

/* Writes a value of which no two bytes are equal. */
static void first_value(uint8_t value[FORWARD_MOST])
{
    for (unsigned i = 0; i < FORWARD_MOST; i++)
        value[i] = (uint8_t)(0x91 + 3 * i);
}

void forward_place_build(struct forward_place *p, unsigned s, unsigned l, int offset, uint8_t *at)
{
    *p = (struct forward_place){forward_walks[s][l], 1u << s, 1u << l, NULL, NULL};
    p->store = at + IN_PAGE + in_line(p->store_bytes, p->load_bytes);
    p->load = p->store + offset;
    for (unsigned i = 0; i < FORWARD_BYTES; i++)
        at[i] = (uint8_t)(i * 7 + 5);
}

/* Computes what operations leave, on a copy of the memory around the store. */
static void expected(const struct forward_place *p, unsigned operations, uint8_t *around,
                     uint8_t value[FORWARD_MOST])
{
    uint8_t *store = around + FORWARD_MOST;

    first_value(value);
    memcpy(around, p->store - FORWARD_MOST, 3 * FORWARD_MOST);
    for (unsigned i = 0; i < operations; i++) {
        memcpy(store, value, p->store_bytes);
        memset(value, 0, FORWARD_MOST);
        memcpy(value, store + (p->load - p->store), p->load_bytes);
    }
}

uint64_t forward_place_check(const struct forward_place *p)
{
    uint8_t want[FORWARD_MOST], around[3 * FORWARD_MOST], value[FORWARD_MOST];

    expected(p, CHECKED, around, want);
    first_value(value);
    (void)p->walk(p->store, p->load, CHECKED / FORWARD_UNROLL, value);
    return memcmp(value, want, p->load_bytes) == 0 &&
                   memcmp(p->store - FORWARD_MOST, around, sizeof around) == 0
               ? CHECKED
               : 0;
}

uint64_t forward_place_time(const struct forward_place *p, uint64_t operations)
{
    uint8_t value[FORWARD_MOST];

    first_value(value);
    return p->walk(p->store, p->load, operations / FORWARD_UNROLL, value);
}
