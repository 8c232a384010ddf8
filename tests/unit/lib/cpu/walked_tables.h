/* Page tables, walked as the CPU walks them. */
#ifndef TESTS_WALKED_TABLES_H
#define TESTS_WALKED_TABLES_H

#include "lib/cpu/pagetable.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"

#define KIB4 0x1000ull
#define MIB  0x100000ull
#define MIB2 0x200000ull
#define GIB  0x40000000ull

#define NX        (1ull << 63)
#define POOL_PHYS 0x123456000ull

struct page {
    bool present, write, exec, pat, pcd, pwt;
    uint64_t phys, size;
};

static uint64_t entry_of(const struct pagetable *t, uint64_t table, unsigned index)
{
    assert_true(table >= t->pool_phys && table < t->pool_phys + t->used * KIB4);
    uint64_t entry;
    memcpy(&entry, t->pool + (table - t->pool_phys) + index * 8, 8);
    return entry;
}

/* SDM vol. 3A section 4.5, from CR3 down; what is reserved must be clear. */
static struct page walk(const struct pagetable *t, uint64_t virt)
{
    uint64_t table = t->pool_phys;
    struct page page = {.write = true, .exec = true};

    for (unsigned level = t->levels; level > 0; level--) {
        unsigned shift = 12 + 9 * (level - 1);
        uint64_t entry = entry_of(t, table, virt >> shift & 511);
        if (!(entry & 1)) {
            assert_true(entry == 0);
            return (struct page){0};
        }
        assert_true((entry & 1 << 5) != 0); /* accessed */
        assert_true((entry & 1 << 2) == 0); /* supervisor */
        assert_true(t->nx || !(entry & NX));
        page.write = page.write && entry & 2;
        page.exec = page.exec && !(entry & NX);
        bool large = entry & 1 << 7;
        if (level > 1 && !large) {
            assert_true((entry & 0x18) == 0); /* tables are read write-back */
            table = entry & 0xffffffffff000;
            continue;
        }
        assert_true(level <= 2 || (level == 3 && t->page_1g));
        assert_true((entry & 1 << 6) != 0); /* dirty */
        page.present = true;
        page.size = 1ull << shift;
        page.pat = entry & (level > 1 ? 1 << 12 : 1 << 7);
        page.pcd = entry & 1 << 4;
        page.pwt = entry & 1 << 3;
        uint64_t base = entry & 0xffffffffff000 & ~(level > 1 ? KIB4 : 0);
        assert_true(base % page.size == 0);
        page.phys = base + virt % page.size;
        return page;
    }
    fail();
    return page;
}

static void assert_page(const struct pagetable *t, uint64_t virt, uint64_t phys, unsigned rights)
{
    struct page p = walk(t, virt);
    bool uc = rights & PAGE_UC;

    assert_true(p.present);
    assert_int_equal(p.phys, phys);
    assert_int_equal(p.write, (rights & PAGE_WRITE) != 0);
    assert_int_equal(p.exec, (rights & PAGE_EXEC) != 0 || !t->nx);
    assert_true(p.pcd == uc && p.pwt == uc);
    assert_int_equal(p.pat, (rights & PAGE_WC) != 0 && !uc);
}

static inline void assert_nothing(const struct pagetable *t, uint64_t virt)
{
    assert_false(walk(t, virt).present);
}

static inline unsigned tables_under(const struct pagetable *t, uint64_t table, unsigned level)
{
    unsigned tables = 1;

    for (unsigned i = 0; level > 1 && i < 512; i++) {
        uint64_t entry = entry_of(t, table, i);
        if (entry & 1 && !(entry & 1 << 7))
            tables += tables_under(t, entry & 0xffffffffff000, level - 1);
    }
    return tables;
}

/* Every page of the pool is a table in use or a spare one: nothing is lost. */
static inline void assert_no_page_lost(const struct pagetable *t)
{
    unsigned spare = 0;

    for (uint64_t at = t->spare; at != 0; spare++) {
        assert_true(at < t->used && spare < t->used);
        memcpy(&at, t->pool + at * KIB4, 8);
        assert_true((at & 0xfff) == 0); /* never looks present */
        at >>= 12;
    }
    assert_int_equal(tables_under(t, t->pool_phys, t->levels) + spare, t->used);
}

static inline struct pagetable make(unsigned pages, unsigned levels, bool page_1g, bool nx,
                                    const struct mtrr *mtrr)
{
    struct pagetable t;
    void *pool = aligned_alloc(KIB4, pages * KIB4);

    memset(pool, 0xa5, pages * KIB4);
    pagetable_init(&t, pool, POOL_PHYS, pages, levels, page_1g, nx, mtrr);
    return t;
}

static inline void drop(struct pagetable *t)
{
    assert_no_page_lost(t);
    free(t->pool);
}

#endif
