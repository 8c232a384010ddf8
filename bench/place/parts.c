#include "bench/place/parts.h"
#include "bench/context/context.h"

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
