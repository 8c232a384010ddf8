/* Rows with other methods than doubled bodies, over the same planted windows. */
#include "tests/unit/bench/made_engine.h"
#include "lib/text/words.h"

static struct row by_method(enum method method)
{
    options.method = method;
    struct row row = whole_row(bench);
    assert_int_equal(row.method.method, method);
    return row;
}

/* METHOD_ENSEMBLES is not to take long. */
static void start_small(void)
{
    start();
    engine.facts.ensembles = 4;
    engine.facts.size = 16;
}

BEFORE_EACH(start_small);

TEST(each_method_finds_what_was_planted)
{
    static const enum method methods[] = {METHOD_PLAIN, METHOD_KBEST, METHOD_ENSEMBLES};

    EACH_CASE (c, methods) {
        start_small();
        struct row row = by_method(*c);
        assert_int_equal(row.out.status, ROW_OK);
        assert_true(row.figure.known && fabs(row.figure.cycles.theta - 3.25) < 0.01);
        assert_null(row.method.doubt);
    }
}

/* The core's clock falls meanwhile: a body that costs nothing still costs nothing, which would fail
 * if all of its windows came after all of the empty ones. */
TEST(a_drift_does_not_fall_into_the_difference)
{
    plant.operation = 0;
    plant.overhead = 10000;
    plant.drift = 0.2 / (4 * 256);
    struct row row = by_method(METHOD_PLAIN);
    assert_true(fabs(row.method.ticks) * OPS < 20); /* one after the other: 1000 */
    assert_non_null(row.method.doubt);
}

/* No two alike, so that the smallest do not agree. */
static double ever_faster(enum window_kind k, size_t i)
{
    return 100000 - 10 * (double)i;
}

/* K-best alternates between body and empty body in blocks, forward and backward: neither is
 * measured in one go, because drift between them would be the figure. */
TEST(kbest_measures_blocks_forward_and_backward)
{
    static const enum window_kind way[] = {KIND_EMPTY, KIND_RULER, KIND_RULER2, KIND_BODY};
    const size_t kinds = COUNT_OF(way), warm = kinds * 2 * ENGINE_BLOCK;

    options.most = 128;
    options.epsilon = 0;
    plant.extra = ever_faster;
    struct row row = by_method(METHOD_KBEST);
    assert_int_equal(row.method.body.all.n, 128);
    assert_int_equal(row.method.empty.all.n, 128);
    assert_false(row.method.body.kbest.converged);
    for (size_t block = 0; block < 4 * kinds; block++) {
        size_t k = block % kinds;
        enum window_kind due = way[block / kinds % 2 ? kinds - 1 - k : k];
        for (size_t i = 0; i < ENGINE_BLOCK; i++)
            assert_int_equal(plant.call[warm + block * ENGINE_BLOCK + i].kind, due);
    }
}

/* All windows are alike, so K-best has enough at once: forward, and backward too. */
TEST(kbest_measures_backward_even_if_samples_agree_at_once)
{
    static const uint64_t most[] = {500, 20, 4};

    EACH_CASE (c, most) {
        start();
        options.k = 3;
        options.most = *c;
        struct row row = by_method(METHOD_KBEST);
        const struct method_side *body = &row.method.body, *empty = &row.method.empty;
        assert_true(body->kbest.converged && empty->kbest.converged);
        uint64_t due = *c < 6 ? *c : 6; /* K there, K back */
        assert_int_equal(body->all.n, due);
        assert_int_equal(empty->all.n, due);
        /* After the warm-up: E forward, B forward, B backward, E backward. */
        const size_t warm = 4 * 2 * ENGINE_BLOCK;
        uint64_t seen = 0;
        enum window_kind last = KIND_BODY;
        for (size_t call = warm; call < plant.calls && seen < 2 * due; call++) {
            enum window_kind k = plant.call[call].kind;
            if (k != KIND_EMPTY && k != KIND_BODY)
                continue;
            bool there = seen < due;
            bool first = there ? seen < due / 2 : seen < due + due / 2;
            last = there == first ? KIND_EMPTY : KIND_BODY;
            assert_int_equal(k, last);
            seen++;
        }
        assert_int_equal(seen, 2 * due);
        assert_int_equal(last, KIND_EMPTY);
    }
}

#define INTERRUPT 5000 /* ticks */

/* One in every fifth window of the body, and in every 64th of the empty body. */
static double interrupted(enum window_kind k, size_t i)
{
    bool now = (k == KIND_BODY && i % 5 == 0) || (k == KIND_EMPTY && i % 64 == 0);

    plant.interrupts += now;
    return (now ? INTERRUPT : 0) + (double)(i % 7) * 30;
}

TEST(timer_interrupts_are_taken_off)
{
    options.most = 100;
    options.epsilon = 0;
    options.k = 32;
    plant.extra = interrupted;
    struct row as_it_is = by_method(METHOD_KBEST);
    assert_int_equal(as_it_is.method.body.interrupts, 0);
    assert_true(as_it_is.method.body.greatest > as_it_is.method.body.least + INTERRUPT);

    memset(plant.of_kind, 0, sizeof plant.of_kind);
    plant.calls = 0;
    engine.facts.compensate.cost = (struct tick_cost){.known = true, .cost = INTERRUPT};
    struct row without = by_method(METHOD_KBEST);
    const struct method_side *body = &without.method.body, *nothing = &without.method.empty;
    assert_in_range(body->interrupts, body->all.n / 5, body->all.n / 5 + 8); /* warm-up's too */
    assert_true(body->greatest <= body->least + 6 * 30);
    assert_in_range(nothing->interrupts, 1, 8);
    assert_true(nothing->greatest <= nothing->least + 6 * 30);
    assert_int_equal(body->least, as_it_is.method.body.least);
}

/* A timer that interrupts at even intervals of the planted time; an interrupt takes INTERRUPT ticks
 * and up to a tenth more. */
static struct {
    double interval, now;
    unsigned n;
} timer;

static double interrupts_of_a_timer(enum window_kind k, size_t i)
{
    double ticks = plant.overhead + cycles_of(k) * plant.cycle, more = 0;

    for (timer.now += ticks; timer.now >= timer.interval; timer.now -= timer.interval) {
        plant.interrupts++;
        more += INTERRUPT + timer.n++ % 11 * (INTERRUPT / 100);
    }
    return more;
}

/* As compensate_open() finds it: the smallest gap with an interrupt. */
static struct tick_cost cost_of_interrupts(double interval)
{
    struct tick_finder f;
    uint64_t tsc = 0;

    tick_start(&f, 0, 0);
    for (unsigned n = 1; tick_is_gap(&f, tsc += (uint64_t)interval) &&
                         tick_add(&f, INTERRUPT + n % 11 * (INTERRUPT / 100), tsc, n);
         n++)
        continue;
    return tick_judge(&f);
}

static struct row of_interval(double interval, bool compensated)
{
    start();
    options.epsilon = 0;
    plant.operation = 20000; /* a window of ten milliseconds and more of a GHz */
    plant.extra = interrupts_of_a_timer;
    timer.interval = interval;
    timer.now = 0;
    timer.n = 0;
    if (compensated)
        engine.facts.compensate.cost = cost_of_interrupts(interval);
    return by_method(METHOD_KBEST);
}

/* In every window of a long body there are interrupts, so no minimum is without one. Windows
 * that are short compared with the time between two interrupts have some without: these show the
 * truth. */
TEST(a_long_window_is_compensated_towards_the_truth)
{
    const double window = OPS * 20000 * 0.5;
    double truth = of_interval(50 * window, false).method.ticks;

    assert_true(fabs(truth - 10000) < 1);
    for (double parts = 1.5; parts < 10; parts += 0.7) {
        struct row as_it_is = of_interval(window / parts, false);
        struct row without = of_interval(window / parts, true);
        assert_true(engine.facts.compensate.cost.known &&
                    engine.facts.compensate.cost.cost == INTERRUPT);
        double off = as_it_is.method.ticks - truth, left = without.method.ticks - truth;
        assert_true(off * OPS > INTERRUPT * 0.9); /* at least one */
        assert_true(fabs(left) < fabs(off) / 4);
        assert_true(without.method.body.interrupts >= without.method.body.all.n);
        assert_true(without.method.body.least_as_read >= without.method.body.least + INTERRUPT);
    }
}

TEST(missing_compensation_has_its_reason)
{
    struct platform bare = platform;

    engine.p = &bare;
    options.method = METHOD_KBEST;
    compensate_open(&engine);
    assert_null(engine.facts.compensate.why_not); /* not asked for */
    options.compensate = COMPENSATE_ON;
    bare.events.timer_interrupts = NULL;
    compensate_open(&engine);
    assert_non_null(strstr(engine.facts.compensate.why_not, "every interrupt is masked here"));
    assert_false(engine.facts.compensate.cost.known);
    bare.events.timer_interrupts = timer_interrupts;
    engine.facts.execution = EXEC_EMULATED;
    compensate_open(&engine);
    assert_non_null(strstr(engine.facts.compensate.why_not, "an emulator's time"));
    engine.facts.execution = EXEC_SILICON;
    engine.facts.tsc_hz = 1e7; /* two seconds of it are soon over, and no interrupt is counted */
    compensate_open(&engine);
    assert_non_null(strstr(engine.facts.compensate.why_not, "too few timer interrupts"));
    options.method = METHOD_PLAIN;
    compensate_open(&engine);
    assert_null(engine.facts.compensate.why_not);
}

static bool every_tenth(size_t i)
{
    return i % 10 == 9;
}

static bool the_first(size_t i)
{
    return i == 0;
}

/* However few the samples: a failure in a window that is not a sample fails the row too. */
TEST(errors_fail_the_row_with_every_method)
{
    for (enum method m = METHOD_DOUBLED; m <= METHOD_ENSEMBLES; m++) {
        for (unsigned first = 0; first < 2; first++) {
            start_small();
            options.k = 3;
            bench.window.form = FORM_FUNCTION;
            bench.proof.errors_are_wrong = true;
            plant.fails = first ? the_first : every_tenth;
            struct row row = by_method(m);
            assert_int_equal(row.out.status, ROW_WRONG);
            assert_non_null(strstr(row.out.why, "an operation returned an error"));
            assert_true(m != METHOD_KBEST || row.method.body.all.n == 6);
            plant.fails = NULL;
            memset(plant.of_kind, 0, sizeof plant.of_kind);
            assert_int_equal(by_method(m).out.status, ROW_OK);
        }
    }
    start();
    bench.window.form = FORM_FUNCTION;
    plant.fails = the_first; /* counted and left out, where the row does not say that it is wrong */
    bench.proof.errors_are_wrong = false;
    assert_int_equal(by_method(METHOD_KBEST).out.status, ROW_OK);

    start();
    bench.window.form = FORM_FUNCTION;
    bench.proof.errors_are_wrong = true;
    plant.twice_fails = true; /* in twice the body, which is not a sample either */
    plant.fails = every_tenth;
    struct row row = by_method(METHOD_DOUBLED);
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_int_equal(row.taken.errors, 0);
    bench.proof.errors_are_wrong = false;
    bench.window.form = FORM_STRAIGHT;
}

static void give(const char *text)
{
    struct word word = {0};

    strcpy(word.at, text);
    assert_true(options_take(&options, &word, "a test", "word", 1, NULL));
}

/* Windows of a kind that were run, and those that are samples. */
static size_t not_samples(enum window_kind k, const struct method_side *side)
{
    return plant.of_kind[k] - side->all.n;
}

/* method=plain reads the TSC three times; its first window is a sample, unless told otherwise. */
TEST(plain_warms_up_as_its_author_did)
{
    plant.extra = now_and_then;
    struct row row = by_method(METHOD_PLAIN);
    const struct method_result *m = &row.method;
    assert_int_equal(not_samples(KIND_BODY, &m->body) + not_samples(KIND_EMPTY, &m->empty), 0);
    assert_int_equal(not_samples(KIND_RULER, &m->ruler), 2 * ENGINE_BLOCK);
    assert_true(row.taken.disturbed > 0 && m->body.calm.n + row.taken.disturbed == m->body.all.n);

    start();
    give("warmup=3");
    row = by_method(METHOD_PLAIN);
    assert_int_equal(not_samples(KIND_BODY, &m->body), 4 * ENGINE_BLOCK); /* one is judged by */
    assert_int_equal(not_samples(KIND_RULER, &m->ruler), 2 * ENGINE_BLOCK);

    start_small();
    row = by_method(METHOD_ENSEMBLES);
    assert_int_equal(not_samples(KIND_BODY, &m->body), 2 * ENGINE_BLOCK);
}

/* A recipe that hides the beginning of a body reduces the figure: the error states it. */
TEST(cycles_that_the_recipe_hides_are_in_the_error)
{
    for (enum method m = METHOD_PLAIN; m <= METHOD_ENSEMBLES; m++) {
        double error[2];
        for (unsigned hides = 0; hides < 2; hides++) {
            start_small();
            engine.hides = 40 * hides;
            engine.facts.ticks_per_cycle = 0.5;
            error[hides] = by_method(m).method.error;
        }
        assert_true(fabs((error[1] - error[0]) * OPS - 40 * engine.facts.ticks_per_cycle) < 1e-6);
    }
}

static double slow_empty(enum window_kind k, size_t i)
{
    return k == KIND_EMPTY ? 500 : 0;
}

TEST(a_negative_difference_is_reported)
{
    plant.operation = 0;
    plant.extra = slow_empty;
    for (enum method m = METHOD_PLAIN; m <= METHOD_KBEST; m++) {
        struct row row = by_method(m);
        assert_true(row.method.ticks < 0);
        assert_non_null(strstr(row.method.doubt, "negative"));
    }
}

TEST(checks_are_made_by_each_method)
{
    static const enum method methods[] = {METHOD_PLAIN, METHOD_KBEST, METHOD_ENSEMBLES};

    bench.proof.least_instructions = 1;
    EACH_CASE (c, methods) {
        start_small();
        plant.instructions = 0; /* with a figure that looks sound */
        struct row row = by_method(*c);
        assert_int_equal(row.out.status, ROW_WRONG);
        assert_non_null(strstr(row.out.why, "the work was elided"));
        plant.instructions = 1;
        plant.operation = 0; /* with one that does not */
        row = by_method(*c);
        assert_int_equal(row.out.status, ROW_OK);
        assert_int_equal(row.work, WORK_JUDGED);
    }
    bench.proof.least_instructions = 0;
    bench.proof.truth = three;
    plant.operation = 3.4; /* one placement: nearer to 3 than to 4 */
    assert_int_equal(by_method(METHOD_KBEST).out.status, ROW_OK);
    plant.operation = 3.6;
    struct row row = by_method(METHOD_KBEST);
    bench.proof.truth = NULL;
    assert_non_null(strstr(row.out.why, "not the documented figure"));
    assert_true(row.truth.cycles == 3);
}

TEST(disturbed_windows_are_counted_by_each_method)
{
    plant.extra = now_and_then;
    struct row row = by_method(METHOD_PLAIN);
    assert_true(row.taken.disturbed > 0 && row.method.body.all.n == 256);
    assert_true(row.method.body.greatest > 100000);
}

static const char *refused(const char *name)
{
    static struct row row;
    struct bench b = bench;

    b.name = name;
    b.window.form = FORM_STRAIGHT;
    options.method = METHOD_ADAPTIVE;
    row = whole_row(b);
    assert_int_equal(row.out.status, ROW_UNSUPPORTED);
    return row.out.why;
}

TEST(adaptive_names_the_row_that_has_a_loop)
{
    static const struct bench add = {.suite = "planted", .name = "add", .window.form = FORM_LOOP},
                              add_loop = {.suite = "planted",
                                          .name = "add_loop",
                                          .window.form = FORM_LOOP},
                              other = {.suite = "other", .name = "sub", .window.form = FORM_LOOP},
                              none = {.suite = "planted",
                                      .name = "or_loop",
                                      .window.form = FORM_STRAIGHT};
    static const struct bench *const all[] = {&other, &add, &add_loop, &none};

    registered = all;
    registered_rows = COUNT_OF(all);
    assert_non_null(strstr(refused("add"), "; planted/add_loop has one"));
    assert_non_null(strstr(refused("add_straight"), "; planted/add has one"));
    assert_null(strstr(refused("sub_straight"), "has one"));
    assert_null(strstr(refused("or"), "has one"));
    assert_null(strstr(refused("ad"), "has one"));
    registered_rows = 0;
}
