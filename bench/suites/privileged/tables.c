#include "bench/suites/privileged/tables.h"
#include <stdbool.h>
#include <stddef.h>

#define CR4_LA57 (1ull << 12) /* SDM vol. 3A section 2.5 */
#define ENTRIES  (TABLES_PAGE / sizeof(uint64_t))

unsigned tables_levels(uint64_t cr4)
{
    return cr4 & CR4_LA57 ? 5 : 4;
}

static uint64_t *table_at(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & TABLES_FRAME);
}

static size_t index_of(uint64_t at, unsigned level)
{
    return at >> (3 + 9 * level) & (ENTRIES - 1);
}

static bool is_page(uint64_t entry, unsigned level)
{
    return level == 1 || (level < 4 && entry & TABLES_LARGE);
}

uint64_t tables_physical(uint64_t cr3, unsigned levels, const void *at)
{
    uint64_t virtual = (uint64_t)(uintptr_t)at, entry = cr3;
    unsigned level = levels;

    for (;; level--) {
        entry = table_at(entry)[index_of(virtual, level)];
        if (is_page(entry, level))
            break;
    }
    uint64_t offset = ((uint64_t)TABLES_PAGE << 9 * (level - 1)) - 1;
    return (entry & TABLES_FRAME & ~offset) | (virtual & offset);
}

static uint64_t *page_of(const struct tables_copy *t, unsigned i)
{
    return t->pages + i * ENTRIES;
}

static uint64_t *copy(struct tables_copy *t, const uint64_t *table)
{
    uint64_t *to = page_of(t, t->used++);

    for (size_t i = 0; i < ENTRIES; i++)
        to[i] = table[i];
    return to;
}

void tables_copy(struct tables_copy *t, uint64_t cr3, unsigned levels, void *pages)
{
    *t = (struct tables_copy){.pages = pages, .levels = levels};
    for (unsigned i = 0; i < TABLES_COPIES; i++)
        t->physical[i] = tables_physical(cr3, levels, page_of(t, i));
    copy(t, table_at(cr3));
}

/* Returns the copy of the table that the entry names, and lets the entry name it. NULL: no page is
 * left. */
static uint64_t *copied(struct tables_copy *t, uint64_t *entry)
{
    for (unsigned i = 0; i < t->used; i++)
        if (t->physical[i] == (*entry & TABLES_FRAME))
            return page_of(t, i);
    if (t->used == TABLES_COPIES)
        return NULL;
    uint64_t physical = t->physical[t->used], *to = copy(t, table_at(*entry));
    *entry = (*entry & ~TABLES_FRAME) | physical;
    return to;
}

uint64_t *tables_entry(struct tables_copy *t, uint64_t at, uint64_t rights)
{
    uint64_t *table = t->pages;

    for (unsigned level = t->levels; table; level--) {
        uint64_t *entry = &table[index_of(at, level)];
        *entry |= rights;
        if (is_page(*entry, level))
            return entry;
        table = copied(t, entry);
    }
    return NULL;
}
