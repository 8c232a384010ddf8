/* What a loop hides of an operation: by rules that no one core taught, on made cores. */
#include "tests/unit/unit.h"
#include "bench/measure/loop_cost.c"

double gathered_location(const struct gathered *g, enum kind k)
{
    return g->sum[k] / (double)g->kept[k];
}

static enum hidden hides(double net, double half, double loop, double instructions, double nop)
{
    return loop_hides(&(struct loop_facts){net, net - half, loop, instructions, nop});
}

/* Three branches a cycle: a call and its return next to the loop's jump. */
static void a_call_beside_the_loop_is_hidden(void **state)
{
    (void)state;
    assert_int_equal(hides(0.02, 0.03, 1.0, 2, 1.0 / 6), HIDDEN_ALL); /* within its error of zero */
    assert_int_equal(hides(0.02, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_PART); /* faster than six wide */
    assert_int_equal(hides(-0.02, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_ALL);
    assert_int_equal(hides(0.4, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_MAYBE);
    assert_int_equal(hides(3.0, 0.01, 1.0, 2, 1.0 / 6), HIDDEN_NOT);
}

/* The same on cores of any width: what decides is the core's own. */
static void the_width_is_the_cores_own(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 12; width++) {
        double nop = 1.0 / width, instructions = 12;
        assert_int_equal(hides(0.99 * instructions * nop, 0.01, 0.5, instructions, nop),
                         HIDDEN_PART);
        assert_int_equal(hides(1.01 * instructions * nop, 0.01, 0.5, instructions, nop),
                         HIDDEN_NOT);
    }
    /* Not known: the loop's own cost decides. */
    assert_int_equal(hides(0.1, 0.01, 1.0, 12, UNKNOWN), HIDDEN_MAYBE);
    assert_int_equal(hides(0.1, 0.01, 1.0, UNKNOWN, 0.25), HIDDEN_MAYBE);
}

static void what_executes_nothing_has_nothing_to_hide(void **state)
{
    (void)state;
    assert_int_equal(hides(0.001, 0.01, 1.0, 0, 0.25), HIDDEN_NOT);
    assert_int_equal(hides(UNKNOWN, 0.01, 1.0, 1, 0.25), HIDDEN_NOT);
    assert_int_equal(hides(0.1, 0.01, UNKNOWN, 1, 0.25), HIDDEN_NOT);
}

/* A wide interval, or pairs of instructions that a core fuses, are not the loop's doing. */
static void a_loop_hides_no_more_than_it_takes(void **state)
{
    (void)state;
    assert_int_equal(hides(0.3, 0.4, 0.001, 1.25, 1.0 / 8), HIDDEN_NOT);
    assert_int_equal(hides(3, 4, 1, 3, 1.0 / 8), HIDDEN_NOT);
    assert_int_equal(hides(2, 0.01, 0.5, 20, 1.0 / 8), HIDDEN_PART);
    assert_int_equal(hides(1.9, 0.01, 0.5, 20, 1.0 / 8), HIDDEN_NOT);
}

/* E and E2 of a loop of 1000 turns, two ticks a core cycle. */
static struct row_loop cost(bool loop, enum execution execution)
{
    static struct bench bench = {.form = FORM_LOOP, .ops = 1000};
    struct engine e = {.execution = execution, .cycle = {.by = CYCLES_RULER}};
    struct gathered g = {0};
    struct row row = {.bench = &bench, .cycles_per_tick = 0.5};

    g.used[KIND_EMPTY] = true;
    g.used[KIND_EMPTY2] = loop;
    g.sum[KIND_EMPTY] = 3 * 2100.0;
    g.sum[KIND_EMPTY2] = 3 * 4140.0;
    g.kept[KIND_EMPTY] = g.kept[KIND_EMPTY2] = 3;
    row.headline.cycles = (struct estimate){.theta = 0.02, .lo = 0.01, .hi = 0.03};
    row.stepped = (struct stepped){.tried = true, .instructions = 2};
    e.own.witness.best = 0.25;
    loop_cost(&e, &g, &row);
    return row.loop;
}

static void gross_is_net_and_the_loop(void **state)
{
    (void)state;
    struct row_loop l = cost(true, EXEC_SILICON);
    assert_true(l.cycles > 1.0199 && l.cycles < 1.0201);
    assert_true(l.gross > 1.0399 && l.gross < 1.0401);
    assert_int_equal(l.hides, HIDDEN_PART);
    assert_false(is_known(cost(false, EXEC_SILICON).gross));
    assert_false(is_known(cost(true, EXEC_EMULATED).gross));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_beside_the_loop_is_hidden),
        cmocka_unit_test(the_width_is_the_cores_own),
        cmocka_unit_test(what_executes_nothing_has_nothing_to_hide),
        cmocka_unit_test(a_loop_hides_no_more_than_it_takes),
        cmocka_unit_test(gross_is_net_and_the_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
