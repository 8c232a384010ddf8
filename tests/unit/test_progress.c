/* The estimate of what is left, on rows whose times are planted. */
#include "tests/unit/unit.h"
#include "bench/measure/layout.c"
#include "bench/progress.c"
#include "tests/unit/close.h"

#define TOLD 5.0 /* ticks for showing a row */

uint64_t gaps_duration(const struct engine *e)
{
    (void)e;
    return 7000;
}

bool place_is_cold(const struct engine *e, const struct bench *b)
{
    (void)e;
    return b->cold;
}

size_t parts_windows(const struct options *o, uint32_t samples)
{
    (void)o;
    return samples;
}

static void guesses_stand_to_each_other_as_rows_do(void **state)
{
    struct options o;
    (void)state;
    options_default(&o);
    struct engine e = {.o = &o, .samples = 2048, .ticks_per_cycle = 0.5};
    struct bench empty = {.form = FORM_EMPTY}, few = {.form = FORM_LOOP, .ops = 100},
                 many = {.form = FORM_LOOP, .ops = 10000}, watch = {.form = FORM_WATCH},
                 cold = {.form = FORM_LOOP, .ops = 100, .room_bytes = 40000, .cold = true};
    double one = progress_guess(&e, &few);
    assert_true(progress_guess(&e, &empty) < one / 4);
    assert_true(progress_guess(&e, &many) > 5 * one);
    assert_true(progress_guess(&e, &cold) > 10 * one);
    assert_true(progress_guess(&e, &watch) == 7000);
    e.ticks_per_cycle = 1;
    assert_true(progress_guess(&e, &few) == 2 * one);
    e.samples = 4096;
    assert_true(progress_guess(&e, &few) > 3 * one);
}

/* Rows of two suites; the second's guesses are wrong by another factor. */
static const double guess[] = {100, 200, 50, 400, 100, 100}, wrong_by[] = {3, 3, 3, 9, 9, 9};
#define ROWS  6
#define FIRST 3 /* of them in the first suite */

static double truth_from(size_t row, double part)
{
    double left = guess[row] * wrong_by[row] * (1 - part) + TOLD;
    for (size_t i = row + 1; i < ROWS; i++)
        left += guess[i] * wrong_by[i] + TOLD;
    return left;
}

static struct progress_rest rest_behind(size_t row)
{
    struct progress_rest rest = {.rows = ROWS - 1 - row};
    for (size_t i = row + 1; i < ROWS; i++)
        *((i < FIRST) == (row < FIRST) ? &rest.suite : &rest.other) += guess[i];
    return rest;
}

static double estimate(const struct progress *p, size_t row, double part)
{
    struct progress_rest rest = rest_behind(row);
    return progress_left(p, &rest, guess[row], part, guess[row] * wrong_by[row] * part);
}

/* Exact once all that is left is of the suite that runs; the row that runs says how wrong guesses
 * are, from its first placement on. */
static void follows_what_rows_take(void **state)
{
    struct progress p = {0};
    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        if (row == FIRST)
            progress_suite(&p);
        for (unsigned tenth = 1; tenth < 10; tenth++) {
            double left = estimate(&p, row, tenth / 10.0), truth = truth_from(row, tenth / 10.0);
            if (row > FIRST)
                assert_close(left, truth, 1e-9);
            if (row >= FIRST)
                assert_true(left > truth / 2 && left < truth * 2);
        }
        progress_row(&p, guess[row], guess[row] * wrong_by[row], TOLD);
    }
    assert_int_equal(p.rows, ROWS);
}

/* `suite=sum bench=cold layout=sweep`: one row of many placements. */
static void one_long_row(void **state)
{
    const struct progress p = {0};
    const struct progress_rest none = {0};
    (void)state;
    for (unsigned percent = 1; percent < 100; percent++)
        assert_close(progress_left(&p, &none, 17, percent / 100.0, 54.0 * percent),
                     54.0 * (100 - percent), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_stand_to_each_other_as_rows_do),
        cmocka_unit_test(follows_what_rows_take),
        cmocka_unit_test(one_long_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
