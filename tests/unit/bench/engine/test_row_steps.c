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

TEST(windows_are_as_long_as_300_steps_allow)
{
    a_step_takes(0.2);
    const struct stepped *s = go();
    assert_int_equal(s->ops, (STEPPED_WINDOW - FRAME) / (2 * 5));
    assert_true(s->body2.instructions <= STEPPED_WINDOW);
    made.of_body = 60;
    assert_int_equal(go()->ops, 2);
}

TEST(where_a_step_takes_long_one_operation_is_stepped)
{
    a_step_takes(16);
    const struct stepped *s = go();
    assert_int_equal(s->ops, 1);
    assert_true(s->instructions == 3);
    assert_int_equal(made.most_operations, 2);
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

TEST(a_grain_and_the_most_operations_are_kept)
{
    a_step_takes(0.2);
    loop.window.grain = 4;
    loop.window.most_ops = 16;
    const struct stepped *s = go();
    assert_int_equal(s->ops, 8);
    assert_int_equal(made.most_operations, 16);
    loop.window.grain = 16; /* it can do them once only */
    s = go();
    assert_int_equal(s->ops, 16);
    assert_false(s->doubled);
    assert_true(s->instructions == 3);
}

TEST(fewer_than_a_grain_are_stepped_where_a_row_declares_it)
{
    a_step_takes(16);
    loop.ops = loop.window.grain = 1024;
    loop.window.most_ops = 2048;
    loop.window.step_ops = 8;
    const struct stepped *s = go();
    assert_int_equal(s->ops, 8);
    assert_true(s->doubled && s->instructions == 3);
    assert_int_equal(made.most_operations, 16);
}

/* Returns whether it is doubled depends on its steps, not on this machine's time, because the
 * figure may differ. */
TEST(a_long_row_is_doubled_up_to_a_bound)
{
    loop.ops = loop.window.grain = 2900;
    for (int slow = 0; slow < 2; slow++) {
        if (slow)
            a_step_takes(33);
        const struct stepped *s = go();
        assert_true(stepped_known(s) && s->doubled);
        assert_true(s->instructions == 3);
    }
    loop.ops = loop.window.grain = 4000;
    const struct stepped *s = go();
    assert_true(stepped_known(s) && !s->doubled);
    assert_true(s->instructions == 3);
    loop.ops = loop.window.grain = 10000;
    s = go();
    assert_false(stepped_known(s));
    assert_non_null(strstr(s->why_not, "30000 steps for 10000 operations"));
    assert_null(walked_row.out.why);
}

TEST(where_a_step_takes_long_the_bound_is_a_time)
{
    a_step_takes(100);
    loop.window.grain = loop.ops = 1500; /* twice that are 15,000 steps: a second and a half */
    assert_non_null(strstr(go()->why_not, "10000 steps for 3000 operations"));
    assert_null(walked_row.out.why);
    a_step_takes(1e6);
    loop.window.grain = loop.ops = 20;
    assert_true(stepped_known(go())); /* 300 steps are always taken */
}

TEST(a_row_that_is_not_doubled_has_its_own_operations)
{
    loop.window.form = FORM_FUNCTION;
    loop.window.not_doubled = true;
    loop.ops = 100;
    const struct stepped *s = go();
    assert_int_equal(s->ops, 100);
    assert_false(s->doubled);
    assert_true(s->instructions == 3);
    loop.ops = 10000; /* too many steps, but it names fewer */
    assert_false(stepped_known(go()));
    loop.window.grain = 50;
    s = go();
    assert_int_equal(s->ops, 50);
    assert_true(!s->doubled && s->instructions == 3);
    loop.window.grain = 0;
    loop.ops = 100;
    loop.window.form =
        FORM_LOOP; /* the empty loop runs as many iterations: one iteration is enough */
    s = go();
    assert_int_equal(s->ops, 1);
    assert_true(s->instructions == 3);
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
    loop.check = finds_fault;
    says("its check says: planted");
    assert_int_equal(walked_row.out.status, ROW_OK);
    loop.check = NULL;
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
