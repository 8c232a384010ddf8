/* A row's instructions from stepped windows (bench/engine/stepped.h): the number of operations of a
 * window, the instructions of an operation, and each reason for which a row has no count. */
#include "lib/text/fmt.h"
#include "tests/unit/bench/made_steps.h"

/* Of this many microseconds. */
static void a_step_takes(double us)
{
    engine.facts.tsc_hz = 1e9;
    engine.facts.stepping = (struct stepping_state){.tried = true, .ticks = us * 1000};
}

BEFORE_EACH(begin_row);

TEST(instructions_per_operation_are_those_that_twice_as_many_add)
{
    const struct stepped *s = go();

    assert_true(stepped_known(s) && s->doubled);
    assert_true(s->instructions == 3);
    assert_true(s->iterations == 0);
    assert_int_equal(s->body2.instructions - s->body.instructions, 5 * s->ops);
    assert_int_equal(s->empty2.instructions - s->empty.instructions, 2 * s->ops);
}

/* For a row that can do few: the windows with the fewest, then longer ones if there is time. */
TEST(a_rows_steps_take_two_milliseconds)
{
    /* us, as measured: 0.1 to 0.3 booted, 5 to 85 in a process. */
    const double cost[] = {0.1, 0.2, 0.3, 0.5, 1, 1.6, 1.7, 2, 5, 16, 33, 85};

    for (made.of_body = 1; made.of_body <= 40; made.of_body += 3) {
        a_step_takes(1e3);
        const uint64_t fewest = go()->traps;
        assert_int_equal(walked_row.stepped.ops, 1);
        EACH_CASE (c, cost) {
            a_step_takes(*c);
            const struct stepped *s = go();
            assert_true(stepped_known(s));
            assert_true((double)(s->traps - fewest) * *c <= STEPPED_US);
            assert_true(s->ops > 1 || *c > 1);
        }
    }
}

TEST(where_a_step_takes_long_the_bound_is_a_time)
{
    a_step_takes(100);
    loop.window.grain = loop.ops = 2500; /* 12,500 steps: a second and a quarter */
    assert_non_null(strstr(go()->why_not, "10000 steps for 2500 operations"));
    assert_null(walked_row.out.why);
    a_step_takes(1e6);
    loop.window.grain = loop.ops = 20;
    assert_true(stepped_known(go())); /* 300 steps are always taken */
}

/* The operations of a window, and whether twice as many are stepped too. */
TEST(a_window_has_the_operations_that_the_row_and_300_steps_allow)
{
    static const struct {
        double us; /* of a step */
        unsigned long long of_body;
        uint32_t ops, grain, most_ops, step_ops;
        enum form form;
        bool not_doubled;
        uint64_t stepped; /* 0: none */
        bool doubled;
    } cases[] = {
        {0.2, 5, OPS, 0, 0, 0, FORM_LOOP, false, (STEPPED_WINDOW - FRAME) / (2 * 5), true},
        {0.2, 60, OPS, 0, 0, 0, FORM_LOOP, false, 2, true},
        {16, 5, OPS, 0, 0, 0, FORM_LOOP, false, 1, true}, /* where a step takes long */
        {0.2, 5, OPS, 4, 16, 0, FORM_LOOP, false, 8, true},
        {0.2, 5, OPS, 16, 16, 0, FORM_LOOP, false, 16, false},   /* it can do them once only */
        {16, 5, 1024, 1024, 2048, 8, FORM_LOOP, false, 8, true}, /* as it declares */
        /* A long row is doubled up to a bound, which does not depend on this machine's time. */
        {0, 5, 2900, 2900, 0, 0, FORM_LOOP, false, 2900, true},
        {33, 5, 2900, 2900, 0, 0, FORM_LOOP, false, 2900, true},
        {33, 5, 4000, 4000, 0, 0, FORM_LOOP, false, 4000, true},
        {33, 5, 10000, 10000, 0, 0, FORM_LOOP, false, 0, false},
        {0, 5, 100, 0, 0, 0, FORM_FUNCTION, true, 100, false},
        {0, 5, 10000, 0, 0, 0, FORM_FUNCTION, true, 0, false}, /* too many, if it names no fewer */
        {0, 5, 10000, 50, 0, 0, FORM_FUNCTION, true, 50, false},
        {0, 5, 100, 0, 0, 0, FORM_LOOP, true, 1, false}, /* the empty loop runs as many */
    };

    EACH_CASE (c, cases) {
        begin_row();
        if (c->us > 0)
            a_step_takes(c->us);
        made.of_body = c->of_body;
        loop.ops = c->ops;
        loop.window.grain = c->grain;
        loop.window.most_ops = c->most_ops;
        loop.window.step_ops = c->step_ops;
        loop.window.form = c->form;
        loop.window.not_doubled = c->not_doubled;
        const struct stepped *s = go();
        assert_null(walked_row.out.why);
        assert_int_equal(stepped_known(s), c->stepped > 0);
        if (c->stepped == 0)
            continue;
        assert_int_equal(s->ops, c->stepped);
        assert_int_equal(s->doubled, c->doubled);
        assert_int_equal(made.most_operations, c->stepped * (c->doubled ? 2 : 1));
        assert_true(s->instructions == (double)(c->of_body - made.of_empty));
        assert_true(s->doubled || s->body2.instructions == 0);
        assert_true(s->body2.instructions <= STEPPED_WINDOW || c->grain > 0);
    }
    loop.ops = loop.window.grain = 10000;
    loop.window.not_doubled = false;
    assert_non_null(strstr(go()->why_not, "30000 steps for 10000 operations"));
}

/* A check that accepts `enough` operations and more. */
static uint64_t enough;

static const char *wants_more(const struct object *o, uint64_t operations)
{
    return operations < enough ? "too few" : NULL;
}

TEST(a_check_may_want_more_operations)
{
    a_step_takes(16);
    loop.check = wants_more;
    loop.ops = 100;
    enough = 60;
    const struct stepped *s = go();
    assert_true(stepped_known(s));
    assert_int_equal(s->ops, 64);
    assert_true(s->instructions == 3);
    enough = 101; /* more than a window has */
    s = go();
    assert_false(stepped_known(s));
    assert_non_null(strstr(s->why_not, "after 64 operations its check says: too few"));
    assert_int_equal(walked_row.out.status, ROW_OK);
    assert_null(walked_row.out.why);
}

/* A row of an object, before and after its check. */
static const struct stepped *go_with_left(void)
{
    static const struct bench_code code = {.user = true};

    memset(&walked_row, 0, sizeof walked_row);
    loop.code = &code;
    walked_row.out.bench = &loop;
    places[0].check = loop.check;
    places[0].setup = sets_up;
    places[0].kind[KIND_BODY2] = places[0].kind[KIND_BODY];
    made.set_up = false;
    uint64_t operations = stepped_left(&engine, &walked_row, 0);
    bool both = walked_row.stepped.left.calls == 2 && !walked_row.stepped.left.why_not[0];
    assert_int_equal(operations, both ? 6 * OPS : 2 * OPS);
    stepped_row(&engine, &walked_row, 0);
    return &walked_row.stepped;
}

TEST(work_is_also_counted_in_the_state_that_the_timed_windows_left)
{
    static const uint64_t of_left[] = {5, 4, 6, 2, 900}; /* with fresh data 5, 2 of them empty */

    EACH_CASE (c, of_left) {
        loop.ops = OPS;
        made.of_left = *c;
        const struct stepped *s = go_with_left();
        assert_true(stepped_known(s) && s->instructions == 3);
        assert_int_equal(s->ops, OPS);
        assert_int_equal(s->left.ops, 3 * OPS); /* B and B2 */
        if (*c == 900) {
            assert_non_null(strstr(s->left.why_not, "more than 8000 steps"));
            assert_true(stepped_differs(s));
            continue;
        }
        assert_true(s->left.work == (double)*c - 2 && stepped_fresh(s) == 3);
        assert_int_equal(stepped_differs(s), *c != 5);
    }
    options.method = METHOD_KBEST; /* times B only */
    made.of_left = 4;
    assert_true(stepped_differs(go_with_left()));
    assert_int_equal(walked_row.stepped.left.ops, OPS);
}

TEST(a_window_that_is_too_long_is_counted_with_few_operations)
{
    made.of_body = 400;
    const struct stepped *s = go_with_left();
    assert_true(stepped_known(s) && s->instructions == 398);
    assert_int_equal(s->ops, 1);
    assert_false(stepped_differs(s));
    assert_true(s->left.why_not[0] != '\0');
}

TEST(rows_of_the_program_are_not_counted_twice)
{
    places[0].kind[KIND_BODY2] = places[0].kind[KIND_BODY];
    memset(&walked_row, 0, sizeof walked_row);
    walked_row.out.bench = &loop;
    assert_int_equal(stepped_left(&engine, &walked_row, 0), 0);
    assert_false(walked_row.stepped.tried);
}

TEST(what_a_call_executes_besides_its_operations_is_known)
{
    assert_true(stepped_call(go()) == 0); /* the empty window has as much */
    loop.window.not_doubled = true;
    assert_false(is_known(stepped_call(go())));
}

TEST(iterations_of_a_string_instruction_are_counted_separately)
{
    made.repeats = 63;
    const struct stepped *s = go();
    assert_true(s->instructions == 3);
    assert_true(s->iterations == 64);
}

TEST(work_that_is_gone_counts_0_instructions)
{
    made.of_body = made.of_empty;
    const struct stepped *s = go();
    assert_true(stepped_known(s));
    assert_true(s->instructions == 0);
}

/* --- no count --------------------------------------------------------------------------------- */

static void says(const char *why)
{
    const struct stepped *s = go();

    assert_false(stepped_known(s));
    assert_non_null(strstr(s->why_not, why));
    assert_null(walked_row.out.why);
}

TEST(instructions_that_are_not_counted_have_the_reason)
{
    made.at_end = 2;
    made.end = STEPPING_TRANSACTION;
    says("XBEGIN");
    made.windows = 0;
    made.end = STEPPING_RUNNING;
    says("cleared the trap flag");
    made.at_end = 0;
    loop.window.form = FORM_FUNCTION;
    made.failed = 1;
    says("an operation failed");
    made.failed = 0;
    places[0].kind[KIND_EMPTY].fn = NULL;
    says("its windows are empty");
    steppable.step = NULL;
    engine.facts.stepping.tried = false;
    says("not possible on this platform");
}

/* Some emulators ignore the flag; others trap only after branches, if BTF is set. */
TEST(no_instructions_are_counted_if_the_trap_flag_misses_some)
{
    static const uint64_t seen[] = {0, 1, STEP_KNOWN - 1, STEP_KNOWN + 1};

    EACH_CASE (c, seen) {
        char why[32];
        engine.facts.stepping.tried = false;
        made.known = *c;
        fmt_buf(why, sizeof why, "%llu of %u instructions", (unsigned long long)*c, STEP_KNOWN);
        says(why);
        assert_int_equal(made.windows, 0);
    }
}

TEST(a_step_that_does_not_return_fails_its_row)
{
    static const struct guard_ended fault = {.by = GUARD_FAULT, .what = "#UD"};

    ends = &fault;
    ends_after = 3; /* the known code, the setup, the window's own call ends */
    go();
    assert_int_equal(walked_row.out.status, ROW_WRONG);
    assert_non_null(strstr(walked_row.out.why, "#UD"));
    assert_false(stepped_known(&walked_row.stepped));
}

TEST(a_person_who_stops_the_run_fails_no_row)
{
    static const struct guard_ended stopped = {.by = GUARD_STOPPED};
    struct poll poll = {0};

    engine.poll = &poll;
    ends = &stopped;
    ends_after = 3;
    go();
    assert_true(poll.stopped);
    assert_null(walked_row.out.why);
    assert_false(walked_row.out.ended);
}

TEST(no_instructions_are_reported_if_stepping_is_off_or_the_row_failed)
{
    options.instructions = INSTRUCTIONS_OFF;
    assert_false(go()->tried);
    options.instructions = INSTRUCTIONS_AUTO;
    memset(&walked_row, 0, sizeof stepped_row);
    walked_row.out.bench = &loop;
    outcome_fail(&walked_row.out, ROW_WRONG, "planted");
    stepped_row(&engine, &walked_row, 0);
    assert_false(walked_row.stepped.tried);
    assert_int_equal(made.windows, 0);
}
