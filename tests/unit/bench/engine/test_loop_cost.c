/* What a loop hides of an operation, on made-up cores: the rules depend on no particular core. */
#include "tests/unit/cmocka_unit.h"
#include "bench/engine/row_figure.h"

static enum hidden hides(double net, double half, double loop, double instructions, double nop)
{
    return loop_hides(&(struct loop_facts){net, net - half, net + half, loop, instructions, nop});
}

/* Rows of suite `compiler` on a virtual Zen 5, samples=64, next to three busy loops: the figure and
 * its interval, the cost of an iteration of the empty loop, instructions. All four once read "hides
 * all of it". */
static const struct loop_facts recorded[] = {
    {0.133786, -7.102679, 7.370252, 1.336815, 4, UNKNOWN},   /* sum_formula_4 */
    {1.111752, -15.82579, 18.049294, 1.152583, 8, UNKNOWN},  /* squares_formula_2 */
    {-0.313625, -7.02569, 6.39844, 1.406667, 4, UNKNOWN},    /* sum_formula_4, another launch */
    {-0.002124, -1.363221, 1.358972, 0.996431, 1, UNKNOWN}}; /* statement */
/* calls/inline_inc of an idle one. */
static const struct loop_facts narrow = {-0.001, -0.026, 0.024, 1.0, 1, 1.0 / 8};

TEST(an_interval_that_reaches_beyond_the_loop_proves_nothing)
{
    EACH_CASE (c, recorded)
        assert_int_equal(loop_hides(c), HIDDEN_MAYBE);
    assert_int_equal(loop_hides(&narrow), HIDDEN_ALL);
    /* An upper bound at the loop's cost would hide nothing: no instruction of an eight wide core
     * takes less than 1/16 of a cycle. */
    struct loop_facts f = narrow;
    f.hi = 0.062;
    assert_int_equal(loop_hides(&f), HIDDEN_ALL);
    f.hi = 0.063;
    assert_int_equal(loop_hides(&f), HIDDEN_MAYBE);
    f.hi = 0.999;
    assert_int_equal(loop_hides(&f), HIDDEN_MAYBE);
    f.hi = UNKNOWN;
    assert_int_equal(loop_hides(&f), HIDDEN_MAYBE);
    /* Nor does an interval that reaches beyond the instructions' own time prove a part. */
    assert_int_equal(hides(0.9, 0.01, 0.5, 20, 1.0 / 8), HIDDEN_PART);
    assert_int_equal(hides(0.9, 0.4, 0.5, 20, 1.0 / 8), HIDDEN_MAYBE);
}

TEST(a_negative_gross_figure_is_not_known)
{
    struct loop_facts f = narrow;

    assert_true(loop_gross(&f) > 0.9989 && loop_gross(&f) < 0.9991);
    assert_true(loop_gross(&recorded[1]) > 2.26);
    f.net = -1.5; /* the interval is below the loop's cost, and means nothing */
    f.lo = -1.6;
    f.hi = -1.4;
    assert_false(is_known(loop_gross(&f)));
    assert_int_equal(loop_hides(&f), HIDDEN_MAYBE);
}

/* Three branches per cycle: a call and its return next to the loop's jump. */
TEST(a_call_next_to_the_loop_is_hidden)
{
    assert_int_equal(hides(0.02, 0.03, 1.0, 2, 1.0 / 6), HIDDEN_ALL); /* within its error of zero */
    assert_int_equal(hides(0.02, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_PART); /* faster than twelve wide */
    assert_int_equal(hides(-0.02, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_ALL);
    assert_int_equal(hides(0.4, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_MAYBE);
    assert_int_equal(hides(3.0, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_NOT);
}

/* Returns the time of n instructions at a core's width if `fused` pairs of them take one slot
 * each. */
static double at_full_width(unsigned n, unsigned fused, unsigned width)
{
    return (double)(n - fused) / width;
}

/* The same on cores of any width, because the core's own width decides. Of a body that is executed
 * at full width next to the loop nothing is hidden, whatever share of its instructions is fused. */
TEST(fused_pairs_are_not_hidden_by_the_loop)
{
    for (unsigned width = 1; width <= 12; width++)
        for (unsigned n = 12; n <= 120; n += 12)
            for (unsigned fused = 0; fused <= n / 2; fused++) {
                double net = 1.005 * at_full_width(n, fused, width);
                assert_int_equal(hides(net, 0.01, net / 1.1, n, 1.0 / width), HIDDEN_NOT);
            }
    /* 60 instructions, 12 pairs: 48 slots of an eight wide core, read as 6.9 to 7.5 cycles. */
    assert_int_equal(hides(6.9, 0.01, 1.0, 60, 1.0 / 8), HIDDEN_NOT);
    assert_int_equal(hides(7.4, 0.01, 1.0, 60, 1.0 / 8), HIDDEN_NOT);
}

/* A faster body is impossible: a part of it ran in the loop's own time. */
TEST(a_body_quicker_than_fused_pairs_is_hidden)
{
    for (unsigned width = 1; width <= 12; width++) {
        double least = at_full_width(12, 6, width);
        assert_int_equal(hides(0.99 * least, 0.001, 0.4, 12, 1.0 / width), HIDDEN_PART);
        assert_int_equal(hides(1.01 * least, 0.01, 0.4, 12, 1.0 / width), HIDDEN_NOT);
    }
}

TEST(without_a_width_the_loops_own_cost_decides)
{
    assert_int_equal(hides(0.1, 0.01, 1.0, 12, UNKNOWN), HIDDEN_MAYBE);
    assert_int_equal(hides(0.1, 0.01, 1.0, UNKNOWN, 0.25), HIDDEN_MAYBE);
}

TEST(a_body_without_instructions_hides_nothing)
{
    assert_int_equal(hides(0.001, 0.01, 1.0, 0, 0.25), HIDDEN_NOT);
    assert_int_equal(hides(UNKNOWN, 0.01, 1.0, 1, 0.25), HIDDEN_NOT);
    assert_int_equal(hides(0.1, 0.01, UNKNOWN, 1, 0.25), HIDDEN_NOT);
}

/* A wide interval is not caused by the loop. */
TEST(a_loop_hides_no_more_than_it_takes)
{
    assert_int_equal(hides(0.3, 0.4, 0.001, 1.25, 1.0 / 8), HIDDEN_NOT);
    assert_int_equal(hides(3, 4, 1, 3, 1.0 / 8), HIDDEN_NOT);
    assert_int_equal(hides(1.0, 0.01, 0.5, 20, 1.0 / 8), HIDDEN_PART);
    assert_int_equal(hides(0.7, 0.01, 0.5, 20, 1.0 / 8), HIDDEN_NOT);
}

/* E and E2 of a loop of 1000 iterations, two ticks per core cycle. */
static struct row_loop cost_of(double net, double empty2, bool loop, enum execution execution)
{
    static struct bench bench = {.window.form = FORM_LOOP, .ops = 1000};
    struct engine e = {.facts.execution = execution, .facts.cycle = {.by = CYCLES_RULER}};
    struct gathered g = {0};
    struct row row = {.out.bench = &bench, .cycles_per_tick = 0.5};

    g.used[KIND_EMPTY] = true;
    g.used[KIND_EMPTY2] = loop;
    g.sum[KIND_EMPTY] = 3 * 2100.0;
    g.sum[KIND_EMPTY2] = 3 * empty2;
    g.kept[KIND_EMPTY] = g.kept[KIND_EMPTY2] = 3;
    row.figure.cycles = (struct estimate){.theta = net, .lo = net - 0.01, .hi = net + 0.01};
    row.stepped = (struct stepped){.tried = true, .instructions = 2};
    e.witness.levels.best = 0.25;
    loop_cost(&e, &g, &row);
    return row.loop;
}

static struct row_loop cost(bool loop, enum execution execution)
{
    return cost_of(0.02, 4140, loop, execution);
}

TEST(gross_is_net_and_the_loop)
{
    struct row_loop l = cost(true, EXEC_SILICON);

    assert_true(l.cycles > 1.0199 && l.cycles < 1.0201);
    assert_true(l.gross > 1.0399 && l.gross < 1.0401);
    assert_int_equal(l.hides, HIDDEN_PART);
    l = cost_of(-1.5, 4140, true, EXEC_SILICON);
    assert_false(is_known(l.gross));
    assert_true(is_known(l.cycles));
    l = cost_of(0.02, 2090, true, EXEC_SILICON); /* noise: the empty loop took less than nothing */
    assert_false(is_known(l.gross) || is_known(l.cycles));
    assert_false(is_known(cost(false, EXEC_SILICON).gross));
    assert_false(is_known(cost(true, EXEC_EMULATED).gross));
}

/* --- more instructions than the core can execute ---------------------------------------------- */

/* A row of N instructions in M cycles, on a core of 5.7 NOPs a cycle. */
static struct row paced(double instructions, double cycles, bool doubled)
{
    static struct bench bench = {.window.form = FORM_FUNCTION, .ops = 100};
    static const struct options options;
    struct engine e = {.facts = {.execution = EXEC_SILICON, .o = &options},
                       .witness.levels.best = 1 / 5.7};
    struct row row = {.out.bench = &bench, .loop.cycles = UNKNOWN};

    row.figure.doubled = doubled;
    row.figure.cycles = (struct estimate){.theta = cycles, .lo = cycles - 0.1, .hi = cycles + 0.1};
    row.stepped = (struct stepped){.tried = true, .ops = 100, .instructions = instructions};
    check_pace(&e, &row);
    return row;
}

TEST(more_instructions_than_the_core_can_execute_fail_the_row)
{
    struct row row = paced(187, 2.3, true);

    assert_int_equal(row.figure.pace, PACE_IMPOSSIBLE);
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_non_null(strstr(row.out.why, "187.0 instructions in 2.300 cycles"));
    row = paced(187, 2.3, false); /* a method of the literature: what it subtracts may overlap */
    assert_int_equal(row.figure.pace, PACE_FUSED);
    assert_null(row.out.why);
}

TEST(instructions_may_be_executed_in_pairs)
{
    assert_int_equal(paced(5, 1, true).figure.pace, PACE_POSSIBLE);
    /* The interval reaches six a cycle. */
    assert_int_equal(paced(6.5, 1, true).figure.pace, PACE_POSSIBLE);
    assert_int_equal(paced(7, 1, true).figure.pace, PACE_FUSED);
    assert_int_equal(paced(13, 1, true).figure.pace, PACE_FUSED);
    assert_null(paced(13, 1, true).out.why);
    assert_int_equal(paced(13.5, 1, true).figure.pace, PACE_IMPOSSIBLE);
}

/* --- halves of twice the body ----------------------------------------------------------------- */

/* 16 parts whose first half costs `more` than the second, +-1, next to an empty window of 80. */
static struct row_halves halves(double second, double more)
{
    static struct bench bench = {.ops = 100};
    struct estimate_taken none[16] = {{0}};
    struct part_halves half[16];
    double ticks[16];
    struct gathered g = {.whole = 1,
                         .exclusive = 1,
                         .parts = 16,
                         .ticks = ticks,
                         .ruler = none,
                         .counter = none,
                         .all = none,
                         .halves = half};
    uint64_t scratch[8];
    double mean[2];
    struct row_figure_means means = {&mean[0], &mean[1], 1, 1};

    for (unsigned i = 0; i < 16; i++)
        half[i] = (struct part_halves){second, more + (i % 2 ? 1 : -1), 80};
    return row_figure(&g, &bench, 2, CYCLES_RULER, &means, scratch).halves;
}

TEST(halves_differ_by_more_than_an_empty_window_and_a_quarter)
{
    assert_false(halves(6000, 0).differ);
    assert_false(halves(6000, 1900).differ); /* 24% of the dearer half */
    assert_true(halves(6000, 2100).differ);
    assert_true(halves(6000, -1600).differ);
    assert_false(halves(100, 70).differ); /* what a window does once */
    assert_true(halves(100, 90).differ);
    assert_true(halves(0, 700).differ);
    assert_true(halves(6000, 2100).first == 8100 && halves(6000, 2100).second == 6000);
}
