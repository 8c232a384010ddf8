#include "bench/place/layout.h"

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014, figure 16).
 */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

unsigned layout_count(const struct options *o, uint32_t samples)
{
    if (o->layout == LAYOUT_FIXED || o->method != METHOD_DOUBLED)
        return 1;
    if (o->layout == LAYOUT_SWEEP)
        return LAYOUT_MAX;
    unsigned worth = samples / LAYOUT_WINDOWS;
    return worth < 1 ? 1 : worth > LAYOUT_SHUFFLED ? LAYOUT_SHUFFLED : worth;
}

static struct placement swept(unsigned i)
{
    unsigned part = i / LAYOUT_OFFSETS;
    uint32_t bytes = i % LAYOUT_OFFSETS * layout_part_step[part];

    return (struct placement){
        .code = part == LAYOUT_CODE ? bytes : 0,
        .stack = part == LAYOUT_STACK ? bytes : 0,
        .data = part == LAYOUT_DATA ? bytes : 0,
    };
}

struct placement layout_at(const struct options *o, unsigned i)
{
    if (o->layout == LAYOUT_FIXED || o->method != METHOD_DOUBLED)
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
