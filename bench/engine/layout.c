#include "bench/engine/layout.h"
#include "bench/engine/context.h"

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

/* --- parts ------------------------------------------------------------------------------------ */

/* The functions that compute memory sizes run before SSE is enabled. They must not fill a struct,
 * because compilers use SSE for that. */

size_t parts_windows(const struct options *o, uint32_t samples)
{
    uint32_t least = o->layout == LAYOUT_SWEEP ? LAYOUT_MAX * ENGINE_BLOCK : 0;

    return samples < least ? least : samples;
}

unsigned parts_count(const struct options *o, uint32_t samples, unsigned rounds)
{
    unsigned placements = layout_count(o, samples);
    size_t worth = parts_windows(o, samples) / (PARTS_LEAST_BLOCKS * ENGINE_BLOCK);

    if (worth < rounds)
        rounds = (unsigned)worth;
    return placements < rounds ? rounds : placements;
}

unsigned parts_rounds(const struct options *o, uint32_t samples, unsigned rounds)
{
    unsigned count = parts_count(o, samples, rounds);

    return count < rounds ? count : rounds;
}

size_t parts_windows_most(const struct options *o, uint32_t samples, unsigned rounds)
{
    return parts_windows(o, samples) / parts_count(o, samples, rounds) + 1;
}

size_t parts_blocks_most(const struct options *o, uint32_t samples, unsigned rounds)
{
    return parts_windows_most(o, samples, rounds) / ENGINE_BLOCK + PARTS_LEAST_BLOCKS;
}

size_t parts_blocks(const struct options *o, uint32_t samples, unsigned rounds)
{
    return parts_windows(o, samples) / ENGINE_BLOCK +
           PARTS_LEAST_BLOCKS * (size_t)parts_count(o, samples, rounds);
}

void parts_of(struct parts *parts, const struct options *o, uint32_t samples, unsigned rounds)
{
    parts->windows = parts_windows(o, samples);
    parts->placements = layout_count(o, samples);
    parts->rounds = parts_rounds(o, samples, rounds);
    parts->count = parts_count(o, samples, rounds);
}

struct part_place parts_at(const struct parts *parts, unsigned i)
{
    size_t from = parts->windows * i / parts->count;
    struct part_place p = {
        .placement = i * parts->placements / parts->count,
        .round = i * parts->rounds / parts->count,
        .windows = parts->windows * (i + 1) / parts->count - from,
    };

    p.blocks = p.windows / ENGINE_BLOCK & ~(size_t)1;
    if (p.blocks < PARTS_LEAST_BLOCKS)
        p.blocks = PARTS_LEAST_BLOCKS;
    return p;
}

unsigned parts_first(const struct parts *parts, unsigned round)
{
    return (round * parts->count + parts->rounds - 1) / parts->rounds;
}
