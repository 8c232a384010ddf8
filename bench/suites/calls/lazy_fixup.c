/*
 * The look-up of lazy binding, compiled like a dynamic linker: with general registers only
 * (Makefile), since arguments may be in other registers.
 */
#include "bench/suites/calls/lazy.h"

static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (uint8_t)*name;
    return h;
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;

    return *a == *b;
}

/* Returns whether the name passes the object's filter: two bits of one word. */
static bool may_have(const struct lazy_map *map, uint32_t hash)
{
    uint64_t word = map->bloom[hash / 64 & map->words_mask];

    return (word >> hash % 64 & 1) && (word >> (hash >> map->shift) % 64 & 1);
}

static const struct lazy_symbol *find(const struct lazy_map *map, const char *name, uint32_t hash)
{
    uint32_t i = map->bucket[hash % map->buckets];

    if (!i)
        return NULL;
    for (;; i++) {
        uint32_t chain = map->chain[i];
        if ((chain ^ hash) <= 1 && same(map->strings + map->symbol[i].name, name))
            return &map->symbol[i];
        if (chain & 1)
            return NULL;
    }
}

uint64_t calls_lazy_fixup_c(const struct lazy_map *map, uint32_t slot)
{
    const struct lazy_rela *r = &map->slot[slot];
    const char *name = map->strings + map->symbol[r->symbol].name;
    uint64_t *to = (uint64_t *)(uintptr_t)(map->base + r->offset);
    uint32_t hash = hash_of(name);

    calls_lazy_bound++;
    for (; map; map = map->next) {
        const struct lazy_symbol *found = may_have(map, hash) ? find(map, name, hash) : NULL;
        if (found)
            return *to = map->base + found->value;
    }
    __builtin_trap();
}
