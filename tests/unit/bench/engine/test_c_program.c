/*
 * The C program's table of method=plain: samples that fail are excluded from the figures and
 * counted, in the table and in the records.
 */

#include "bench/engine/ahead.h"
#include "bench/engine/place.h"
#include "bench/output/method_show.h"
#include "lib/stats/mathx.h"
#include "bench/output/per_op.h"
#include "lib/config/options.h"
#include "lib/text/words.h"
#include "tests/unit/cmocka_unit.h"

enum { SAMPLES = 100, NOTHING = 50, CALL = 10 };

/* Planted: every n-th call of do_something fails, and takes a million ticks. */
static struct {
    unsigned fails_every;
    unsigned calls[KINDS];
    bool no_place;
} plant;

static int nothing(uint64_t n, struct object *o)
{
    return 0;
}

static int something(uint64_t n, struct object *o)
{
    o->counter++;
    return plant.fails_every && o->counter % plant.fails_every == 0;
}

static const char *counted(const struct object *o, uint64_t operations)
{
    return o->counter == operations ? NULL : "the counter is not the number of operations";
}

BENCH(baseline, do_nothing, .what = "nothing", .window.form = FORM_FUNCTION, .ops = 1,
      .function = nothing, .shown.c_step = C_DO_NOTHING);
BENCH(baseline, do_something, .what = "something", .window.form = FORM_FUNCTION, .ops = 1,
      .function = something, .check = counted, .shown.c_step = C_DO_SOMETHING);

static struct window_result empty(struct object *o, const void *f, uint64_t iterations,
                                  uint64_t delay, uint64_t stack)
{
    return (struct window_result){.ticks = NOTHING + plant.calls[KIND_EMPTY]++ % 2};
}

static struct window_result body(struct object *o, const void *f, uint64_t iterations,
                                 uint64_t delay, uint64_t stack)
{
    plant.calls[KIND_BODY]++;
    int failed = f == (const void *)something ? something(iterations, o) : nothing(iterations, o);
    return (struct window_result){.ticks = failed ? 1000000 : NOTHING + CALL,
                                  .failed = (uint64_t)failed};
}

static struct object object;

bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *placed,
               unsigned from, unsigned n)
{
    assert_true(from == 0 && n == 1);
    *placed = (struct placed){.object = &object, .check = b->check};
    placed->kind[KIND_EMPTY].fn = empty;
    placed->kind[KIND_BODY] =
        (struct placed_kind){.fn = body, .function = (const void *)b->function, .iterations = 1};
    return !plant.no_place;
}

uint32_t place_object(const struct placed *p)
{
    object = (struct object){0};
    return 0;
}

const char *place_why(const struct engine *e)
{
    return "its code has no room";
}

static struct placed place;
static struct options options = {.method = METHOD_PLAIN};
static struct engine engine;
static struct c_program told;
static char table[4096], records[4096];
static unsigned failures;

/* Runs it, and writes both forms. */
static void run(unsigned fails_every)
{
    struct sink_buf b;
    struct report r;

    memset(&plant, 0, sizeof plant);
    plant.fails_every = fails_every;
    engine = (struct engine){.facts.o = &options,
                             .facts.recipe = RECIPE_XFENCE,
                             .facts.execution = EXEC_SILICON,
                             .facts.samples = SAMPLES,
                             .placed = &place};
    c_program(&engine, &told);
    sink_buf_init(&b, table, sizeof table);
    report_init(&r, &b.sink, FORMAT_TABLE);
    c_program_show(&r, &engine.facts, &told);
    failures = r.failures;
    sink_buf_init(&b, records, sizeof records);
    report_init(&r, &b.sink, FORMAT_JSONL);
    c_program_show(&r, &engine.facts, &told);
}

/* Tests whether the table has a line with these words. */
static bool has_line(const char *step, const char *words)
{
    char line[128];

    snprintf(line, sizeof line, "%-24s %s\r\n", step, words);
    return strstr(table, line) != NULL;
}

TEST(a_run_without_a_failure_prints_its_three_rows)
{
    run(0);
    assert_int_equal(plant.calls[KIND_EMPTY], SAMPLES); /* warmed up by readings alone */
    assert_int_equal(told.readings, 3);
    assert_non_null(strstr(table, "warm-up: 3 readings"));
    assert_int_equal(plant.calls[KIND_BODY], 2 * SAMPLES);
    assert_true(has_line("baseline", "    100        50        51       50.50       0.50       0"));
    assert_true(
        has_line("do_nothing", "    100        60        60       60.00       0.00       0"));
    assert_true(
        has_line("do_something", "    100        60        60       60.00       0.00       0"));
    assert_int_equal(failures, 0);
}

/* warmup= says otherwise: windows, in blocks. */
TEST(warmup_is_by_windows_if_the_option_asks)
{
    struct word word = {.at = "warmup=2"};

    options_default(&options);
    options.method = METHOD_PLAIN;
    assert_true(options_take(&options, &word, "a test", "word", 1, NULL));
    run(0);
    assert_int_equal(plant.calls[KIND_EMPTY], 2 * ENGINE_BLOCK + SAMPLES);
    assert_true(told.readings == 0 && told.warmup == 2 * ENGINE_BLOCK);
    assert_non_null(strstr(table, "warm-up: 32 windows"));
    options = (struct options){.method = METHOD_PLAIN};
}

TEST(samples_that_fail_are_counted_and_left_out)
{
    run(8);
    assert_int_equal(told.step[C_DO_SOMETHING].errors, 12);
    assert_int_equal(told.step[C_DO_SOMETHING].all.n, 88);
    assert_int_equal(told.step[C_DO_SOMETHING].greatest, NOTHING + CALL);
    assert_int_equal(told.step[C_DO_NOTHING].errors, 0);
    assert_true(
        has_line("do_nothing", "    100        60        60       60.00       0.00       0"));
    assert_true(
        has_line("do_something", "     88        60        60       60.00       0.00      12"));
    assert_non_null(
        strstr(records,
               "\"step\":\"do_something\",\"recipe\":\"xfence\",\"warmup\":0,\"warmup_readings\":3,"
               "\"n\":88,\"min\":60,\"max\":60,\"mean\":60,\"sd\":0,"
               "\"errors\":12,"));
    assert_int_equal(failures, 0);
}

TEST(where_every_sample_fails_there_is_no_figure)
{
    run(1);
    char words[64];
    snprintf(words, sizeof words, "      0%51s", "100");
    assert_true(has_line("do_something", words));
    assert_non_null(strstr(records, "\"n\":0,\"errors\":100,"));
}

TEST(a_program_that_cannot_be_placed_fails_the_run)
{
    struct sink_buf b;
    struct report r;

    memset(&plant, 0, sizeof plant);
    plant.no_place = true;
    c_program(&engine, &told);
    sink_buf_init(&b, table, sizeof table);
    report_init(&r, &b.sink, FORMAT_TABLE);
    c_program_show(&r, &engine.facts, &told);
    assert_non_null(strstr(table, "not available: its code has no room"));
    assert_int_equal(r.failures, 1);
}
