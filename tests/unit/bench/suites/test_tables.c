/* Copies of page tables in which some pages have other rights; this host's memory is mapped at its
 * own addresses in them. */
#include "bench/suites/privileged/tables.h"
#include "lib/cpu/pagetable.h"
#include "tests/unit/cmocka_unit.h"

#define POOL       64
#define PAGE       4096ull
#define LARGE      (2ull << 20)
#define SMALL_AT   0x100000000000ull /* pages of 4 KiB; then large ones, 1 GiB further */
#define LARGE_AT   (SMALL_AT + (1ull << 30))
#define SMALL_PHYS (7 * LARGE + PAGE)
#define LARGE_PHYS (9 * LARGE)

struct made {
    struct pagetable tables;
    void *pool, *copies;
    struct tables_copy copy;
};

static struct made make(unsigned levels)
{
    struct made m = {.pool = aligned_alloc(PAGE, POOL * PAGE),
                     .copies = aligned_alloc(PAGE, TABLES_COPIES * PAGE)};
    uint64_t copies = (uint64_t)(uintptr_t)m.copies;

    assert_true(m.pool && m.copies);
    pagetable_init(&m.tables, m.pool, (uint64_t)(uintptr_t)m.pool, POOL, levels, false, true, NULL);
    assert_true(pagetable_map(&m.tables, copies, copies, TABLES_COPIES * PAGE, PAGE_WRITE));
    assert_true(pagetable_map(&m.tables, SMALL_AT, SMALL_PHYS, 8 * PAGE, PAGE_WRITE));
    assert_true(pagetable_map(&m.tables, LARGE_AT, LARGE_PHYS, 2 * LARGE, PAGE_WRITE));
    tables_copy(&m.copy, m.tables.pool_phys, levels, m.copies);
    return m;
}

static void drop(struct made *m)
{
    free(m->pool);
    free(m->copies);
}

static uint64_t physical(uint64_t root, unsigned levels, uint64_t at)
{
    return tables_physical(root, levels, (const void *)(uintptr_t)at);
}

static uint64_t root_of(const struct made *m)
{
    return m->copy.physical[0];
}

TEST(a_copy_translates_as_the_tables_do)
{
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct made m = make(levels);
        static const struct {
            uint64_t at, physical;
        } cases[] = {{SMALL_AT, SMALL_PHYS},
                     {SMALL_AT + 7 * PAGE + 5, SMALL_PHYS + 7 * PAGE + 5},
                     {LARGE_AT, LARGE_PHYS},
                     {LARGE_AT + 2 * LARGE - 1, LARGE_PHYS + 2 * LARGE - 1}};
        EACH_CASE (c, cases) {
            assert_int_equal(physical(m.tables.pool_phys, levels, c->at), c->physical);
            assert_non_null(tables_entry(&m.copy, c->at, 0));
            assert_int_equal(physical(root_of(&m), levels, c->at), c->physical);
        }
        assert_int_equal(m.copy.used,
                         levels + 1); /* a table of level 1, and one with large pages */
        drop(&m);
    }
}

TEST(a_changed_entry_is_that_of_the_copy_alone)
{
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct made m = make(levels);
        uint64_t *entry = tables_entry(&m.copy, SMALL_AT + PAGE, 0);
        assert_non_null(entry);
        *entry = (*entry & ~TABLES_FRAME) | 3 * PAGE;
        assert_int_equal(physical(root_of(&m), levels, SMALL_AT + PAGE), 3 * PAGE);
        assert_int_equal(physical(root_of(&m), levels, SMALL_AT), SMALL_PHYS);
        assert_int_equal(physical(m.tables.pool_phys, levels, SMALL_AT + PAGE), SMALL_PHYS + PAGE);
        /* The same table again: no further copy. */
        unsigned used = m.copy.used;
        assert_ptr_equal(tables_entry(&m.copy, SMALL_AT + 2 * PAGE, 0), entry + 1);
        assert_int_equal(m.copy.used, used);
        drop(&m);
    }
}

/* Ring 3 needs the bit at every level; pages without it stay those of ring 0. */
TEST(rights_are_set_on_the_whole_way)
{
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct made m = make(levels);
        uint64_t *entry = tables_entry(&m.copy, SMALL_AT, TABLES_USER);
        assert_non_null(entry);
        assert_true(entry[0] & TABLES_USER && !(entry[1] & TABLES_USER));
        const uint64_t *table = m.copy.pages;
        for (unsigned level = levels; level > 1; level--) {
            uint64_t way = table[SMALL_AT >> (3 + 9 * level) & 511];
            assert_true(way & TABLES_USER);
            table = (const uint64_t *)(uintptr_t)(way & TABLES_FRAME);
        }
        assert_ptr_equal(table, entry - (SMALL_AT / PAGE & 511));
        entry = tables_entry(&m.copy, LARGE_AT, TABLES_USER);
        assert_true(entry && *entry & TABLES_USER && *entry & TABLES_LARGE);
        drop(&m);
    }
}

TEST(more_tables_than_there_is_room_for_are_refused)
{
    struct made m = make(4);
    const uint64_t apart = 1ull << 39; /* each needs tables of levels 3, 2 and 1 */

    for (unsigned i = 1; i <= 3; i++)
        assert_true(pagetable_map(&m.tables, SMALL_AT + i * apart, SMALL_PHYS, PAGE, 0));
    tables_copy(&m.copy, m.tables.pool_phys, 4, m.copies);
    assert_non_null(tables_entry(&m.copy, SMALL_AT + apart, 0));
    assert_non_null(tables_entry(&m.copy, SMALL_AT + 2 * apart, 0));
    assert_null(tables_entry(&m.copy, SMALL_AT + 3 * apart, 0));
    drop(&m);
}

TEST(cr4_says_how_many_levels_there_are)
{
    assert_int_equal(tables_levels(0x668), 4);
    assert_int_equal(tables_levels(0x1668), 5);
}
