#include "lib/cpu/pagetable.h"
#include <stddef.h>

/* Entry bits, SDM vol. 3A tables 4-14 to 4-20. */
#define PRESENT   (1ull << 0)
#define WRITABLE  (1ull << 1)
#define PWT       (1ull << 3)
#define PCD       (1ull << 4)
#define ACCESSED  (1ull << 5)
#define DIRTY     (1ull << 6)
#define LARGE     (1ull << 7)  /* in levels 2 and 3 */
#define PAT_4K    (1ull << 7)  /* in level 1 */
#define PAT_LARGE (1ull << 12) /* in levels 2 and 3, where LARGE is set */
#define NO_EXEC   (1ull << 63)
#define ADDRESS   0x000ffffffffff000ull

#define ENTRIES   512
#define PAGE      0x1000ull
#define PHYS_END  (1ull << 52) /* SDM vol. 3A section 4.1.4: MAXPHYADDR is at most 52 */
#define LARGEST   3            /* level of 1 GiB pages */
#define TABLE_LEN (ENTRIES * sizeof(uint64_t))

/* The list of spare tables is linked through their first entries, which must not look present to a
 * CPU that still caches the table. */
#define SPARE_SHIFT 12

/* Bytes that one entry of a table of this level covers; level 1 is the page table. */
static uint64_t reach(unsigned level)
{
    return PAGE << 9 * (level - 1);
}

static unsigned index_at(uint64_t virt, unsigned level)
{
    return virt / reach(level) % ENTRIES;
}

static uint64_t *table_at(const struct pagetable *t, unsigned page)
{
    return (uint64_t *)(void *)(t->pool + page * TABLE_LEN);
}

static unsigned page_of(const struct pagetable *t, uint64_t entry)
{
    return (unsigned)(((entry & ADDRESS) - t->pool_phys) / TABLE_LEN);
}

static bool is_table(uint64_t entry, unsigned level)
{
    return (entry & PRESENT) && level > 1 && !(entry & LARGE);
}

/* Returns the index of a cleared page of the pool; 0: used up. */
static unsigned take_page(struct pagetable *t)
{
    unsigned page = t->spare;

    if (page)
        t->spare = (unsigned)(table_at(t, page)[0] >> SPARE_SHIFT);
    else if (t->used < t->pages)
        page = t->used++;
    else
        return 0;
    uint64_t *table = table_at(t, page);
    for (unsigned i = 0; i < ENTRIES; i++)
        table[i] = 0;
    return page;
}

static void give_page(struct pagetable *t, unsigned page)
{
    table_at(t, page)[0] = (uint64_t)t->spare << SPARE_SHIFT;
    t->spare = page;
}

/* Gives back the table that an entry of level 2 or 3 points to, and the tables below it. */
static void give_tables(struct pagetable *t, uint64_t entry, unsigned level)
{
    if (!is_table(entry, level))
        return;
    const uint64_t *below = table_at(t, page_of(t, entry));
    for (unsigned i = 0; i < ENTRIES; i++)
        if (is_table(below[i], level - 1))
            give_page(t, page_of(t, below[i]));
    give_page(t, page_of(t, entry));
}

static uint64_t leaf(const struct pagetable *t, uint64_t phys, unsigned rights, unsigned level)
{
    uint64_t entry = phys | PRESENT | ACCESSED | DIRTY;

    if (level > 1)
        entry |= LARGE;
    if (rights & PAGE_WRITE)
        entry |= WRITABLE;
    if (!(rights & PAGE_EXEC) && t->nx)
        entry |= NO_EXEC;
    if (rights & PAGE_UC)
        entry |= PCD | PWT;
    else if (rights & PAGE_WC)
        entry |= level > 1 ? PAT_LARGE : PAT_4K;
    return entry;
}

/* Fills a table whose pages together equal the large page. */
static void fill_split(uint64_t *table, uint64_t large, unsigned level)
{
    uint64_t base = large & ADDRESS & ~PAT_LARGE, flags = large & ~ADDRESS;

    if (level > 2)
        flags |= large & PAT_LARGE;
    else
        flags = (flags & ~LARGE) | (large & PAT_LARGE ? PAT_4K : 0);
    for (unsigned i = 0; i < ENTRIES; i++)
        table[i] = (base + i * reach(level - 1)) | flags;
}

/* Returns the table that an entry of this level points to; makes it, or splits a large page. NULL:
 * the pool is used up. */
static uint64_t *table_below(struct pagetable *t, uint64_t *entry, unsigned level)
{
    if (!is_table(*entry, level)) {
        unsigned page = take_page(t);
        if (page == 0)
            return NULL;
        if (*entry & PRESENT)
            fill_split(table_at(t, page), *entry, level);
        /* All rights: the last level decides. The table is complete before anything points to
         * it. */
        __atomic_store_n(entry, (t->pool_phys + page * TABLE_LEN) | PRESENT | WRITABLE | ACCESSED,
                         __ATOMIC_RELEASE);
    }
    return table_at(t, page_of(t, *entry));
}

/* Walks down to the entry for virt in a table of this level, making tables on the way. */
static uint64_t *entry_at(struct pagetable *t, uint64_t virt, unsigned level)
{
    uint64_t *table = table_at(t, 0);

    for (unsigned at = t->levels; at > level; at--) {
        table = table_below(t, &table[index_at(virt, at)], at);
        if (!table)
            return NULL;
    }
    return &table[index_at(virt, level)];
}

/* Writes an entry and gives back the tables that it pointed to. */
static void set_entry(struct pagetable *t, uint64_t *entry, unsigned level, uint64_t value)
{
    uint64_t old = *entry;

    __atomic_store_n(entry, value, __ATOMIC_RELEASE);
    give_tables(t, old, level);
}

/* Returns whether [virt, virt + size) lies in one half of the canonical addresses. */
static bool is_reached(const struct pagetable *t, uint64_t virt, uint64_t size)
{
    uint64_t half = reach(t->levels + 1) / 2, last = virt + size - 1;

    return last >= virt && (last < half || virt >= -half);
}

void pagetable_init(struct pagetable *t, void *pool, uint64_t pool_phys, unsigned pages,
                    unsigned levels, bool page_1g, bool nx, const struct mtrr *mtrr)
{
    *t = (struct pagetable){
        .pool = pool,
        .pool_phys = pool_phys,
        .pages = pages,
        .levels = levels,
        .page_1g = page_1g,
        .nx = nx,
        .mtrr = mtrr,
    };
    take_page(t); /* the root, page 0 */
}

bool pagetable_fork(struct pagetable *t, const struct pagetable *from, void *pool,
                    uint64_t pool_phys, unsigned pages, uint64_t virt)
{
    const uint64_t *shared = table_at(from, 0);
    uint64_t *own;

    pagetable_init(t, pool, pool_phys, pages, from->levels, from->page_1g, from->nx, from->mtrr);
    own = table_at(t, 0);
    for (unsigned level = from->levels;; level--) {
        for (unsigned i = 0; i < ENTRIES; i++)
            own[i] = shared ? shared[i] : 0;
        uint64_t *entry = &own[index_at(virt, level)];
        uint64_t was = *entry;
        *entry = 0;
        if (level == 4)
            return true;
        shared = is_table(was, level) ? table_at(from, page_of(from, was)) : NULL;
        own = table_below(t, entry, level);
        if (!own)
            return false;
    }
}

/* Returns the level of the largest page with which a mapping can begin at virt. */
static unsigned level_for(const struct pagetable *t, uint64_t virt, uint64_t phys, uint64_t left)
{
    for (unsigned level = t->page_1g ? LARGEST : LARGEST - 1; level > 1; level--) {
        uint64_t size = reach(level);
        if (left >= size && (virt | phys) % size == 0 &&
            (!t->mtrr || mtrr_uniform(t->mtrr, phys, size)))
            return level;
    }
    return 1;
}

bool pagetable_map(struct pagetable *t, uint64_t virt, uint64_t phys, uint64_t size,
                   unsigned rights)
{
    if (size == 0)
        return true;
    if ((virt | phys | size) % PAGE || !is_reached(t, virt, size) || phys >= PHYS_END ||
        size > PHYS_END - phys)
        return false;
    for (uint64_t done = 0, page; done < size; done += page) {
        unsigned level = level_for(t, virt + done, phys + done, size - done);
        page = reach(level);
        uint64_t *entry = entry_at(t, virt + done, level);
        if (!entry)
            return false;
        set_entry(t, entry, level, leaf(t, phys + done, rights, level));
    }
    return true;
}

/* Walks down as far as there are tables, or to an entry that [virt, virt + whole) covers
 * completely; *level gets its level. */
static uint64_t *descend(const struct pagetable *t, uint64_t virt, uint64_t whole, unsigned *level)
{
    uint64_t *table = table_at(t, 0);

    for (unsigned at = t->levels;; at--) {
        uint64_t *entry = &table[index_at(virt, at)];
        bool covered = at <= LARGEST && virt % reach(at) == 0 && whole >= reach(at);
        if (covered || !is_table(*entry, at)) {
            *level = at;
            return entry;
        }
        table = table_at(t, page_of(t, *entry));
    }
}

bool pagetable_unmap(struct pagetable *t, uint64_t virt, uint64_t size)
{
    if (size == 0)
        return true;
    if ((virt | size) % PAGE || !is_reached(t, virt, size))
        return false;
    for (uint64_t done = 0; done < size;) {
        uint64_t at = virt + done, left = size - done;
        unsigned level;
        uint64_t *entry = descend(t, at, left, &level);
        uint64_t until_next = reach(level) - at % reach(level);
        if (*entry & PRESENT) {
            if (until_next < reach(level) || left < reach(level)) {
                /* A part of a large page: split it and look again. */
                if (!table_below(t, entry, level))
                    return false;
                continue;
            }
            set_entry(t, entry, level, 0);
        }
        done += until_next < left ? until_next : left;
    }
    return true;
}

static uint64_t tables_for(uint64_t bytes, unsigned level)
{
    return (bytes + reach(level + 1) - 1) / reach(level + 1);
}

unsigned pagetable_need(uint64_t top, bool page_1g, unsigned extra)
{
    /* Places where a large page may need a split: the variable ranges (aligned to their size, so
     * both ends of one lie in the same page or at page ends), TOM2, the fixed ranges (all below 1
     * MiB) and the end of the map. */
    const uint64_t splits = MTRR_VARIABLE_MAX + 3;
    /* An extra range has two ends; at each, one table of each of the four levels below a fifth. */
    const uint64_t per_extra = 2 * 4;

    uint64_t pds = tables_for(top, 2);
    if (page_1g && pds > splits)
        pds = splits;
    return (unsigned)(1 + tables_for(top, 4) + tables_for(top, 3) + pds + splits +
                      per_extra * extra);
}

bool pagetable_is_identity(uint64_t cr3, unsigned levels, uint64_t at)
{
    uint64_t entry = cr3;
    unsigned level = levels + 1;

    do {
        level--;
        entry = ((const uint64_t *)(entry & ADDRESS))[index_at(at, level)];
        if (!(entry & PRESENT) || !(entry & WRITABLE))
            return false;
    } while (is_table(entry, level));
    return (entry & ADDRESS) / reach(level) == at / reach(level);
}
