#include "tests/unit/cmocka_unit.h"
#include "lib/stats/mathx.h"
#include "lib/stats/modes.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"

enum { MOST = 1024 };

struct data {
    double values[MOST];
    uint32_t placement[MOST];
    size_t n;
    double floor, within;
};

/* n blocks in `placements` equal placements; the values are still to come. */
static void begin(struct data *d, size_t n, size_t placements)
{
    *d = (struct data){.n = n};
    for (size_t i = 0; i < n; i++)
        d->placement[i] = (uint32_t)(100 + i * placements / n);
}

static size_t placement_of(const struct data *d, size_t i)
{
    return d->placement[i] - 100;
}

static struct modes find(const struct data *d)
{
    uint64_t scratch[2 * MOST];
    struct modes modes;
    struct modes_input in = {d->n, d->values, d->placement, d->floor, d->within};

    modes_find(&in, scratch, &modes);
    size_t n = 0;
    for (size_t k = 0; k < modes.count; k++) {
        n += modes.mode[k].n;
        assert_close(modes.mode[k].share, (double)modes.mode[k].n / (double)d->n, 1e-15);
        assert_true(k == 0 || modes.mode[k].at > modes.mode[k - 1].at);
        assert_int_equal(modes.mode[k].kind == MODE_ONLY, modes.count == 1);
    }
    assert_int_equal(n, d->n);
    return modes;
}

/* The mean of 16 windows of `ticks` each, on a TSC that moves in steps of 26. */
static double lattice_mean(double ticks, struct rng *rng)
{
    double sum = 0;

    for (int i = 0; i < 16; i++)
        sum += 26 * mathx_floor(ticks / 26 + rng_unit(rng));
    return sum / 16;
}

static struct data d;

/* Raw ticks have two or three values here, far apart; the block values are one mode. */
TEST(block_values_of_a_coarse_clock_are_one_mode)
{
    struct rng rng = {1};
    static const size_t sizes[] = {8, 24, 64, 512};

    for (int round = 0; round < 300; round++)
        for (int j = 0; j < 4; j++) {
            double ticks = 200 + 100 * rng_unit(&rng), ops = 10;
            begin(&d, sizes[j], round % 2 ? 1 : 8);
            for (size_t i = 0; i < d.n; i++)
                d.values[i] =
                    (lattice_mean(2 * ticks, &rng) - lattice_mean(ticks, &rng)) / 0.633 / ops;
            /* b2 - b: two blocks, each up to 26 / (2 sqrt(16)) */
            d.floor = mathx_sqrt(2) * 26 / 8 / 0.633 / ops;
            assert_int_equal(find(&d).count, 1);
        }
}

TEST(noise_is_one_mode)
{
    struct rng rng = {2};
    static const size_t sizes[] = {16, 32, 128, 1000};
    int split[4] = {0};

    for (int round = 0; round < 300; round++)
        for (int j = 0; j < 4; j++) {
            begin(&d, sizes[j], 1 + (size_t)round % 16);
            double drift = rng_unit(&rng);
            for (size_t i = 0; i < d.n; i++) {
                double x = gauss(&rng), y = gauss(&rng);
                d.values[i] = round % 3 == 0   ? x
                              : round % 3 == 1 ? x * x + y * y
                                               : drift * (double)i + x;
            }
            split[j] += find(&d).count > 1;
        }
    /* An exponential tail in few blocks does have a gap now and then. */
    assert_true(split[0] <= 9 && split[1] <= 4 && split[2] == 0 && split[3] == 0);
}

/* The test of docs/figure.md: 100 or 106 cycles by a shift register, 30% of the time. */
TEST(a_planted_pair_of_modes_is_found)
{
    struct rng rng = {3};
    static const size_t sizes[] = {64, 256, 1024};

    for (int j = 0; j < 3; j++)
        for (int placements = 1; placements <= 16; placements *= 16) {
            size_t slow = 0;
            unsigned shift = 0xace1;
            begin(&d, sizes[j], (size_t)placements);
            for (size_t i = 0; i < d.n; i++) {
                shift = (shift >> 1) ^ (shift & 1 ? 0xb400 : 0); /* x^16 + x^14 + x^13 + x^11 + 1 */
                bool is_slow = shift % 1000 < 300;
                slow += is_slow;
                d.values[i] = (is_slow ? 106 : 100) + 0.3 * gauss(&rng);
            }
            struct modes m = find(&d);
            assert_int_equal(m.count, 2);
            assert_close(m.mode[0].at, 100, 0.1);
            assert_close(m.mode[1].at, 106, 0.1);
            assert_close(m.mode[0].sd, 0.3, 0.1);
            assert_close(m.mode[1].share, (double)slow / (double)d.n, 1e-12);
            if (d.n >= 256)
                assert_close(m.mode[1].share, 0.3, 0.02 + 1.0 / mathx_sqrt((double)d.n));
            assert_true(m.mode[0].kind == MODE_TIME && m.mode[1].kind == MODE_TIME);
            assert_close(m.block_se, 0.3, 0.1);
        }
}

/* A call of 4.01 cycles at some places of the code, 6.00 at others. */
TEST(modes_by_layout_and_by_time_are_distinguished)
{
    struct rng rng = {4};

    for (size_t placements = 2; placements <= 16; placements++) {
        begin(&d, 16 * placements, placements);
        for (size_t i = 0; i < d.n; i++)
            d.values[i] = (placement_of(&d, i) % 3 ? 4.01 : 6.00) + 0.02 * gauss(&rng);
        struct modes m = find(&d);
        assert_int_equal(m.count, 2);
        assert_true(m.mode[0].kind == MODE_LAYOUT && m.mode[1].kind == MODE_LAYOUT);
        assert_close(m.mode[1].share, (double)((placements + 2) / 3) / (double)placements, 1e-12);
        assert_close(m.mode[0].at, 4.01, 0.02);
        assert_close(m.mode[1].at, 6, 0.02);
        d.values[3] = 4.01; /* one stray block does not make it time */
        assert_int_equal(find(&d).mode[0].kind, MODE_LAYOUT);
    }
    /* Half of the placements are steady at 4; the others change between 6 and 8. */
    begin(&d, 256, 16);
    for (size_t i = 0; i < d.n; i++)
        d.values[i] = placement_of(&d, i) % 2 ? 4 : rng_below(&rng, 2) ? 6 : 8;
    struct modes m = find(&d);
    assert_int_equal(m.count, 3);
    assert_int_equal(m.mode[0].kind, MODE_LAYOUT);
    assert_int_equal(m.mode[1].kind, MODE_TIME);
    assert_int_equal(m.mode[2].kind, MODE_TIME);
    assert_close(m.mode[0].share, 0.5, 0);
}

TEST(up_to_four_modes_are_found)
{
    struct rng rng = {5};

    for (uint64_t modes = 2; modes <= 4; modes++)
        for (int layout = 0; layout <= 1; layout++)
            for (int round = 0; round < 20; round++) {
                begin(&d, 320, 16);
                for (size_t i = 0; i < d.n; i++) {
                    uint64_t which = layout ? placement_of(&d, i) % modes : rng_below(&rng, modes);
                    /* 10, 11, 13, 16 */
                    d.values[i] = 10 + (double)(which * (which + 1)) / 2 + 0.03 * gauss(&rng);
                }
                struct modes m = find(&d);
                assert_int_equal(m.count, modes);
                for (uint64_t k = 0; k < modes; k++) {
                    assert_close(m.mode[k].at, 10 + (double)(k * (k + 1)) / 2, 0.02);
                    assert_close(m.mode[k].share, 1 / (double)modes, 0.12);
                    assert_int_equal(m.mode[k].kind, layout ? MODE_LAYOUT : MODE_TIME);
                }
            }
    /* Of six, at most four are found. */
    begin(&d, 300, 1);
    for (size_t i = 0; i < d.n; i++)
        d.values[i] = i % 100 < 50 ? (double)(i % 3) * 10 : 100 + (double)(i % 3) * 10;
    assert_true(find(&d).count <= MODES_MOST);
}

/* One after the other, by turns: neighbours in time are never alike. */
TEST(modes_are_found_in_any_order_of_time)
{
    struct rng rng = {6};

    for (int pattern = 0; pattern < 3; pattern++) {
        begin(&d, 96, 1);
        for (size_t i = 0; i < d.n; i++) {
            size_t which = pattern == 0 ? i % 2 : pattern == 1 ? i / 48 : i / 7 % 2;
            d.values[i] = (double)which * -2 - 7 + 0.05 * gauss(&rng); /* negative: an A/A row */
        }
        struct modes m = find(&d);
        assert_int_equal(m.count, 2);
        assert_close(m.mode[0].at, -9, 0.05);
        assert_close(m.mode[1].at, -7, 0.05);
        assert_int_equal(m.mode[0].kind, MODE_TIME);
    }
}

/* Sixteen placements, each a little different: one broad mode. */
TEST(scattered_placements_are_one_mode)
{
    struct rng rng = {7};
    int split = 0;

    for (int round = 0; round < 100; round++) {
        double at[16];
        for (int i = 0; i < 16; i++)
            at[i] = gauss(&rng);
        begin(&d, 512, 16);
        for (size_t i = 0; i < d.n; i++)
            d.values[i] = at[placement_of(&d, i)] + 0.01 * gauss(&rng);
        split += find(&d).count > 1;
    }
    assert_true(split <= 2);
    /* But one of sixteen that takes half as long again is seen. */
    for (size_t i = 0; i < d.n; i++)
        d.values[i] = (placement_of(&d, i) == 5 ? 6 : 4) + 0.01 * gauss(&rng);
    struct modes m = find(&d);
    assert_int_equal(m.count, 2);
    assert_close(m.mode[1].share, 1.0 / 16, 0);
    assert_int_equal(m.mode[1].kind, MODE_LAYOUT);
}

TEST(small_gaps_and_small_shares_are_not_modes)
{
    /* A gap of 0.05 cycles, and a little more. */
    begin(&d, 100, 1);
    for (size_t i = 0; i < d.n; i++)
        d.values[i] = i % 2 ? 0.0 : 0.05;
    assert_int_equal(find(&d).count, 1);
    for (size_t i = 0; i < d.n; i++)
        d.values[i] = i % 2 ? 1.0 : 1.0501;
    assert_int_equal(find(&d).count, 2);
    /* Less than 5%, and 5%. */
    for (size_t few = 4; few <= 5; few++) {
        for (size_t i = 0; i < d.n; i++)
            d.values[i] = i < few ? 9 : 1;
        assert_int_equal(find(&d).count, few < 5 ? 1 : 2);
    }
    /* What the windows inside the blocks predict, or the step: a quarter of the gap and more. */
    for (size_t i = 0; i < d.n; i++)
        d.values[i] = i % 2 ? 1 : 3;
    d.within = 0.49;
    assert_int_equal(find(&d).count, 2);
    d.within = 0.51;
    struct modes m = find(&d);
    assert_int_equal(m.count, 1);
    assert_close(m.block_se, 0.51, 0);
    d.within = 0;
    d.floor = 0.49;
    assert_int_equal(find(&d).count, 2);
    d.floor = 0.51;
    assert_int_equal(find(&d).count, 1);
}

/* A gap wide enough in a spread so broad that Ashman's D does not call it two. */
TEST(a_gap_in_a_broad_spread_is_not_a_mode)
{
    begin(&d, 40, 1);
    d.within = 1;
    for (size_t i = 0; i < d.n; i++)
        d.values[i] = i < 20 ? 100 : 106;
    assert_int_equal(find(&d).count, 2);
    /* The same gap, but six of each side lie far out: D falls below 3. */
    for (size_t i = 0; i < 6; i++) {
        d.values[i] = 100 - 3 * (double)(i + 1);
        d.values[39 - i] = 106 + 3 * (double)(i + 1);
    }
    assert_int_equal(find(&d).count, 1);
}

TEST(few_blocks_have_no_modes)
{
    begin(&d, 1, 1);
    d.n = 0;
    assert_int_equal(find(&d).count, 0);
    for (size_t n = 1; n <= 5; n++) {
        begin(&d, n, 1);
        for (size_t i = 0; i < n; i++)
            d.values[i] = i < n / 2 ? 4 : 6;
        struct modes m = find(&d);
        assert_int_equal(m.count, 1);
        assert_true(m.mode[0].sd >= 0);
    }
    begin(&d, 6, 1);
    for (size_t i = 0; i < 6; i++)
        d.values[i] = i % 2 ? 4 : 6;
    struct modes m = find(&d);
    assert_int_equal(m.count, 2);
    assert_true(m.mode[0].n == 3 && m.mode[0].sd == 0 && m.mode[1].share == 0.5);
}

/* A block in which the core's clock moved is between the modes and belongs to neither. */
TEST(stray_values_do_not_hide_a_mode)
{
    static const size_t numbers[] = {0, 5, 10, 60};

    for (size_t j = 0; j < 4; j++) {
        size_t strays = numbers[j];
        struct rng rng = {1};
        begin(&d, 1000, 16);
        for (size_t i = 0; i < d.n; i++)
            d.values[i] = (i % 10 < 3 ? 106 : 100) + 0.5 * gauss(&rng);
        for (size_t i = 0; i < strays; i++) /* evenly over the gap: none of 4 errors is left */
            d.values[i * 16] = 101.5 + 3.0 * (double)(i + 1) / (double)(strays + 1);
        struct modes modes = find(&d);
        assert_int_equal(modes.count, strays <= 10 ? 2u : 1u);
        if (modes.count == 2)
            assert_close(modes.mode[1].share, 0.3, 0.02);
    }
}
