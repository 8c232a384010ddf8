/* What cores at once cost a row: a quotient, or cycles if the row alone takes almost nothing. */
#include "tests/unit/cmocka_unit.h"
#include "bench/output/show.h"
#include "lib/stats/mathx.h"

static double size_of(double v)
{
    return v < 0 ? -v : v;
}

static struct slowdown of(double alone, double alone_half, double now, double half, double loop)
{
    struct row row = {.beside.together = 2, .loop = {.cycles = loop}};

    row.beside.alone = (struct core_figure){
        .ticks = alone / 2, .cycles = alone, .lo = alone - alone_half, .hi = alone + alone_half};
    row.figure.ticks = now / 2;
    row.figure.cycles = (struct estimate){.theta = now, .lo = now - half, .hi = now + half};
    return slowdown_of(&row);
}

TEST(a_slowdown_is_a_quotient_unless_the_base_is_near_zero)
{
    struct slowdown s = of(3, 0.03, 6, 0.06, 1);

    assert_true(s.relative && size_of(s.cycles - 2) < 1e-9 && size_of(s.ticks - 2) < 1e-9);
    assert_true(size_of(s.high - 2 * (1 + 0.01 * mathx_sqrt(2))) < 1e-9);
    assert_true(size_of(s.low - 2 * (1 - 0.01 * mathx_sqrt(2))) < 1e-9);
    assert_true(of(0.51, 0.01, 1, 0.01, 1).relative);
    assert_true(of(0.3, 0.01, 1, 0.01, 0.001).relative); /* a pass over many, by the element */
    assert_true(of(0.3, 0.01, 1, 0.01, UNKNOWN).relative);
}

/* "2678.58% +- 4036.67%" of 0.02 cycles means nothing; 0.5 cycles more does. */
TEST(near_zero_a_slowdown_is_in_cycles)
{
    const struct {
        double alone, half;
    } near_zero[] = {{0.02, 0.03}, {0.02, 0.001}, {0.49, 0.01}, {-0.01, 0.02}, {3, 3.5}};
    EACH_CASE (c, near_zero) {
        struct slowdown s = of(c->alone, c->half, c->alone + 0.5, 0.04, 1);
        double half = mathx_sqrt(c->half * c->half + 0.04 * 0.04);
        assert_false(s.relative);
        assert_true(size_of(s.cycles - 0.5) < 1e-9 && size_of(s.ticks - 0.25) < 1e-9);
        assert_true(size_of(s.high - 0.5 - half) < 1e-9 && size_of(0.5 - half - s.low) < 1e-9);
    }
}
