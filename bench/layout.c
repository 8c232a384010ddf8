#include "bench/layout.h"

#define LINE_BYTES 64

const char *const layout_part_names[LAYOUT_PARTS] = {"code", "stack", "data"};

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014, figure 16). */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

unsigned layout_count(const struct options *o)
{
    if (o->layout == LAYOUT_FIXED)
        return 1;
    if (o->layout == LAYOUT_SWEEP)
        return LAYOUT_MAX;
    unsigned worth = o->samples / LAYOUT_WINDOWS;
    return worth < 1 ? 1 : worth > LAYOUT_SHUFFLED ? LAYOUT_SHUFFLED : worth;
}

static struct placement swept(unsigned i)
{
    struct placement p = {0};
    uint32_t offset = i % LAYOUT_OFFSETS;
    switch (i / LAYOUT_OFFSETS) {
    case LAYOUT_CODE:
        p.code = offset;
        break;
    case LAYOUT_STACK: /* over the whole of a page: stores and loads 4 KiB apart can collide */
        p.stack = offset * LINE_BYTES;
        break;
    default: /* over two lines by words of 8 bytes: what straddles, and what does not */
        p.data = offset * 8;
    }
    return p;
}

struct placement layout_at(const struct options *o, unsigned i)
{
    if (o->layout == LAYOUT_FIXED)
        return (struct placement){0};
    if (o->layout == LAYOUT_SWEEP)
        return swept(i);
    uint64_t state = (uint64_t)o->seed << 32 | i;
    uint64_t draw = split_mix(&state);
    return (struct placement){
        .line = draw & 63,
        .code = draw >> 6 & 63,
        .stack = (draw >> 12 & 255) * 16,
        .data = (draw >> 20 & 511) * 8,
    };
}
