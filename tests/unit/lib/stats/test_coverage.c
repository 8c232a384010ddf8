#include "lib/stats/coverage.h"
#include "lib/stats/estimate.h"
#include "lib/stats/moments.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/unit.h"

#define WANTED 0.95

enum { LAUNCHES_MOST = 40 };
static double scratch[COVERAGE_SCRATCH(LAUNCHES_MOST)];

static struct coverage_row one(double at, double half)
{
    return (struct coverage_row){at, at - half, at + half};
}

static void shares_are_those_counted_by_hand(void **state)
{
    (void)state;
    /* Row 0: 10 +- 1, 11 +- 0.5, 20 +- 100. Covered: (0,1), (2,0), (2,1); not (0,2), (1,0), (1,2).
     * Row 1: the second launch has no figure; (0,2) and (2,0) covered. */
    struct coverage_row rows[] = {
        one(10, 1),   one(5, 1),                 /* launch 0 */
        one(11, 0.5), one(__builtin_nan(""), 1), /* launch 1 */
        one(20, 100), one(4, 2),                 /* launch 2 */
    };
    struct coverage c = coverage(rows, 3, 2, WANTED, 1, scratch);
    assert_close(c.pairs, 8, 0);
    assert_close(c.share, 5.0 / 8, 1e-15);
    /* Drawn from three: launches 0 and 2 alone have 3/4, the other two couples 1/2. */
    assert_true(c.se > 0.05 && c.se < 0.15 && c.fails);
    rows[5].lo = __builtin_nan(""); /* not known: (2,0) is lost */
    assert_close(coverage(rows, 3, 2, WANTED, 1, scratch).share, 0.5, 1e-15);
    c = coverage(rows, 2, 2, WANTED, 1, scratch);
    assert_close(c.pairs, 2, 0);
    assert_close(c.share, 0.5, 0); /* the bound itself is inside */
    assert_true(c.se != c.se && !c.fails);
    c = coverage(rows, 1, 2, WANTED, 1, scratch);
    assert_true(c.pairs == 0 && c.share != c.share && !c.fails);
}

/* Each end alone. */
static void each_end_of_an_interval_is_used(void **state)
{
    (void)state;
    const struct coverage_row rows[] = {{3, 2.9, 4.1}, {4, 3.9, 4.1}};
    assert_close(coverage(rows, 2, 1, WANTED, 1, scratch).share, 0.5, 0);
}

/* The same share against another bar. */
static void the_caller_sets_the_required_share(void **state)
{
    (void)state;
    struct coverage_row rows[10];
    for (int i = 0; i < 10; i++)
        rows[i] = one(i == 4 ? 9 : 5, i == 4 ? 5 : 0.5); /* 9 of 90 pairs miss */
    assert_close(coverage(rows, 10, 1, COVERAGE_POOLED, 7, scratch).share, 0.9, 1e-15);
    for (int i = 0; i < 10; i++)
        rows[i] = one(i % 2, 0.5);
    assert_true(coverage(rows, 10, 1, COVERAGE_ROW, 7, scratch).fails);
    assert_false(coverage(rows, 10, 1, 0.3, 7, scratch).fails);
}

static void all_or_no_pairs_are_covered(void **state)
{
    (void)state;
    struct coverage_row rows[10];
    for (int good = 0; good <= 1; good++) {
        for (int i = 0; i < 10; i++)
            rows[i] = one(i, good ? 100 : 0.5);
        struct coverage c = coverage(rows, 10, 1, WANTED, 7, scratch);
        assert_close(c.pairs, 90, 0);
        assert_close(c.share, good, 0);
        assert_close(c.se, 0, 0);
        assert_int_equal(c.fails, !good);
    }
}

/* One launch of ten far from the others, its interval as wide as theirs: 18 of 90 pairs miss, and
 * the bootstrap knows that it hangs on that one launch. */
static void a_launch_far_from_the_others_widens_the_error(void **state)
{
    (void)state;
    struct coverage_row rows[10];
    for (int i = 0; i < 10; i++)
        rows[i] = one(i == 4 ? 9 : 5, 0.5);
    struct coverage c = coverage(rows, 10, 1, WANTED, 7, scratch),
                    again = coverage(rows, 10, 1, WANTED, 7, scratch);
    assert_close(c.share, 0.8, 1e-15);
    assert_true(c.se > 0.08 && c.se < 0.25 && !c.fails);
    assert_true(again.se == c.se);
    assert_true(coverage(rows, 10, 1, WANTED, 8, scratch).se != c.se);
}

/* The error against the scatter of many experiments; and a promise of half the width fails. */
static void the_error_is_the_scatter(void **state)
{
    (void)state;
    enum { LAUNCHES = 30, ROWS = 10 };
    static struct coverage_row rows[LAUNCHES * ROWS];
    static const double widths[] = {2.576 * 1.4142, 1.288 * 1.4142};
    for (int j = 0; j < 2; j++) {
        struct rng rng = {31};
        struct moments shares = {0}, errors = {0};
        int failed = 0;
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < LAUNCHES * ROWS; i++)
                rows[i] = one(gauss(&rng), widths[j]);
            struct coverage c = coverage(rows, LAUNCHES, ROWS, WANTED, 1, scratch);
            moments_add(&shares, c.share);
            moments_add(&errors, c.se);
            failed += c.fails;
        }
        assert_close(shares.mean, j ? 0.8023 : 0.99, 0.005);
        double ratio = errors.mean / moments_sd(&shares);
        assert_true(ratio > 0.6 && ratio < 1.7);
        assert_int_equal(failed, j ? 40 : 0);
    }
}

/* From placements to coverage: the whole of the interval of docs/figure.md. */
static void intervals_of_estimate_hold(void **state)
{
    (void)state;
    enum { LAUNCHES = 30, ROWS = 10, R = 16 };
    static struct coverage_row rows[LAUNCHES * ROWS];
    struct rng rng = {37};
    for (int l = 0; l < LAUNCHES; l++)
        for (int k = 0; k < ROWS; k++) {
            double theta[R], room[R];
            for (int i = 0; i < R; i++)
                theta[i] = (1 + k) * (1 + 0.02 * gauss(&rng));
            struct estimate e =
                estimate_over(&(struct estimate_found){.theta = theta, .placements = R}, room);
            rows[l * ROWS + k] = (struct coverage_row){e.theta, e.lo, e.hi};
        }
    struct coverage c = coverage(rows, LAUNCHES, ROWS, WANTED, 1, scratch);
    assert_close(c.pairs, LAUNCHES * (LAUNCHES - 1) * ROWS, 0);
    assert_close(c.share, 0.99, 0.01);
    assert_true(c.se < 0.01 && !c.fails);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_counted_by_hand),
        cmocka_unit_test(each_end_of_an_interval_is_used),
        cmocka_unit_test(the_caller_sets_the_required_share),
        cmocka_unit_test(all_or_no_pairs_are_covered),
        cmocka_unit_test(a_launch_far_from_the_others_widens_the_error),
        cmocka_unit_test(the_error_is_the_scatter),
        cmocka_unit_test(intervals_of_estimate_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
