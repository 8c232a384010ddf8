/* Walks the tables as the CPU walks them, and compares them with a plain array of pages. */
#include "tests/unit/lib/cpu/walked_tables.h"

TEST(pages_are_as_large_as_alignment_allows)
{
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct pagetable t = make(40, levels, true, true, NULL);
        /* 4 KiB pages to the next 2 MiB, 2 MiB pages to the next GiB, one of 1 GiB, and down
         * again. */
        uint64_t from = GIB - MIB2 - KIB4, to = 2 * GIB + MIB2 + KIB4;
        assert_true(pagetable_map(&t, from, from, to - from, PAGE_WRITE));
        static const struct {
            uint64_t at, size;
        } cases[] = {
            {GIB - MIB2 - KIB4, KIB4}, {GIB - MIB2, MIB2}, {GIB - 1, MIB2},        {GIB, GIB},
            {2 * GIB - 1, GIB},        {2 * GIB, MIB2},    {2 * GIB + MIB2, KIB4},
        };
        EACH_CASE (c, cases) {
            assert_int_equal(walk(&t, c->at).size, c->size);
            assert_page(&t, c->at, c->at, PAGE_WRITE);
        }
        assert_nothing(&t, from - 1);
        assert_nothing(&t, to);
        /* Where virt and phys are apart by less than a large page, small ones. */
        assert_true(pagetable_map(&t, 8 * GIB, GIB + KIB4, MIB2, 0));
        assert_int_equal(walk(&t, 8 * GIB).size, KIB4);
        assert_true(pagetable_map(&t, 9 * GIB, 5 * GIB + MIB2, GIB, 0));
        assert_int_equal(walk(&t, 9 * GIB).size, MIB2);
        drop(&t);

        t = make(40, levels, false, true, NULL);
        assert_true(pagetable_map(&t, 0, 0, 4 * GIB, PAGE_EXEC));
        assert_int_equal(walk(&t, 3 * GIB).size, MIB2);
        assert_page(&t, 4 * GIB - 1, 4 * GIB - 1, PAGE_EXEC);
        assert_int_equal(t.used, levels - 2 + 4); /* one table per GiB, and those above */
        drop(&t);
    }
}

TEST(rights_become_bits_at_every_size)
{
    for (int nx = 0; nx < 2; nx++) {
        struct pagetable t = make(20, 4, true, nx, NULL);
        for (unsigned rights = 0; rights < 16; rights++)
            for (uint64_t size = KIB4; size <= GIB; size *= 512) {
                assert_true(pagetable_map(&t, 4 * GIB, 2 * GIB, size, rights));
                assert_int_equal(walk(&t, 4 * GIB).size, size);
                assert_page(&t, 4 * GIB + size - 1, 2 * GIB + size - 1, rights);
                assert_true(pagetable_unmap(&t, 4 * GIB, size));
            }
        drop(&t);
    }
}

/* A page of 1 GiB is split twice around a 4 KiB hole; its rights must be in all the pieces. */
TEST(a_split_page_keeps_its_rights_in_all_pieces)
{
    for (unsigned rights = 0; rights < 16; rights++) {
        struct pagetable t = make(20, 5, true, true, NULL);
        uint64_t hole = GIB + 5 * MIB2 + 7 * KIB4;
        assert_true(pagetable_map(&t, GIB, 3 * GIB, GIB, rights));
        assert_true(pagetable_unmap(&t, hole, KIB4));
        assert_nothing(&t, hole);
        for (uint64_t at = GIB; at < 2 * GIB; at += at / MIB2 == hole / MIB2 ? KIB4 : MIB2 / 2)
            if (at != hole)
                assert_page(&t, at, at + 2 * GIB, rights);
        assert_int_equal(walk(&t, GIB).size, MIB2);
        assert_int_equal(walk(&t, hole - KIB4).size, KIB4);
        /* Made whole, it is one page again, and the tables go to the next that needs them. */
        unsigned used = t.used;
        assert_true(pagetable_map(&t, GIB, 3 * GIB, GIB, rights));
        assert_int_equal(walk(&t, hole).size, GIB);
        assert_true(pagetable_unmap(&t, GIB + KIB4, KIB4));
        assert_int_equal(t.used, used);
        drop(&t);
    }
}

TEST(no_large_page_spans_a_change_of_type)
{
    struct mtrr m = {.enabled = true, .default_type = 6, .phys_bits = 40, .variables = 1};

    m.variable[0].base = GIB + 6 * MIB; /* 6 to 7 MiB above 1 GiB: UC */
    m.variable[0].mask = (((1ull << 40) - 1) & ~(MIB - 1)) | 0x800;
    struct pagetable t = make(40, 4, true, true, &m);
    assert_true(pagetable_map(&t, 0, 0, 4 * GIB, PAGE_WRITE));
    assert_int_equal(walk(&t, 0).size, GIB);
    assert_int_equal(walk(&t, GIB).size, MIB2);
    assert_int_equal(walk(&t, GIB + 6 * MIB - 1).size, MIB2);
    assert_int_equal(walk(&t, GIB + 6 * MIB).size, KIB4);
    assert_int_equal(walk(&t, GIB + 8 * MIB).size, MIB2);
    assert_int_equal(walk(&t, 2 * GIB).size, GIB);
    /* It is the physical address that has a type. */
    assert_true(pagetable_map(&t, 16 * GIB, GIB, GIB, 0));
    assert_int_equal(walk(&t, 16 * GIB + 6 * MIB).size, KIB4);
    assert_true(pagetable_map(&t, GIB, 32 * GIB, GIB, 0));
    assert_int_equal(walk(&t, GIB + 6 * MIB).size, GIB);
    drop(&t);
}

TEST(misaligned_and_non_canonical_ranges_are_refused)
{
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct pagetable t = make(20, levels, true, true, NULL);
        uint64_t half = 1ull << (levels == 4 ? 47 : 56);
        assert_false(pagetable_map(&t, 1, 0, KIB4, 0));
        assert_false(pagetable_map(&t, 0, 1, KIB4, 0));
        assert_false(pagetable_map(&t, 0, 0, KIB4 + 1, 0));
        assert_false(pagetable_map(&t, half, 0, KIB4, 0));
        assert_false(pagetable_map(&t, half - KIB4, 0, 2 * KIB4, 0));
        assert_false(pagetable_map(&t, -half - KIB4, 0, KIB4, 0));
        assert_false(pagetable_map(&t, -KIB4, 0, 2 * KIB4, 0));
        assert_false(pagetable_map(&t, 0, 1ull << 52, KIB4, 0));
        assert_false(pagetable_map(&t, 0, (1ull << 52) - KIB4, 2 * KIB4, 0));
        assert_false(pagetable_unmap(&t, 1, KIB4));
        assert_false(pagetable_unmap(&t, 0, 1));
        assert_false(pagetable_unmap(&t, half, KIB4));
        assert_int_equal(t.used, 1);
        assert_true(pagetable_map(&t, half, 0, 0, 0));
        assert_true(pagetable_unmap(&t, half, 0));
        assert_true(pagetable_unmap(&t, 0, half));
        assert_true(pagetable_unmap(&t, -half, half));
        assert_int_equal(t.used, 1);

        assert_true(pagetable_map(&t, half - KIB4, (1ull << 52) - KIB4, KIB4, PAGE_EXEC));
        assert_page(&t, half - KIB4, (1ull << 52) - KIB4, PAGE_EXEC);
        assert_true(pagetable_map(&t, -half, 0, KIB4, 0));
        assert_page(&t, -half, 0, 0);
        assert_true(pagetable_map(&t, -KIB4, MIB, KIB4, 0));
        assert_page(&t, -KIB4, MIB, 0);
        drop(&t);
    }
}

TEST(an_exhausted_pool_is_reported)
{
    for (unsigned pages = 1; pages < 4; pages++) {
        struct pagetable t = make(pages, 4, true, true, NULL);
        assert_false(pagetable_map(&t, 0, 0, KIB4, 0));
        assert_true(t.used <= pages);
        assert_nothing(&t, 0);
        drop(&t);
    }
    struct pagetable t = make(4, 4, true, true, NULL);
    assert_true(pagetable_map(&t, 0, 0, MIB2 - KIB4, 0));
    assert_false(
        pagetable_map(&t, MIB2 - KIB4, MIB2 - KIB4, 2 * KIB4, 0)); /* one page of it fits */
    assert_page(&t, MIB2 - KIB4, MIB2 - KIB4, 0);
    assert_nothing(&t, MIB2);
    drop(&t);
    /* Nothing to split a large page with: it stays as it was. */
    t = make(2, 4, true, true, NULL);
    assert_true(pagetable_map(&t, 0, 0, GIB, PAGE_WRITE));
    assert_false(pagetable_unmap(&t, 0, KIB4));
    assert_page(&t, 0, 0, PAGE_WRITE);
    assert_false(pagetable_map(&t, 0, 0, KIB4, 0));
    assert_page(&t, 0, 0, PAGE_WRITE);
    drop(&t);
}

/* Returns the mapping of each 4 KiB page of a range of addresses; rights below 0: nothing. */
#define MODEL_SIZE  (4 * GIB)
#define MODEL_PAGES (MODEL_SIZE / KIB4)
struct model {
    uint64_t virt; /* where the stretch begins */
    uint64_t phys[MODEL_PAGES];
    int8_t rights[MODEL_PAGES];
};

static void assert_model_at(const struct pagetable *t, const struct model *m, uint64_t page)
{
    uint64_t virt = m->virt + page * KIB4;

    if (m->rights[page] < 0)
        assert_nothing(t, virt);
    else
        assert_page(t, virt, m->phys[page], (unsigned)m->rights[page]);
}

/* Addresses and lengths on a grid, so that pages of all sizes occur. */
static void random_step(struct pagetable *t, struct model *m, struct rng *rng)
{
    static const uint64_t grids[] = {KIB4, KIB4, MIB2, MIB2, GIB};
    uint64_t grid = grids[rng_below(rng, 5)];
    uint64_t from = rng_below(rng, MODEL_SIZE / grid) * grid;
    uint64_t most = (MODEL_SIZE - from) / grid;
    uint64_t size = (1 + rng_below(rng, most < 700 ? most : 700)) * grid;
    uint64_t phys_grid = grids[rng_below(rng, 5)];
    uint64_t phys = rng_below(rng, 64 * GIB / phys_grid) * phys_grid;

    if (rng_below(rng, 4) > 0)
        phys = from + rng_below(rng, 8) * GIB;
    int rights = rng_below(rng, 3) ? (int)rng_below(rng, 16) : -1;

    if (rights < 0)
        assert_true(pagetable_unmap(t, m->virt + from, size));
    else
        assert_true(pagetable_map(t, m->virt + from, phys, size, (unsigned)rights));
    uint64_t first = from / KIB4, end = (from + size) / KIB4;
    for (uint64_t i = first; i < end; i++) {
        m->phys[i] = phys + (i - first) * KIB4;
        m->rights[i] = (int8_t)rights;
    }
    assert_model_at(t, m, first);
    assert_model_at(t, m, end - 1);
    if (first > 0)
        assert_model_at(t, m, first - 1);
    if (end < MODEL_PAGES)
        assert_model_at(t, m, end);
    for (int i = 0; i < 50; i++)
        assert_model_at(t, m, rng_below(rng, MODEL_PAGES));
}

TEST(random_sequences_agree_with_a_plain_array)
{
    static struct model m;
    /* From 0; across the end of the range of a table of level 4 or 5; at both ends of the upper
     * half. */
    static const uint64_t places[] = {0, 512 * GIB - 2 * GIB, (1ull << 47) - 4 * GIB, -(1ull << 47),
                                      -4 * GIB};
    struct mtrr mtrr = {.enabled = true, .default_type = 6, .phys_bits = 40, .variables = 3};

    mtrr.variable[0].base = 3 * GIB;
    mtrr.variable[0].mask = (((1ull << 40) - 1) & ~(GIB - 1)) | 0x800;
    mtrr.variable[1].base = GIB + 64 * KIB4;
    mtrr.variable[1].mask = (((1ull << 40) - 1) & ~(64 * KIB4 - 1)) | 0x800;
    mtrr.variable[2].base = 7 * GIB + 3 * MIB2 + 1;
    mtrr.variable[2].mask = (((1ull << 40) - 1) & ~(MIB2 - 1)) | 0x800;
    for (unsigned setup = 0; setup < 16; setup++) {
        struct rng rng = {setup + 1};
        struct pagetable t =
            make(2300, setup & 1 ? 5 : 4, setup & 2, setup & 4, setup & 8 ? &mtrr : NULL);
        m.virt = places[setup % 5];
        memset(m.rights, -1, sizeof m.rights);
        for (int i = 0; i < 60; i++)
            random_step(&t, &m, &rng);
        for (uint64_t i = 0; i < MODEL_PAGES; i += 1 + rng_below(&rng, 30))
            assert_model_at(&t, &m, i);
        drop(&t);
    }
}

/* MTRRs with boundaries everywhere: aligned blocks of any size. */
static void random_mtrrs(struct mtrr *m, uint64_t top, struct rng *rng)
{
    *m = (struct mtrr){.enabled = true, .fixed_enabled = true, .phys_bits = 46};
    m->variables = MTRR_VARIABLE_MAX;
    for (unsigned i = 0; i < m->variables; i++) {
        uint64_t size = KIB4 << rng_below(rng, 22),
                 base = rng_below(rng, 2 * top / size + 1) * size;
        m->variable[i].base = base | (i % 2 ? 6 : 1);
        m->variable[i].mask = (((1ull << 46) - 1) & ~(size - 1)) | 0x800;
    }
    for (int i = 0; i < MTRR_FIXED; i++)
        m->fixed[i] = rng_next(rng) & 0x0606060606060606;
    m->tom2 = 4 * GIB + rng_below(rng, 1000) * 0x111 * KIB4;
}

static void extra_range(struct pagetable *t, uint64_t top, struct rng *rng)
{
    uint64_t virt, phys, size;

    switch (rng_below(rng, 4)) {
    case 0: /* a guard page, or rights changed, inside the map */
        virt = rng_below(rng, top / KIB4) * KIB4;
        assert_true(rng_below(rng, 2) ? pagetable_unmap(t, virt, KIB4)
                                      : pagetable_map(t, virt, virt, KIB4, PAGE_EXEC));
        return;
    case 1: /* MMIO above, identity, at worst across the end of every table */
        size = (1 + rng_below(rng, GIB / KIB4)) * KIB4;
        virt = t->levels == 5 ? (1 + rng_below(rng, 8)) << 48 : (1 + rng_below(rng, 99)) << 39;
        virt -= rng_below(rng, size / KIB4) * KIB4;
        assert_true(pagetable_map(t, virt, virt, size, PAGE_WRITE | PAGE_UC));
        return;
    case 2: /* a buffer at its own address, aligned to nothing */
        size = (1 + rng_below(rng, MIB2 / KIB4)) * KIB4;
        virt = (1ull << 46) + rng_below(rng, 1000) * GIB - rng_below(rng, 100) * KIB4;
        phys = rng_below(rng, top / KIB4) * KIB4;
        assert_true(pagetable_map(t, virt, phys, size, PAGE_WRITE));
        return;
    default: /* just above the map */
        size = (1 + rng_below(rng, GIB / KIB4)) * KIB4;
        virt = top + rng_below(rng, 4 * GIB / KIB4) * KIB4;
        assert_true(pagetable_map(t, virt, virt, size, PAGE_WC));
    }
}

TEST(the_computed_number_of_tables_is_enough)
{
    struct rng rng = {23};

    for (int round = 0; round < 300; round++) {
        uint64_t top = (1 + rng_below(&rng, 1ull << (6 + rng_below(&rng, 19)))) * KIB4;
        bool page_1g = rng_below(&rng, 2);
        unsigned extra = (unsigned)rng_below(&rng, 12);
        struct mtrr m;
        random_mtrrs(&m, top, &rng);
        unsigned need = pagetable_need(top, page_1g, extra);
        struct pagetable t = make(need, 4 + rng_below(&rng, 2), page_1g, true, &m);
        assert_true(pagetable_map(&t, 0, 0, top, PAGE_WRITE | PAGE_EXEC));
        for (unsigned i = 0; i < extra; i++)
            extra_range(&t, top, &rng);
        drop(&t);
    }
}

/* The worst machine needs exactly as much: each place where a page is split is in a separate GiB,
 * and extra ranges of two pages each cross the end of a table of every level. */
TEST(need_is_no_more_than_the_worst_case)
{
    struct mtrr m = {.enabled = true, .fixed_enabled = true, .phys_bits = 52};

    m.variables = MTRR_VARIABLE_MAX;
    for (unsigned i = 0; i < m.variables; i++) {
        m.variable[i].base = (10 + i) * GIB + 7 * KIB4 + 6;
        m.variable[i].mask = (((1ull << 52) - 1) & ~(KIB4 - 1)) | 0x800;
    }
    m.fixed[0] = 6;
    m.tom2 = 6 * GIB + KIB4;
    uint64_t top = 100 * GIB + KIB4;
    for (int page_1g = 0; page_1g < 2; page_1g++)
        for (unsigned extra = 0; extra < 7; extra++) {
            struct pagetable t = make(pagetable_need(top, page_1g, extra), 5, page_1g, true, &m);
            assert_true(pagetable_map(&t, 0, 0, top, PAGE_WRITE));
            for (uint64_t i = 0; i < extra; i++)
                assert_true(
                    pagetable_map(&t, ((2 * i + 2) << 48) - KIB4, 0x5000, 2 * KIB4, PAGE_WRITE));
            assert_int_equal(t.used, t.pages);
            drop(&t);
        }
}

TEST(the_computed_number_of_tables_has_a_bound)
{
    assert_true(pagetable_need(64 * GIB, true, 16) <= 250);
    assert_true(pagetable_need(64 * GIB, false, 16) <= 250);
    assert_true(pagetable_need(1ull << 46, true, 16) <= 500);
}

/* A fork shares all except 512 GiB: its mappings there are separate, the other's mappings elsewhere
 * are visible in both. */
TEST(a_fork_has_one_separate_part)
{
    const uint64_t at = 0x100000000000;

    for (unsigned levels = 4; levels <= 5; levels++) {
        enum { SHARED = 32, OWN = 6 };
        uint8_t *pool = aligned_alloc(KIB4, (SHARED + OWN) * KIB4);
        struct pagetable t, fork;
        assert_non_null(pool);
        pagetable_init(&t, pool, POOL_PHYS, SHARED, levels, false, true, NULL);
        assert_true(pagetable_map(&t, 0, 0, GIB, PAGE_WRITE));
        assert_true(pagetable_map(&t, at, 0x5000, 2 * KIB4, PAGE_EXEC));
        assert_true(
            pagetable_fork(&fork, &t, pool + SHARED * KIB4, POOL_PHYS + SHARED * KIB4, OWN, at));
        assert_true(pagetable_map(&fork, at, 0x9000, KIB4, PAGE_WRITE));
        assert_true(pagetable_map(&fork, at + 16 * MIB, 0xa000, KIB4, PAGE_WRITE));
        assert_page(&t, at, 0x5000, PAGE_EXEC);
        assert_page(&t, at + KIB4, 0x6000, PAGE_EXEC);
        assert_nothing(&t, at + 16 * MIB);

        /* The walk from the fork's root passes through both pools, which lie side by side. */
        assert_true(pagetable_map(&t, 64 * MIB, 0x7000, KIB4, 0));
        uint64_t entry, root = POOL_PHYS + SHARED * KIB4;
        static const struct {
            uint64_t virt, phys;
        } seen[] = {{0x100000000000, 0x9000},
                    {0x100000000000 + 16 * MIB, 0xa000},
                    {64 * MIB, 0x7000},
                    {MIB, MIB},
                    {0x100000000000 + KIB4, 0}};
        EACH_CASE (c, seen) {
            uint64_t table = root;
            unsigned level = levels;
            for (;; level--) {
                unsigned shift = 12 + 9 * (level - 1);
                memcpy(&entry, pool + (table - POOL_PHYS) + (c->virt >> shift & 511) * 8, 8);
                if (!(entry & 1) || level == 1 || entry & 1 << 7)
                    break;
                table = entry & 0xffffffffff000;
            }
            uint64_t page = 1ull << (12 + 9 * (level - 1));
            assert_int_equal(entry & 1, c->phys != 0);
            if (c->phys)
                assert_int_equal((entry & 0xffffffffff000 & ~(page - 1)) + c->virt % page, c->phys);
        }
        /* With five levels there is one table more on the way. */
        assert_int_equal(
            pagetable_fork(&fork, &t, pool + SHARED * KIB4, POOL_PHYS + SHARED * KIB4, 1, at),
            levels == 4);
        free(pool);
    }
}

/* As in firmware, the tables are at the addresses that their entries name. */
TEST(a_page_of_any_size_is_found_to_be_mapped_to_itself_or_not)
{
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct pagetable t;
        uint8_t *pool = aligned_alloc(KIB4, 40 * KIB4);
        assert_non_null(pool);
        uint64_t cr3 = (uint64_t)pool;
        pagetable_init(&t, pool, cr3, 40, levels, true, true, NULL);
        assert_true(
            pagetable_map(&t, GIB - MIB2 - KIB4, GIB - MIB2 - KIB4, GIB + MIB2 + KIB4, PAGE_WRITE));
        assert_true(pagetable_map(&t, 4 * GIB, 4 * GIB, KIB4, 0));
        assert_true(pagetable_map(&t, 5 * GIB, 6 * GIB, GIB, PAGE_WRITE));
        assert_true(pagetable_map(&t, 7 * GIB, 7 * GIB + KIB4, KIB4, PAGE_WRITE | PAGE_WC));
        static const struct {
            uint64_t at;
            bool identity;
        } cases[] = {
            {GIB - MIB2 - KIB4, true},
            {GIB - MIB2 + 5, true},
            {2 * GIB - 8, true},
            {2 * GIB, false},
            {GIB - MIB2 - KIB4 - 1, false},
            {4 * GIB, false},
            {5 * GIB, false},
            {7 * GIB, false},
            {1ull << 46, false},
            {(1ull << 56) + GIB, false},
            {UINT64_MAX, false},
        };
        EACH_CASE (c, cases)
            assert_int_equal(pagetable_is_identity(cr3 | 0x18, levels, c->at), c->identity);
        free(pool);
    }
}
