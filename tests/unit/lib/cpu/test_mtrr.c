#include "lib/cpu/mtrr.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"

enum { UC = 0, WC = 1, WT = 4, WP = 5, WB = 6 };
#define VALID 0x800ull
#define MIB   0x100000ull
#define GIB   0x40000000ull

static struct mtrr machine(uint8_t default_type)
{
    return (struct mtrr){.enabled = true, .default_type = default_type, .phys_bits = 39};
}

static void add(struct mtrr *m, uint64_t base, uint64_t size, uint8_t type)
{
    uint64_t all = (1ull << m->phys_bits) - 1;

    m->variable[m->variables].base = base | type;
    m->variable[m->variables++].mask = (~(size - 1) & all) | VALID;
}

TEST(disabled_is_uncached)
{
    struct mtrr m = machine(WB);

    add(&m, 0, GIB, WB);
    m.enabled = false;
    assert_int_equal(mtrr_type(&m, 0x1000), UC);
    assert_true(mtrr_uniform(&m, 0, 512 * GIB));
}

/* A usual PC: write-back by default, the hole below 4 GiB uncached, the framebuffer
 * write-combining. */
TEST(a_hole_below_4_gib_is_uncached)
{
    struct mtrr m = machine(WB);

    add(&m, 3 * GIB, GIB, UC);
    assert_int_equal(mtrr_type(&m, 3 * GIB - 1), WB);
    assert_int_equal(mtrr_type(&m, 3 * GIB), UC);
    assert_int_equal(mtrr_type(&m, 4 * GIB - 1), UC);
    assert_int_equal(mtrr_type(&m, 4 * GIB), WB);
    assert_true(mtrr_uniform(&m, 2 * GIB, GIB));
    assert_true(mtrr_uniform(&m, 3 * GIB, GIB));
    assert_false(mtrr_uniform(&m, 2 * GIB, 2 * GIB));
    assert_false(mtrr_uniform(&m, 0, 8 * GIB));
}

/* SDM vol. 3A section 12.11.4.1. */
TEST(overlapping_types_combine_by_the_manual)
{
    static const struct {
        uint8_t a, b, effective;
    } cases[] = {
        {WB, WB, WB}, {WB, UC, UC}, {UC, WC, UC}, {WT, WB, WT}, {WT, UC, UC}, {WC, WC, WC},
        {WP, WP, WP}, {WC, WB, UC}, {WP, WB, UC}, {WP, WT, UC}, /* undefined there: UC here */
    };
    EACH_CASE (c, cases)
        for (int swap = 0; swap < 2; swap++) {
            struct mtrr m = machine(WC);
            add(&m, 0, 2 * GIB, swap ? c->b : c->a);
            add(&m, GIB, GIB, swap ? c->a : c->b);
            assert_int_equal(mtrr_type(&m, GIB + 5), c->effective);
            assert_int_equal(mtrr_type(&m, GIB - 1), swap ? c->b : c->a);
            assert_int_equal(mtrr_type(&m, 2 * GIB), WC);
        }
    struct mtrr m = machine(UC);
    add(&m, 0, 2 * GIB, WT);
    add(&m, 0, 2 * GIB, WB);
    add(&m, 0, 2 * GIB, WB);
    assert_int_equal(mtrr_type(&m, 0), WT);
    add(&m, MIB, MIB, UC);
    assert_int_equal(mtrr_type(&m, MIB), UC);
}

TEST(a_range_inside_one_of_its_type_is_not_a_boundary)
{
    struct mtrr m = machine(UC);

    add(&m, 0, GIB, WB);
    add(&m, 4 * MIB, MIB, WB);
    assert_true(mtrr_uniform(&m, 0, GIB));
    add(&m, 64 * MIB, 4096, UC);
    assert_false(mtrr_uniform(&m, 0, GIB));
    assert_false(mtrr_uniform(&m, 64 * MIB, 2 * MIB));
    assert_true(mtrr_uniform(&m, 64 * MIB, 4096));
    assert_true(mtrr_uniform(&m, 66 * MIB, 2 * MIB));
}

TEST(invalid_ranges_do_not_count_and_reserved_types_are_uncached)
{
    struct mtrr m = machine(WB);

    add(&m, 0, GIB, UC);
    m.variable[0].mask &= ~VALID;
    assert_int_equal(mtrr_type(&m, 0), WB);
    assert_true(mtrr_uniform(&m, 0, 2 * GIB));
    add(&m, 0, GIB, 7);
    assert_int_equal(mtrr_type(&m, 0), UC);
    m.default_type = 2;
    assert_int_equal(mtrr_type(&m, 5 * GIB), UC);
    m.variables = 200; /* as no machine says: the rest is not looked at */
    assert_int_equal(mtrr_type(&m, 5 * GIB), UC);
}

TEST(fixed_ranges_have_priority_below_1_mib)
{
    struct mtrr m = machine(UC);

    add(&m, 0, GIB, WB);
    for (int i = 0; i < MTRR_FIXED; i++)
        m.fixed[i] = 0x0606060606060606;
    m.fixed[0] = 0x0600060606060606;              /* 0x60000..0x6ffff */
    m.fixed[2] = 0x0000000001010101;              /* 0xa0000..0xaffff WC, 0xb0000..0xbffff UC */
    m.fixed[3] = 0x0505050505050504;              /* 0xc0000..0xc0fff WT, then WP to 0xc7fff */
    m.fixed[10] = 0x0006060606060606;             /* 0xff000..0xfffff */
    assert_int_equal(mtrr_type(&m, 0x60000), WB); /* not enabled */
    assert_true(mtrr_uniform(&m, 0, 2 * MIB));
    m.fixed_enabled = true;
    static const struct {
        uint64_t address;
        uint8_t type;
    } cases[] = {
        {0x00000, WB}, {0x5ffff, WB}, {0x60000, UC},  {0x6ffff, UC},    {0x70000, WB},
        {0x9ffff, WB}, {0xa0000, WC}, {0xaffff, WC},  {0xb0000, UC},    {0xbffff, UC},
        {0xc0000, WT}, {0xc1000, WP}, {0xc7fff, WP},  {0xc8000, WB},    {0xfefff, WB},
        {0xff000, UC}, {0xfffff, UC}, {0x100000, WB}, {0x3fffffff, WB}, {0x40000000, UC},
    };
    EACH_CASE (c, cases)
        assert_int_equal(mtrr_type(&m, c->address), c->type);
    assert_true(mtrr_uniform(&m, 0xb0000, 0x10000));
    assert_false(mtrr_uniform(&m, 0xa0000, 0x20000));
    assert_true(mtrr_uniform(&m, 0x80000, 0x20000));
    assert_false(mtrr_uniform(&m, 0, 2 * MIB));
    assert_true(mtrr_uniform(&m, 2 * MIB, 2 * MIB));
}

TEST(memory_below_tom2_is_write_back)
{
    struct mtrr m = machine(UC);

    add(&m, 0, 2 * GIB, WB);
    add(&m, 6 * GIB, MIB, WC); /* variable ranges go before the default that TOM2 replaces */
    m.tom2 = 8 * GIB + 16 * MIB;
    assert_int_equal(mtrr_type(&m, 4 * GIB - 1), UC);
    assert_int_equal(mtrr_type(&m, 4 * GIB), WB);
    assert_int_equal(mtrr_type(&m, 6 * GIB), WC);
    assert_int_equal(mtrr_type(&m, 6 * GIB + MIB), WB);
    assert_int_equal(mtrr_type(&m, m.tom2 - 1), WB);
    assert_int_equal(mtrr_type(&m, m.tom2), UC);
    assert_true(mtrr_uniform(&m, 4 * GIB, 2 * GIB));
    assert_false(mtrr_uniform(&m, 8 * GIB, GIB));
    assert_false(mtrr_uniform(&m, 0, 8 * GIB));
}

TEST(a_mask_with_holes_is_never_called_uniform)
{
    struct mtrr m = machine(WB);

    add(&m, 0, 2 * MIB, UC);
    m.variable[0].mask &= ~(16 * MIB); /* 0..2 and 16..18 MiB */
    assert_int_equal(mtrr_type(&m, 17 * MIB), UC);
    assert_int_equal(mtrr_type(&m, 3 * MIB), WB);
    assert_false(mtrr_uniform(&m, 0, GIB));
    assert_false(mtrr_uniform(&m, 0, 32 * MIB));
    assert_true(mtrr_uniform(&m, 16 * MIB, 2 * MIB));
    assert_true(mtrr_uniform(&m, 2 * MIB, 2 * MIB));
}

/* Uniform says true exactly where every page of the block has one type. */
TEST(a_block_is_uniform_exactly_if_its_pages_have_one_type)
{
    static const uint8_t types[] = {UC, WC, WT, WP, WB};
    struct rng rng = {17};

    for (int round = 0; round < 400; round++) {
        struct mtrr m = machine(types[rng_below(&rng, 5)]);
        m.fixed_enabled = rng_below(&rng, 2);
        for (int i = 0; i < MTRR_FIXED; i++)
            m.fixed[i] = rng_below(&rng, 3) ? 0x0606060606060606 : 0x0606000006060606;
        if (rng_below(&rng, 3) == 0)
            m.tom2 = 4 * GIB + rng_below(&rng, 64) * 4096;
        /* Around 0 or around 4 GiB, in a space of 8 MiB. */
        uint64_t origin = rng_below(&rng, 2) ? 0 : 4 * GIB - 4 * MIB;
        for (uint64_t n = rng_below(&rng, 8); n > 0; n--) {
            uint64_t size = 4096ull << rng_below(&rng, 12);
            uint64_t base = origin + rng_below(&rng, 8 * MIB / size + 1) * size;
            add(&m, base / size * size, size, types[rng_below(&rng, 5)]);
        }
        for (uint64_t size = 4096; size <= 8 * MIB; size *= 4) {
            uint64_t start = origin + rng_below(&rng, 8 * MIB / size) * size;
            if (start % size != 0)
                continue;
            bool same = true;
            for (uint64_t at = start; at < start + size; at += 4096)
                same = same && mtrr_type(&m, at) == mtrr_type(&m, start);
            assert_int_equal(mtrr_uniform(&m, start, size), same);
        }
    }
}
