#include "lib/object/gnu_hash.h"
#include <stdbool.h>
#include "lib/text/mem.h"

#define HEADER 16 /* bytes */

uint32_t gnu_hash_name(const char *name)
{
    uint32_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (uint8_t)*name;
    return h;
}

/* Returns the largest of these that is at most the number of symbols, but at least 2. */
static uint32_t buckets_for(uint32_t symbols)
{
    static const uint32_t sizes[] = {2, 3, 17, 37, 67, 97, 131, 197, 263, 521};
    uint32_t i = 0;

    while (i + 1 < sizeof sizes / sizeof *sizes && sizes[i + 1] <= symbols)
        i++;
    return sizes[i];
}

/* The filter has 2^shift bits: 5 to 11 for each symbol, at least one word. */
static uint32_t shift_for(uint32_t symbols)
{
    uint32_t log2 = 31 - (uint32_t)__builtin_clz(symbols);
    bool upper_half = log2 > 0 && (symbols >> (log2 - 1) & 1); /* at least 1.5 times 2^log2 */
    uint32_t shift = log2 + (upper_half ? 4 : 3);

    return shift < 6 ? 6 : shift;
}

static struct gnu_hash sizes_for(uint32_t symbols)
{
    uint32_t shift = shift_for(symbols);

    struct gnu_hash h = {
        .buckets = buckets_for(symbols), .words = 1u << (shift - 6), .shift = shift};

    h.bytes = HEADER + h.words * sizeof *h.bloom + (h.buckets + symbols) * sizeof *h.bucket;
    return h;
}

static void put(struct gnu_hash *h, uint32_t at, uint32_t hash, bool last)
{
    uint32_t bucket = hash % h->buckets;

    h->bloom[hash / 64 % h->words] |= 1ull << hash % 64 | 1ull << (hash >> h->shift) % 64;
    if (!h->bucket[bucket])
        h->bucket[bucket] = h->first + at;
    h->chain[at] = last ? hash | 1 : hash & ~1u;
}

struct gnu_hash gnu_hash_build(uint64_t *section, size_t room, uint32_t first,
                               const char *const names[], uint32_t count, uint32_t order[])
{
    struct gnu_hash h = sizes_for(count);
    uint32_t at = 0;

    if (h.bytes > room)
        return h;
    memset(section, 0, h.bytes);
    h.first = first;
    h.bloom = section + HEADER / sizeof *section;
    h.bucket = (uint32_t *)(h.bloom + h.words);
    h.chain = h.bucket + h.buckets;
    memcpy(section, (const uint32_t[]){h.buckets, h.first, h.words, h.shift}, HEADER);
    for (uint32_t bucket = 0; bucket < h.buckets; bucket++) {
        uint32_t begin = at;
        for (uint32_t i = 0; i < count; i++)
            if (gnu_hash_name(names[i]) % h.buckets == bucket)
                order[at++] = i;
        for (uint32_t i = begin; i < at; i++)
            put(&h, i, gnu_hash_name(names[order[i]]), i + 1 == at);
    }
    return h;
}
