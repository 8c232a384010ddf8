/* Stepped windows against other counts of their instructions (bench/engine/step_window.h): the TSC
 * if it counts them, or the core's counter of retired instructions. */
#include "bench/engine/guard.h"
#include "tests/unit/bench/made_steps.h"

/* A free window, as the TSC counts it and as the counter does: the counter also sees the code that
 * enters and leaves it, which is not stepped. */
#define RECIPE_COUNTED 5
#define AROUND         63

static int64_t hidden;        /* instructions of a free body that no step showed, ... */
static uint64_t hidden_in_op; /* ... and of each of its operations */

static uint64_t executed(bool of_body, uint64_t n)
{
    return instructions_of(of_body, n) + (of_body ? (uint64_t)hidden + n * hidden_in_op : 0);
}

static uint64_t count_now;
static unsigned disturbed; /* free windows that still have an interrupt in them */

static struct window_result by_tsc(bool of_body, uint64_t n)
{
    uint64_t repeated = of_body ? n * made.repeats : 0, handler = 0;

    if (of_body && disturbed > 0 && disturbed--) {
        handler = 400;
        nmis_so_far++;
    }
    return (struct window_result){
        .ticks = (executed(of_body, n) + repeated + handler - RECIPE_COUNTED) * 128};
}

static struct window_result by_counter(bool of_body, uint64_t n)
{
    count_now += executed(of_body, n) + AROUND;
    if (of_body && disturbed > 0 && disturbed--)
        count_now += 100;
    return (struct window_result){0};
}

#define WINDOW_OF(name_, by_, of_body_)                                                            \
    static struct window_result name_(struct object *o, const void *f, uint64_t iterations,        \
                                      uint64_t delay, uint64_t stack)                              \
    {                                                                                              \
        (void)o, (void)f, (void)delay, (void)stack;                                                \
        return by_(of_body_, iterations);                                                          \
    }
WINDOW_OF(timed_empty, by_tsc, false)
WINDOW_OF(timed_body, by_tsc, true)
WINDOW_OF(counted_empty, by_counter, false)
WINDOW_OF(counted_body, by_counter, true)

/* --- the TSC ---------------------------------------------------------------------------------- */

static void begin_counting(void)
{
    begin_row();
    hidden = 0;
    hidden_in_op = 0;
    disturbed = 0;
    engine.facts.execution = EXEC_INSTRUCTIONS;
    places[0].kind[KIND_EMPTY].fn = timed_empty;
    places[0].kind[KIND_BODY].fn = timed_body;
}

TEST(free_and_stepped_windows_execute_the_same_instructions)
{
    begin_counting();
    made.repeats = 64; /* QEMU counts 65 for 64 iterations, and traps as often */
    const struct stepped *s = go();
    assert_true(s->compared);
    assert_string_equal(s->unlike, "");
    assert_int_equal(engine.facts.stepping.compared, 1);
    assert_int_equal(engine.facts.stepping.unlike, 0);
}

TEST(one_instruction_that_was_not_stepped_is_seen)
{
    begin_counting();
    hidden = 1;
    const struct stepped *s = go();
    assert_true(s->compared);
    assert_non_null(strstr(s->unlike, "the body with"));
    assert_int_equal(engine.facts.stepping.unlike, 1);
    assert_non_null(strstr(engine.facts.stepping.first, "planted/row: the body"));
    hidden = -1;
    go();
    assert_int_equal(engine.facts.stepping.unlike, 2);
}

TEST(an_nmi_in_a_free_window_costs_another_try)
{
    begin_counting();
    disturbed = 3;
    const struct stepped *s = go();
    assert_true(s->compared);
    assert_string_equal(s->unlike, "");
    disturbed = 1000; /* each try has one: nothing is judged */
    assert_false(go()->compared);
    assert_int_equal(engine.facts.stepping.compared, 1);
    assert_int_equal(engine.facts.stepping.unlike, 0);
}

/* --- a counter -------------------------------------------------------------------------------- */

static uint64_t counter_runs, counter_stops;
static bool counter_withheld, counter_unreadable;
static unsigned bits = 40;

static const char *start_counter(struct timer *t)
{
    counter_runs++;
    return counter_withheld ? "withheld" : NULL;
}

static enum timer_status read_counted(struct timer *t, uint64_t *count)
{
    *count = bits < 64 ? count_now & ((1ull << bits) - 1) : count_now;
    return counter_unreadable ? TIMER_FAILED : TIMER_OK;
}

static void stop_counter(struct timer *t)
{
    counter_stops++;
}

static struct timer counter;

static struct timer *retired_made(void *context, const char **why)
{
    return &counter;
}

static struct timer *retired_missing(void *context, const char **why)
{
    *why = "not available";
    return NULL;
}

static void begin_counter(void)
{
    begin_row();
    hidden = 0;
    hidden_in_op = 0;
    disturbed = 0;
    counter_runs = counter_stops = 0;
    counter_withheld = counter_unreadable = false;
    bits = 40;
    count_now = (1ull << bits) - 60; /* about to wrap */
    counter = (struct timer){
        .start = start_counter, .read = read_counted, .stop = stop_counter, .bits = bits};
    steppable.timers.retired = retired_made;
    places[0].kind[KIND_EMPTY].fn = counted_empty;
    places[0].kind[KIND_BODY].fn = counted_body;
}

TEST(a_counter_agrees)
{
    begin_counter();
    made.repeats = 63; /* it counts a string instruction once */
    const struct stepped *s = go();
    assert_true(s->compared && s->by_counter == 3);
    assert_string_equal(s->unlike, "");
    assert_int_equal(counter_runs, 1);
    assert_int_equal(counter_stops, 1);
    counter.bits = bits = 64;
    count_now = UINT64_MAX - 60;
    assert_true(go()->by_counter == 3);
    assert_string_equal(walked_row.stepped.unlike, "");
}

TEST(an_interrupt_in_a_window_costs_another_try)
{
    begin_counter();
    disturbed = 3; /* the first two tries */
    const struct stepped *s = go();
    assert_string_equal(s->unlike, "");
    assert_true(s->by_counter == 3);
    disturbed = 1000; /* in total: it is reported, and no row fails */
    assert_non_null(strstr(go()->unlike, "the body with"));
    assert_null(walked_row.out.why);
}

TEST(a_row_that_is_not_doubled_is_compared)
{
    begin_counter();
    loop.window.not_doubled = true;
    const struct stepped *s = go();
    assert_true(s->compared && !s->doubled && s->by_counter == 3);
    assert_string_equal(s->unlike, "");
}

/* As if a hypervisor swallows traps of which nothing here knows. */
TEST(a_counter_that_disagrees_fails_nothing)
{
    begin_counter();
    hidden = 2;
    const struct stepped *s = go();
    assert_true(s->compared && stepped_known(s));
    assert_non_null(strstr(s->unlike, "the body with"));
    assert_true(is_known(s->by_counter));
    assert_null(walked_row.out.why);
    assert_int_equal(engine.facts.stepping.unlike, 0); /* the self-test's */
    assert_int_equal(counter_stops, counter_runs);
}

static enum work judged(void)
{
    go();
    check_instructions(&engine, &walked_row);
    return walked_row.work;
}

/* Work is gone only by both counts, and done only by both. */
TEST(work_is_not_judged_if_counter_and_steps_disagree_about_it)
{
    begin_counter();
    made.of_body = made.of_empty;
    hidden_in_op = 3; /* traps that were swallowed */
    assert_int_equal(judged(), WORK_NOT_JUDGED);
    assert_int_equal(walked_row.out.status, ROW_OK);
    hidden_in_op = 0;
    hidden = 2; /* it disagrees of the windows, not of an operation */
    assert_int_equal(judged(), WORK_JUDGED);
    assert_int_equal(walked_row.out.status, ROW_WRONG);
    hidden = 0;
    made.of_body = 5;
    hidden_in_op = (uint64_t)-3; /* none is left */
    assert_int_equal(judged(), WORK_NOT_JUDGED);
    assert_int_equal(walked_row.out.status, ROW_OK);
    hidden_in_op = 1;
    assert_int_equal(judged(), WORK_JUDGED);
    assert_int_equal(walked_row.out.status, ROW_OK);
}

TEST(a_counter_that_does_not_start_is_tried_once)
{
    begin_counter();
    counter_withheld = true;
    go();
    const struct stepped *s = go();
    assert_true(stepped_known(s));
    assert_false(s->compared || is_known(s->by_counter));
    assert_int_equal(counter_runs, 1);
    assert_int_equal(counter_stops, 0);
    engine.facts.stepping.no_counter = false;
    steppable.timers.retired = retired_missing;
    assert_false(go()->compared);
    assert_true(stepped_known(&walked_row.stepped));
    engine.facts.stepping.no_counter = false;
    steppable.timers.retired = NULL;
    assert_false(go()->compared);
}

TEST(a_counter_that_cannot_be_read_is_not_compared)
{
    begin_counter();
    counter_unreadable = true;
    const struct stepped *s = go();
    assert_true(stepped_known(s));
    assert_false(s->compared || is_known(s->by_counter));
    assert_int_equal(counter_stops, 1);
}
