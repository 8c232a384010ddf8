/* The estimate of the time left, on rows whose times are planted. */
#include "tests/unit/cmocka_unit.h"
#include "bench/engine/duration.h"
#include "bench/engine/budget.h"
#include "bench/engine/method.h"
#include "bench/run/progress.h"
#include "bench/engine/gathered.h"
#include "tests/unit/close.h"

#define TOLD      5.0    /* ticks for showing a row */
#define ROW_BYTES 3000.0 /* of a row in the report, as long as none was shown */

static const char *lacks(unsigned needs)
{
    return needs ? "not here" : NULL;
}

static const struct cpu cpu = {.vendor = VENDOR_INTEL, .tsc = true};
static const struct platform platform = {.cpu = &cpu, .lacks = lacks};

/* What adaptive cannot have has no grain here. */
const char *method_lacks(const struct bench *b, enum method method, bool cold)
{
    return method == METHOD_ADAPTIVE && !b->window.grain ? "no loop" : NULL;
}

static struct options o;
static struct engine e;

/* The tests of guesses begin with this engine. */
static void start(void)
{
    options_default(&o);
    e = (struct engine){.p = &platform,
                        .facts.o = &o,
                        .facts.rounds = 1,
                        .facts.samples = 2048,
                        .facts.ensembles = ENSEMBLES_AUTO,
                        .facts.size = SIZE_AUTO,
                        .facts.ticks_per_cycle = 0.5};
}

BEFORE_EACH(start);

TEST(guesses_are_proportional_to_the_rows_sizes)
{
    struct bench empty = {.window.form = FORM_EMPTY}, few = {.window.form = FORM_LOOP, .ops = 100},
                 many = {.window.form = FORM_LOOP, .ops = 10000},
                 other = {.window.form = FORM_NONE},
                 cold = {.window.form = FORM_LOOP,
                         .ops = 100,
                         .needs.room_bytes = 40000,
                         .window.cold = true};
    double one = duration_windows(&e, &few);

    assert_true(duration_windows(&e, &empty) < one / 4);
    assert_true(duration_windows(&e, &many) > 5 * one);
    assert_true(duration_windows(&e, &cold) > 10 * one);
    /* At 1 GHz, as long as the TSC's frequency is not known. */
    assert_close(budget_guess(&e.facts, 5000), 5e9, 1);
    e.facts.tsc_hz = 3e9;
    assert_close(budget_guess(&e.facts, 5000), 15e9, 1);
    e.facts.execution = EXEC_INSTRUCTIONS;
    assert_true(budget_guess(&e.facts, 5000) < 1e9);
    e.facts.execution = EXEC_SILICON;
    assert_true(duration_steps(&e, &other, NULL) == 0);
    e.facts.ticks_per_cycle = 1;
    assert_true(duration_windows(&e, &few) == 2 * one);
    e.facts.samples = 4096;
    assert_true(duration_windows(&e, &few) > 3 * one);
}

TEST(the_estimate_of_a_refused_row_is_0)
{
    struct bench b = {.window.form = FORM_LOOP, .ops = 100};

    assert_true(duration_windows(&e, &b) > 0);
    b.needs.platform = NEED_RING0;
    assert_true(duration_windows(&e, &b) == 0);
    b.needs.platform = 0;
    o.method = METHOD_ADAPTIVE;
    e.facts.tsc_hz = 1e9;
    assert_true(duration_windows(&e, &b) == 0);
}

TEST(each_method_has_its_own_length)
{
    struct bench b = {.window.form = FORM_LOOP, .ops = 100, .window.grain = 1};

    e.facts.tsc_hz = 1e9;
    o.method = METHOD_ENSEMBLES;
    double some = duration_windows(&e, &b);
    e.facts.ensembles *= 10;
    assert_true(duration_windows(&e, &b) > 9 * some);
    o.method = METHOD_KBEST;
    assert_true(duration_windows(&e, &b) < some / 10);
    o.method = METHOD_ADAPTIVE;
    some = duration_windows(&e, &b);
    o.target *= 2;
    assert_true(duration_windows(&e, &b) == 2 * some);
}

/* Rows of two suites; the guesses for the second are wrong by another factor. */
static const double guess[] = {100, 200, 50, 400, 100, 100}, wrong_by[] = {3, 3, 3, 6, 6, 6};
#define ROWS  6
#define FIRST 3 /* of them in the first suite */

/* All rows have `rounds` turns, each as long as the one before; the last one shows the row. */
static double truth_from(unsigned rounds, unsigned round, size_t row, double part)
{
    double left = -guess[row] * wrong_by[row] * part;

    for (unsigned r = round; r < rounds; r++)
        for (size_t i = r == round ? row : 0; i < ROWS; i++)
            left += guess[i] * wrong_by[i] + (r + 1 == rounds ? TOLD : 0);
    return left;
}

static double estimate(const struct progress *p, unsigned rounds, unsigned round, size_t row,
                       double part)
{
    struct progress_rest rest = {.shown = round + 1 == rounds ? ROWS - row : ROWS};
    struct progress_turn turn = {guess[row], 0, part, guess[row] * wrong_by[row] * part};

    for (size_t i = 0; i < ROWS; i++) {
        unsigned turns = rounds - 1 - round + (i > row);
        if (round > 0 || i < row)
            rest.known += turns * guess[i] * wrong_by[i];
        else
            *((i < FIRST) == (row < FIRST) ? &rest.suite : &rest.other) += turns * guess[i];
    }
    if (round > 0)
        turn.known = guess[row] * wrong_by[row];
    return progress_left(p, &rest, &turn);
}

/* Exact once everything left is of the suite that runs, or that ran before. The row that runs shows
 * how wrong guesses are, from its first part on. */
TEST(the_estimate_follows_the_time_that_rows_take)
{
    for (unsigned rounds = 1; rounds <= 4; rounds++) {
        struct progress p = {0};
        for (unsigned round = 0; round < rounds; round++)
            for (size_t row = 0; row < ROWS; row++) {
                if (row == 0 || row == FIRST)
                    progress_suite(&p);
                for (unsigned tenth = 0; tenth < 10; tenth++) {
                    double part = tenth / 10.0;
                    if (round == 0 && row == 0 && tenth == 0)
                        continue;
                    double left = estimate(&p, rounds, round, row, part);
                    double truth = truth_from(rounds, round, row, part);
                    if ((p.shown > 0 && row > FIRST) || (round > 0 && p.shown > 0))
                        assert_close(left, truth, 1e-9);
                    if (row > FIRST || round > 0)
                        assert_close(left, truth, ROWS * TOLD + 1e-9);
                    assert_true(left > truth / 2 && left < truth * 2);
                }
                if (round == 0)
                    progress_first(&p, guess[row], guess[row] * wrong_by[row]);
                if (round + 1 == rounds)
                    progress_shown(&p, 1, TOLD);
            }
        assert_int_equal(p.turns, ROWS);
        assert_int_equal(p.shown, ROWS);
    }
}

/* `suite=sum bench=cold layout=sweep`: one row of many placements. */
TEST(a_row_alone_is_estimated_by_its_parts)
{
    const struct progress p = {0};
    const struct progress_rest none = {0};

    for (unsigned percent = 1; percent < 100; percent++) {
        const struct progress_turn turn = {17, 0, percent / 100.0, 54.0 * percent};
        assert_true(progress_is_known(&p, &turn));
        assert_close(progress_left(&p, &none, &turn), 54.0 * (100 - percent), 1e-9);
    }
    assert_false(progress_is_known(&p, &(struct progress_turn){17, 0, 0, 0}));
}

/* One of ten takes a hundred times as long: the others are not assumed to. */
TEST(one_long_row_does_not_lengthen_the_others)
{
    struct progress p = {0};
    const struct progress_rest rest = {.suite = 100, .other = 100};
    const struct progress_turn turn = {0, 0, 0, 0};

    for (unsigned i = 0; i < 9; i++)
        progress_first(&p, 10, 20);
    assert_close(progress_left(&p, &rest, &turn), 400, 1e-9);
    progress_first(&p, 10, 2000);
    assert_close(progress_left(&p, &rest, &turn), 480, 1e-9);
}

/* A serial port takes longer than the rows: the progress line shows that before a row is shown. */
TEST(a_slow_console_is_in_the_estimate)
{
    struct progress p = {0};
    const struct progress_rest rest = {.shown = 10, .suite = 100};
    const struct progress_turn turn = {0, 0, 0, 0};

    progress_first(&p, 100, 100);
    progress_line(&p, 80, 8000);
    progress_line(&p, 80, 8000);
    assert_close(progress_left(&p, &rest, &turn), 100 + 10 * 100 * ROW_BYTES, 1e-6);
    progress_shown(&p, 1, 5000);
    assert_close(progress_left(&p, &rest, &turn), 100 + 10 * 5000.0, 1e-6);
}

/* By the time of a step, and by the length of the windows of this number of operations. */
TEST(stepping_is_guessed)
{
    struct bench b = {.window.form = FORM_FUNCTION, .ops = 1000, .window.grain = 50};

    e.facts.stepping.ticks = 40000;
    struct gathered g = {.used = {[KIND_BODY] = true}, .kept = {[KIND_BODY] = 1}};
    g.sum[KIND_BODY] = 5000;
    double some = duration_steps(&e, &b, &g);
    assert_true(some > 100 * e.facts.stepping.ticks && some < 10000 * e.facts.stepping.ticks);
    g.sum[KIND_BODY] = 50000;
    assert_true(duration_steps(&e, &b, &g) > 5 * some);
    b.window.grain = 100;
    assert_true(duration_steps(&e, &b, &g) > 12 * some);
    assert_true(duration_steps(&e, &b, NULL) > 0);
    e.facts.stepping.ticks *= 2;
    assert_true(duration_steps(&e, &b, &g) > 24 * some);
    o.instructions = INSTRUCTIONS_OFF;
    assert_true(duration_steps(&e, &b, &g) == 0);
}

/* The guessed number of steps of rows is learnt, more so the less is left. */
TEST(stepping_is_learnt)
{
    struct progress p = {0};
    const struct progress_turn turn = {0, 0, 0, 0};
    double before = 100;

    for (unsigned done = 1; done <= 10; done++) {
        const struct progress_rest rest = {.steps = 10 * (10 - done)};
        progress_stepped(&p, 10, 30);
        double left = progress_left(&p, &rest, &turn), truth = 3 * rest.steps;
        assert_true(left <= truth && left >= truth / 2.5);
        assert_true(done < 3 || left >= truth / 2);
        assert_true(left < 2 * before);
        before = left;
    }
}

/* A machine on which blocks are repeated, more of them at one time than at another: the factor by
 * which a turn then takes longer, by the number of turns that are done. */
#define TURN_ROWS 40
#define TURNS     (4 * TURN_ROWS)

static double always(unsigned turn)
{
    return 3;
}

static double bursts(unsigned turn)
{
    return turn % 9 < 3 ? 6 : 1;
}

static double more_and_more(unsigned turn)
{
    return 1 + 2.0 * turn / TURNS;
}

static double from_the_second_round(unsigned turn)
{
    return turn < TURN_ROWS ? 1 : 3;
}

static double no_longer(unsigned turn)
{
    return turn < 2 * TURN_ROWS ? 3 : 1;
}

/* Returns the lines between two shares of the time that are wrong by more than a factor of 2. */
static unsigned wrong_lines(double (*slower)(unsigned), double from, double to)
{
    struct progress p = {0};
    double took[TURN_ROWS] = {0}, work = 10, all = 0, done = 0;
    unsigned wrong = 0;

    for (unsigned t = 0; t < TURNS; t++)
        all += work * slower(t);
    for (unsigned t = 0; t < TURNS; t++) {
        unsigned row = t % TURN_ROWS, round = t / TURN_ROWS;
        struct progress_rest rest = {0};
        const struct progress_turn turn = {2 * work, took[row], 0, 0};
        if (row == 0)
            progress_round(&p);
        for (unsigned i = 0; i < TURN_ROWS; i++) {
            unsigned turns = 3 - round + (i > row);
            *(i < row ? &rest.fresh : &rest.known) += took[i] * turns;
            rest.suite += took[i] > 0 ? 0 : 2 * work * turns;
        }
        double left = progress_left(&p, &rest, &turn), truth = all - done;
        if (done > from * all && done < to * all)
            wrong += left < truth / 2 || left > 2 * truth;
        if (took[row] > 0)
            progress_again(&p, took[row], work * slower(t));
        else
            progress_first(&p, 2 * work, work * slower(t));
        took[row] = work * slower(t);
        done += took[row];
    }
    return wrong;
}

/* Right from the first tenth on, or from a tenth after an unannounced change. */
TEST(follows_a_share_that_changes)
{
    assert_int_equal(wrong_lines(always, 0.1, 1), 0);
    assert_int_equal(wrong_lines(bursts, 0.1, 0.9), 0);
    assert_int_equal(wrong_lines(more_and_more, 0.1, 1), 0);
    assert_int_equal(wrong_lines(from_the_second_round, 0.2, 1), 0);
    assert_true(wrong_lines(no_longer, 0.1, 0.75) > 0); /* before: the machine was another */
    assert_int_equal(wrong_lines(no_longer, 0.85, 0.99), 0);
}
