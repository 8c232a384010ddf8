/* Where a row is placed: drawn from the seed, or every offset in turn. */
#include "tests/unit/cmocka_unit.h"
#include "bench/engine/layout.h"

static struct options options;

static void start(void)
{
    options_default(&options);
}

BEFORE_EACH(start);

TEST(the_seed_draws_the_placements)
{
    uint64_t codes = 0;

    assert_int_equal(layout_count(&options, 2048), LAYOUT_SHUFFLED);
    assert_int_equal(layout_count(&options, 3 * LAYOUT_WINDOWS), 3);
    assert_int_equal(layout_count(&options, 16), 1);
    for (unsigned i = 0; i < LAYOUT_SHUFFLED; i++) {
        struct placement p = layout_at(&options, i), again = layout_at(&options, i);
        assert_memory_equal(&p, &again, sizeof p);
        assert_true(p.line < 64 && p.code < 64 && p.stack < 4096 && p.data < 4096);
        assert_true(p.stack % 16 == 0 && p.data % 8 == 0);
        codes |= 1ull << p.code;
    }
    assert_true(__builtin_popcountll(codes) > LAYOUT_SHUFFLED / 2);
    struct placement one = layout_at(&options, 0);
    options.seed++;
    struct placement other = layout_at(&options, 0);
    assert_memory_not_equal(&one, &other, sizeof one);
}

TEST(a_sweep_goes_through_every_offset)
{
    uint64_t seen[LAYOUT_PARTS] = {0};

    options.layout = LAYOUT_SWEEP;
    assert_int_equal(layout_count(&options, 16), LAYOUT_MAX);
    for (unsigned i = 0; i < LAYOUT_MAX; i++) {
        struct placement p = layout_at(&options, i);
        assert_true((p.code != 0) + (p.stack != 0) + (p.data != 0) <= 1);
        seen[i / LAYOUT_OFFSETS] |= 1ull << (p.code + p.stack / 64 + p.data / 8);
    }
    for (unsigned part = 0; part < LAYOUT_PARTS; part++)
        assert_true(seen[part] == UINT64_MAX);
    options.layout = LAYOUT_FIXED;
    struct placement p = layout_at(&options, 0), none = {0};
    assert_memory_equal(&p, &none, sizeof p);
}
