#include "hosted/stores/counts.h"
#include <stdlib.h>
#include <string.h>

#define SLOTS 1024 /* initially; a power of 2. At most half of them are used. */

/* FNV-1a over the key's words. */
static size_t hash(const void *key, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325u;
    uint32_t word;

    for (size_t i = 0; i < bytes; i += sizeof word) {
        memcpy(&word, (const uint8_t *)key + i, sizeof word);
        h = (h ^ word) * 0x100000001b3u;
    }
    return (size_t)(h ^ h >> 32);
}

static uint32_t *slot_of(const struct hash_table *t, const void *key, size_t bytes)
{
    size_t i = hash(key, bytes) & (t->slots - 1);

    while (t->slot[i] && memcmp(t->entry[t->slot[i] - 1], key, bytes) != 0)
        i = (i + 1) & (t->slots - 1);
    return &t->slot[i];
}

static bool grow(struct hash_table *t, size_t bytes)
{
    size_t slots = t->slots ? 2 * t->slots : SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    void **entry = realloc(t->entry, slots / 2 * sizeof *entry);

    t->entry = entry ? entry : t->entry;
    if (!slot || !entry) {
        free(slot);
        return false;
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    for (uint32_t i = 0; i < t->entries; i++)
        *slot_of(t, t->entry[i], bytes) = i + 1;
    return true;
}

uint32_t hash_table_find(const struct hash_table *t, const void *key, size_t bytes)
{
    return t->slots ? *slot_of(t, key, bytes) : 0;
}

uint32_t hash_table_get(struct hash_table *t, const void *key, size_t bytes, size_t size)
{
    if (2 * (size_t)t->entries >= t->slots && !grow(t, bytes))
        return 0;
    uint32_t *slot = slot_of(t, key, bytes);
    if (*slot)
        return *slot;
    void *entry = calloc(1, size);
    if (!entry)
        return 0;
    memcpy(entry, key, bytes);
    t->entry[t->entries++] = entry;
    return *slot = t->entries;
}

void hash_table_close(struct hash_table *t)
{
    for (uint32_t i = 0; i < t->entries; i++)
        free(t->entry[i]);
    free(t->entry);
    free(t->slot);
    *t = (struct hash_table){0};
}
