/* A row's instructions from windows that are stepped (bench/measure/steps.h): how many operations a
 * window has, what an operation comes to, and each reason for which a row has no count. */
#include "tests/unit/made_engine.h"

#define FRAME 40 /* instructions of any window besides its operations */

/* The row that is stepped. */
static struct {
    uint64_t of_body, of_empty; /* instructions of an operation; 0: the empty window has none */
    uint64_t repeats;           /* of an operation: iterations after the first one */
    int64_t hidden;             /* instructions that only the free windows execute */
    enum steps_end end;
    int failed;
    uint64_t known; /* instructions of step_known() */
    uint64_t windows, most_operations;
    uint64_t at_end; /* the window that ends in another way than STEPS_BACK; 0: none */
} made;

static uint64_t instructions_of(bool of_body, uint64_t n)
{
    return FRAME + n * (of_body ? made.of_body : made.of_empty);
}

static window_fn body_at_free; /* the row's body */

static struct window_result free_window(bool of_body, uint64_t n)
{
    uint64_t executed = instructions_of(of_body, n) - 30;
    if (of_body)
        executed += n * made.repeats + (uint64_t)made.hidden;
    return (struct window_result){.ticks = executed * 128};
}

static struct window_result free_body(struct object *o, const void *f, uint64_t turns,
                                      uint64_t delay, uint64_t stack)
{
    (void)o, (void)f, (void)delay, (void)stack;
    return free_window(true, turns);
}

static struct window_result free_empty(struct object *o, const void *f, uint64_t turns,
                                       uint64_t delay, uint64_t stack)
{
    (void)o, (void)f, (void)delay, (void)stack;
    return free_window(false, turns);
}

static struct step_result step_row(struct steps *s, const void *function, const uint64_t *argument)
{
    const void *body_at, *known_at;
    window_fn body_is = body_at_free;
    void (*known_is)(void) = step_known;
    memcpy(&body_at, &body_is, sizeof body_at);
    memcpy(&known_at, &known_is, sizeof known_at);
    steps_begin(s);
    s->end = STEPS_BACK;
    if (function == known_at) {
        s->instructions = made.known;
        return (struct step_result){0, 0};
    }
    bool of_body = function == body_at;
    if (of_body && argument[2] > made.most_operations)
        made.most_operations = argument[2];
    s->instructions = instructions_of(of_body, argument[2]);
    s->repeats = of_body ? argument[2] * made.repeats : 0;
    s->iterations = of_body && made.repeats ? argument[2] * (made.repeats + 1) : 0;
    s->traps = s->instructions + s->repeats + 1;
    if (s->traps >= s->most)
        s->end = STEPS_MOST;
    if (++made.windows == made.at_end)
        s->end = made.end;
    return (struct step_result){0, (uint64_t)made.failed};
}

static struct platform steppable;
static struct bench loop;
static struct row stepped_row;

static int begin_row(void **state)
{
    start(state);
    memset(&made, 0, sizeof made);
    made.of_body = 5;
    made.of_empty = 2;
    made.known = STEP_KNOWN;
    steppable = platform;
    steppable.step = step_row;
    engine.p = &steppable;
    body_at_free = free_body;
    engine.placed = places;
    engine.execution = EXEC_SILICON;
    engine.ticks_per_instruction = 128;
    memset(places, 0, sizeof places);
    places[0].kind[KIND_EMPTY].fn = free_empty;
    places[0].kind[KIND_BODY].fn = free_body;
    loop = bench;
    loop.form = FORM_LOOP;
    return 0;
}

static const struct stepped *go(void)
{
    memset(&stepped_row, 0, sizeof stepped_row);
    stepped_row.bench = &loop;
    places[0].check = loop.check;
    steps_row(&engine, &stepped_row, 0);
    return &stepped_row.stepped;
}

/* A step of so many microseconds. */
static void a_step_takes(double us)
{
    engine.tsc_hz = 1e9;
    engine.stepping = (struct stepping){.tried = true, .ticks = us * 1000};
}

static void an_operation_is_what_twice_as_many_add(void **state)
{
    (void)state;
    const struct stepped *s = go();
    assert_true(stepped_known(s) && s->doubled);
    assert_true(s->instructions == 3);
    assert_true(s->iterations == 0);
    assert_int_equal(stepped_net(s), 3 * s->ops);
    assert_int_equal(s->empty2.instructions - s->empty.instructions, 2 * s->ops);
}

static void windows_are_as_long_as_300_steps_allow(void **state)
{
    (void)state;
    a_step_takes(0.2);
    const struct stepped *s = go();
    assert_int_equal(s->ops, (STEPS_WINDOW - FRAME) / (2 * 5));
    assert_true(s->body2.instructions <= STEPS_WINDOW);
    made.of_body = 60; /* one operation twice is all that fits */
    assert_int_equal(go()->ops, 2);
}

static void where_a_step_is_dear_there_is_one_operation(void **state)
{
    (void)state;
    a_step_takes(16);
    const struct stepped *s = go();
    assert_int_equal(s->ops, 1);
    assert_true(s->instructions == 3);
    assert_int_equal(made.most_operations, 2);
}

static void a_grain_and_the_most_operations_are_kept(void **state)
{
    (void)state;
    a_step_takes(0.2);
    loop.grain = 4;
    loop.most_ops = 16;
    const struct stepped *s = go();
    assert_int_equal(s->ops, 8);
    assert_int_equal(made.most_operations, 16);
    loop.grain = 16; /* it can do them once only */
    s = go();
    assert_int_equal(s->ops, 16);
    assert_false(s->doubled);
    assert_true(s->instructions == 3);
}

/* 10,000 operations at once: more than 300 steps and less than the bound, but not twice. */
static void a_long_row_is_stepped_once(void **state)
{
    (void)state;
    loop.grain = 4000;
    loop.ops = 4000;
    const struct stepped *s = go();
    assert_true(stepped_known(s));
    assert_false(s->doubled);
    assert_true(s->instructions == 3);
    loop.grain = loop.ops = 10000;
    s = go();
    assert_false(stepped_known(s));
    assert_non_null(strstr(s->why_not, "30000 steps for 10000 operations"));
    assert_null(stepped_row.why);
}

static void the_bound_is_a_time_where_a_step_is_dear(void **state)
{
    (void)state;
    a_step_takes(100);
    loop.grain = loop.ops = 1000; /* 5000 steps would be half a second */
    assert_non_null(strstr(go()->why_not, "2500 steps"));
}

static void a_row_that_is_not_doubled_has_its_own_operations(void **state)
{
    (void)state;
    loop.not_doubled = true;
    loop.ops = 100;
    const struct stepped *s = go();
    assert_int_equal(s->ops, 100);
    assert_false(s->doubled);
    assert_true(s->instructions == 3);
}

static void iterations_are_apart(void **state)
{
    (void)state;
    made.repeats = 63;
    const struct stepped *s = go();
    assert_true(s->instructions == 3);
    assert_true(s->iterations == 64);
}

static void work_that_is_gone_comes_to_nothing(void **state)
{
    (void)state;
    made.of_body = made.of_empty;
    const struct stepped *s = go();
    assert_true(stepped_known(s));
    assert_int_equal(stepped_net(s), 0);
}

/* --- where instructions are counted ----------------------------------------------------------- */

static void free_windows_come_to_the_same(void **state)
{
    (void)state;
    engine.execution = EXEC_INSTRUCTIONS;
    made.repeats = 64; /* QEMU counts 65 for 64 iterations, and traps as often */
    const struct stepped *s = go();
    assert_true(s->compared);
    assert_string_equal(s->unlike, "");
    assert_int_equal(engine.stepping.compared, 1);
    assert_int_equal(engine.stepping.unlike, 0);
}

static void one_instruction_that_was_not_stepped_is_seen(void **state)
{
    (void)state;
    engine.execution = EXEC_INSTRUCTIONS;
    made.hidden = 1;
    const struct stepped *s = go();
    assert_true(s->compared);
    assert_non_null(strstr(s->unlike, "the body with"));
    assert_int_equal(engine.stepping.unlike, 1);
    assert_non_null(strstr(engine.stepping.first, "planted/row: the body"));
    made.hidden = -1;
    go();
    assert_int_equal(engine.stepping.unlike, 2);
}

/* --- where a counter counts them -------------------------------------------------------------- */

static uint64_t count_now, counter_runs, counter_stops;
static bool counter_withheld;
static unsigned disturbed; /* so many free windows have an interrupt in them */

static const char *start_counter(struct timer *t)
{
    (void)t;
    counter_runs++;
    return counter_withheld ? "withheld" : NULL;
}

static enum timer_status read_counted(struct timer *t, uint64_t *count)
{
    *count = count_now & ((1ull << t->bits) - 1);
    return TIMER_OK;
}

static void stop_counter(struct timer *t)
{
    (void)t;
    counter_stops++;
}

static struct window_result counted_body(struct object *o, const void *f, uint64_t turns,
                                         uint64_t delay, uint64_t stack)
{
    (void)o, (void)f, (void)delay, (void)stack;
    count_now += instructions_of(true, turns) + (uint64_t)made.hidden + 7;
    if (disturbed > 0 && disturbed--)
        count_now += 100;
    return (struct window_result){0};
}

static struct window_result counted_empty(struct object *o, const void *f, uint64_t turns,
                                          uint64_t delay, uint64_t stack)
{
    (void)o, (void)f, (void)delay, (void)stack;
    count_now += instructions_of(false, turns) + 7;
    return (struct window_result){0};
}

static struct timer *retired_made(void *context, const char **why)
{
    static struct timer counter = {
        .start = start_counter, .read = read_counted, .stop = stop_counter, .bits = 40};
    (void)context, (void)why;
    return &counter;
}

/* With its counter, which is about to wrap. */
static void with_counter(void)
{
    steppable.retired = retired_made;
    count_now = (1ull << 40) - 60;
    counter_runs = counter_stops = disturbed = 0;
    counter_withheld = false;
    body_at_free = counted_body;
    places[0].kind[KIND_EMPTY].fn = counted_empty;
    places[0].kind[KIND_BODY].fn = counted_body;
}

static void a_counter_agrees(void **state)
{
    (void)state;
    with_counter();
    made.repeats = 63; /* it counts a string instruction once */
    const struct stepped *s = go();
    assert_true(s->compared && s->by_counter == 3);
    assert_string_equal(s->unlike, "");
    assert_int_equal(counter_runs, 1);
    assert_int_equal(counter_stops, 1);
    disturbed = 3; /* an interrupt is counted along: the next try is not disturbed */
    assert_string_equal(go()->unlike, "");
    assert_true(stepped_row.stepped.by_counter == 3);
}

static void a_counter_that_disagrees_fails_nothing(void **state)
{
    (void)state;
    with_counter();
    made.hidden = 2;
    const struct stepped *s = go();
    assert_true(s->compared && stepped_known(s));
    assert_non_null(strstr(s->unlike, "the body with"));
    assert_null(stepped_row.why);
    assert_int_equal(engine.stepping.unlike, 0); /* the self-test's */
    assert_int_equal(counter_stops, counter_runs);
}

static void a_counter_that_is_withheld_is_tried_once(void **state)
{
    (void)state;
    with_counter();
    counter_withheld = true;
    go();
    const struct stepped *s = go();
    assert_true(stepped_known(s));
    assert_false(s->compared || is_known(s->by_counter));
    assert_int_equal(counter_runs, 1);
}

/* --- no count --------------------------------------------------------------------------------- */

static void says(const char *why)
{
    const struct stepped *s = go();
    assert_false(stepped_known(s));
    assert_non_null(strstr(s->why_not, why));
    assert_null(stepped_row.why);
}

static void what_is_not_counted_says_why(void **state)
{
    (void)state;
    made.at_end = 2;
    made.end = STEPS_TRANSACTION;
    says("XBEGIN");
    made.windows = 0;
    made.end = STEPS_RUNNING;
    says("cleared the trap flag");
    made.at_end = 0;
    loop.form = FORM_FUNCTION;
    made.failed = 1;
    says("an operation failed");
    made.failed = 0;
    loop.check = finds_fault;
    says("after 1 operation its check says: planted");
    assert_int_equal(stepped_row.status, ROW_OK);
    loop.check = NULL;
    places[0].kind[KIND_EMPTY].fn = NULL;
    says("its windows are empty");
    steppable.step = NULL;
    engine.stepping.tried = false;
    says("not possible on this platform");
}

static void a_flag_that_is_ignored_counts_nothing(void **state)
{
    (void)state;
    made.known = 0; /* some emulators */
    says("0 of 16 instructions");
    assert_int_equal(made.windows, 0);
}

static void what_does_not_come_back_fails_its_row(void **state)
{
    static const struct guard_ended fault = {.by = GUARD_FAULT, .what = "#UD"};
    (void)state;
    ends = &fault;
    ends_after = 3; /* the known code, the setup, the window's own call ends */
    go();
    assert_int_equal(stepped_row.status, ROW_WRONG);
    assert_non_null(strstr(stepped_row.why, "#UD"));
    assert_false(stepped_known(&stepped_row.stepped));
}

static void a_person_who_stops_the_run_fails_no_row(void **state)
{
    static const struct guard_ended stopped = {.by = GUARD_STOPPED};
    struct pace pace = {0};
    (void)state;
    engine.pace = &pace;
    ends = &stopped;
    ends_after = 3;
    go();
    assert_true(pace.stopped);
    assert_null(stepped_row.why);
    assert_false(stepped_row.ended);
}

static void nothing_is_told_where_it_is_off_or_the_row_failed(void **state)
{
    (void)state;
    options.instructions = INSTRUCTIONS_OFF;
    assert_false(go()->tried);
    options.instructions = INSTRUCTIONS_AUTO;
    memset(&stepped_row, 0, sizeof stepped_row);
    stepped_row.bench = &loop;
    row_fail(&stepped_row, ROW_WRONG, "planted");
    steps_row(&engine, &stepped_row, 0);
    assert_false(stepped_row.stepped.tried);
    assert_int_equal(made.windows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_operation_is_what_twice_as_many_add, begin_row),
        cmocka_unit_test_setup(windows_are_as_long_as_300_steps_allow, begin_row),
        cmocka_unit_test_setup(where_a_step_is_dear_there_is_one_operation, begin_row),
        cmocka_unit_test_setup(a_grain_and_the_most_operations_are_kept, begin_row),
        cmocka_unit_test_setup(a_long_row_is_stepped_once, begin_row),
        cmocka_unit_test_setup(the_bound_is_a_time_where_a_step_is_dear, begin_row),
        cmocka_unit_test_setup(a_row_that_is_not_doubled_has_its_own_operations, begin_row),
        cmocka_unit_test_setup(iterations_are_apart, begin_row),
        cmocka_unit_test_setup(work_that_is_gone_comes_to_nothing, begin_row),
        cmocka_unit_test_setup(free_windows_come_to_the_same, begin_row),
        cmocka_unit_test_setup(one_instruction_that_was_not_stepped_is_seen, begin_row),
        cmocka_unit_test_setup(a_counter_agrees, begin_row),
        cmocka_unit_test_setup(a_counter_that_disagrees_fails_nothing, begin_row),
        cmocka_unit_test_setup(a_counter_that_is_withheld_is_tried_once, begin_row),
        cmocka_unit_test_setup(what_is_not_counted_says_why, begin_row),
        cmocka_unit_test_setup(a_flag_that_is_ignored_counts_nothing, begin_row),
        cmocka_unit_test_setup(what_does_not_come_back_fails_its_row, begin_row),
        cmocka_unit_test_setup(a_person_who_stops_the_run_fails_no_row, begin_row),
        cmocka_unit_test_setup(nothing_is_told_where_it_is_off_or_the_row_failed, begin_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
