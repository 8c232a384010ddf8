/* Rows that are ended before they are whole, and rows in rounds. */
#include "tests/unit/bench/made_engine.h"
#include "tests/unit/says.h"

/* --- rows that are ended ---------------------------------------------------------------------- */

static struct row row;

/* A round of the row, whose guarded call after this number of others ends so. */
static void end_round(const struct bench *b, unsigned round, unsigned after, struct guard_ended how)
{
    ends = &how;
    ends_after = after;
    if (round == 0)
        row_of(b, 1, &row);
    else
        engine_round(&engine, gathered, round);
    ends = NULL;
}

static void ended_row(enum guard_end by, uint64_t at)
{
    struct bench b = bench;

    b.check = finds_fault; /* it is not asked about work that was not done */
    end_round(&b, 0, 1,
              (struct guard_ended){.by = by, .at = at, .what = "#UD invalid opcode (vector 6)"});
    assert_true(row.out.ended && row.out.status == ROW_WRONG && !row.figure.known);
    assert_int_equal(row.gross.ticks.n, 0);
}

BEFORE_EACH(start);

TEST(a_fault_fails_the_row_and_its_place_is_named)
{
    static const struct {
        uint64_t at;
        const char *place;
    } cases[] = {{PLATFORM_CODE_VA + 0x1000, "400000001000 in planted/row/B2+0x12"},
                 {PLATFORM_CODE_VA + 0x1001, "400000001001 in the code buffer+0x1001"},
                 {0x41234, "41234 (image+0x1234)"},
                 {PLATFORM_CODE_VA + 0x2003, "400000002003 in a_body+0x3"}};

    EACH_CASE (c, cases) {
        ended_row(GUARD_FAULT, c->at);
        assert_int_equal(strncmp(row.out.why, "#UD invalid opcode (vector 6) at ", 33), 0);
        assert_string_equal(row.out.why + 33, c->place);
    }
}

TEST(the_deadline_fails_the_row)
{
    options.deadline = 7;
    ended_row(GUARD_DEADLINE, 0x10);
    assert_says(row.out.why, "deadline=7", "at 10");
}

TEST(a_key_stops_the_run_and_not_only_the_row)
{
    struct poll poll = {.p = &platform, .hz = UINT64_MAX}; /* it never looks */

    engine.poll = &poll;
    ended_row(GUARD_DEADLINE, 0);
    assert_false(poll.stopped);
    ended_row(GUARD_STOPPED, 0);
    assert_true(poll.stopped); /* which shows no row that was under way */
}

TEST(state_that_the_body_changed_fails_the_row_and_is_named)
{
    end_round(&bench, 0, 1,
              (struct guard_ended){.by = GUARD_CAME_BACK, .changed = "CR4 (OSFXSR cleared)"});
    assert_true(!row.out.ended && row.out.status == ROW_WRONG && !row.figure.known);
    assert_says(row.out.why, "the body", "CR4 (OSFXSR cleared)");
    end_round(&bench, 0, 1,
              (struct guard_ended){
                  .by = GUARD_FAULT, .at = 0x10, .what = "#UD", .changed = "the GS base"});
    assert_true(row.out.ended);
    assert_says(row.out.why, "the body", "the GS base", "#UD at 10");
}

/* By #UD or #GP. Where the row has not declared that, it fails as above. */
TEST(a_row_that_the_cpu_may_refuse_is_unsupported_then)
{
    static const struct guard_ended refused = {
        .by = GUARD_FAULT, .at = 0x10, .what = "#UD", .refused = true};
    struct bench b = bench;

    end_round(&b, 0, 1, refused);
    assert_int_equal(row.out.status, ROW_WRONG);
    b.needs.may_be_refused = true;
    end_round(&b, 0, 1, refused);
    assert_int_equal(row.out.status, ROW_UNSUPPORTED);
    assert_string_equal(row.out.why, "#UD at 10");
    assert_false(row.figure.known);
    end_round(&b, 0, 1, (struct guard_ended){.by = GUARD_FAULT, .at = 0x10, .what = "#PF"});
    assert_int_equal(row.out.status, ROW_WRONG);
}

/* --- rounds ----------------------------------------------------------------------------------- */

static void in_rounds(unsigned rounds)
{
    engine.facts.samples = 2048;
    engine.facts.rounds = rounds;
}

TEST(a_row_is_stepped_after_its_last_window_and_timed_separately)
{
    in_rounds(4);
    plant.instructions = 1;
    plant.step_ticks = 1ull << 40;
    struct row row = whole_row(bench);
    assert_int_equal(row.out.status, ROW_OK);
    assert_true(plant.stepped >= 4);
    assert_int_equal(plant.calls_then, plant.calls);
    assert_true(row.stepped.ticks >= plant.stepped * plant.step_ticks);
    assert_true(row.taken.sampling_ticks < plant.step_ticks);
}

TEST(a_row_can_limit_its_windows)
{
    struct bench few = bench;

    few.window.most_windows = 64;
    in_rounds(4);
    struct row row = whole_row(few);
    assert_int_equal(row.out.status, ROW_OK);
    assert_int_equal(row.gross.ticks.n, 64);
    assert_int_equal(row.spread.rounds, 1);
    assert_true(row.figure.known);
    /* The next row has all of them. */
    row = whole_row(bench);
    assert_int_equal(row.gross.ticks.n, 2048);
    assert_int_equal(row.spread.rounds, 4);
    /* It is a limit, not an amount. */
    engine.facts.samples = 32;
    engine.facts.rounds = 1;
    row = whole_row(few);
    assert_int_equal(row.gross.ticks.n, 32);
}

/* The same windows, whatever the rounds: what all of them say is the same. */
TEST(rounds_are_parts_of_one_row)
{
    engine.facts.samples = 2048;
    plant.extra = now_and_then;
    struct row one = whole_row(bench);
    uint64_t windows = one.taken.windows;
    assert_int_equal(one.spread.rounds, 1);
    assert_int_equal(one.gross.ticks.n, 2048);
    for (unsigned rounds = 2; rounds <= ROUNDS_MOST; rounds *= 2) {
        start();
        in_rounds(rounds);
        plant.extra = now_and_then;
        struct row row = whole_row(bench);
        assert_int_equal(row.out.status, ROW_OK);
        assert_int_equal(row.spread.rounds, rounds);
        assert_int_equal(row.gross.ticks.n, 2048);
        assert_int_equal(row.spread.placements, LAYOUT_SHUFFLED);
        assert_true(row.figure.cycles.theta == one.figure.cycles.theta);
        assert_int_equal(row.figure.cycles.rounds, rounds);
        assert_int_equal(row.figure.cycles.placements, LAYOUT_SHUFFLED);
        assert_int_equal(row.taken.disturbed, one.taken.disturbed);
        assert_true(row.gross.net == one.gross.net && row.gross.ticks.sd == one.gross.ticks.sd);
        assert_true(row.gross.ticks.median == one.gross.ticks.median &&
                    row.gross.ticks.max == one.gross.ticks.max);
        assert_int_equal(row.figure.modes.count, 1);
        assert_true(row.taken.windows >= windows); /* each part has its warm-up */
    }
}

static double slower_body(enum window_kind k, size_t i)
{
    return (k == KIND_BODY2 && i >= 1024) * 65; /* 4% from the third round on */
}

/* What differs from round to round is in the placements' figures, and so in their interval. */
TEST(rounds_are_in_the_interval)
{
    in_rounds(4);
    plant.extra = slower_body;
    struct row row = whole_row(bench);
    assert_true(fabs(row.spread.round_theta[0] - 3.25) < 1e-3);
    assert_true(fabs(row.spread.round_theta[3] - 3.25 * 1.04) < 1e-3);
    double apart = row.spread.round_theta[3] - row.spread.round_theta[0];
    assert_true(fabs(row.figure.cycles.between - apart / sqrt(3)) < 1e-6);
    assert_true(row.figure.cycles.lo < row.spread.round_theta[0] + 1e-3);
    assert_true(row.figure.cycles.hi > row.spread.round_theta[3] - 1e-3);
    assert_true(row.spread.theta[0] == row.spread.round_theta[0]);
}

TEST(fixed_layout_has_a_part_in_each_round)
{
    options.layout = LAYOUT_FIXED;
    in_rounds(4);
    plant.extra = slower_body;
    struct row row = whole_row(bench);
    assert_int_equal(row.spread.placements, 1);
    assert_int_equal(row.spread.rounds, 4);
    assert_true(fabs(row.spread.theta[0] - 3.25 * 1.02) < 1e-3);
    assert_int_equal(row.figure.cycles.rounds, 4);
    assert_true(row.figure.cycles.hi - row.figure.cycles.theta > 0.1);
}

TEST(a_row_that_is_stopped_has_its_whole_rounds)
{
    in_rounds(4);
    row_of(&bench, 2, &row);
    assert_int_equal(row.spread.rounds, 2);
    assert_int_equal(row.gross.ticks.n, 1024);
    assert_true(fabs(row.figure.cycles.theta - 3.25) < 1e-9);
    assert_int_equal(row.figure.cycles.rounds, 2);
    assert_true(row.spread.theta[8] != row.spread.theta[8]); /* not taken, hence not known */
    assert_true(row.spread.round_theta[2] != row.spread.round_theta[2]);

    /* In the middle of a round: that row is not at fault. */
    struct poll poll = {.p = &platform, .hz = UINT64_MAX};
    engine.poll = &poll;
    row_of(&bench, 1, &row);
    end_round(&bench, 1, 1, (struct guard_ended){.by = GUARD_STOPPED});
    engine_end(&engine, gathered, &row);
    assert_true(poll.stopped && row.out.status == ROW_OK && !row.out.why && !row.out.ended);
    assert_int_equal(row.spread.rounds, 1);
    assert_true(fabs(row.figure.cycles.theta - 3.25) < 1e-9);
}

TEST(a_fault_in_a_later_round_ends_the_row)
{
    in_rounds(4);
    row_of(&bench, 1, &row);
    end_round(&bench, 1, 1, (struct guard_ended){.by = GUARD_FAULT, .what = "#UD"});
    size_t calls = plant.calls;
    engine_round(&engine, gathered, 2); /* it is not tried again */
    assert_int_equal(plant.calls, calls);
    engine_end(&engine, gathered, &row);
    assert_true(row.out.status == ROW_WRONG && row.out.ended && !row.figure.known);
    assert_int_equal(row.gross.ticks.n, 0);
}

/* Setup, windows and check: parts after the one that ends are not called. */
TEST(setup_windows_and_check_are_guarded)
{
    static const bool windows[] = {false, true, true};
    static const struct guard_ended ended = {.by = GUARD_DEADLINE};

    for (unsigned i = 0; i < 3; i++) {
        plant.calls = 0;
        end_round(&bench, 0, i, ended);
        assert_true(row.out.ended && row.out.status == ROW_WRONG && !row.figure.known);
        assert_int_equal(plant.calls > 0, windows[i]);
    }
    /* What shows how a fault ends the run has its setup outside: the first call is its windows'. */
    struct bench outside = bench;
    outside.faults_outside = true;
    plant.calls = 0;
    end_round(&outside, 0, 0, ended);
    assert_true(row.out.ended && plant.calls > 0);
}

TEST(short_rounds_have_one_deadline)
{
    in_rounds(4);
    engine.facts.tsc_hz = 1e9;
    options.deadline = 2;
    row_of(&bench, 1, &row);
    assert_true(ran_before == 0 && gathered->ran > 0);
    gathered->ran = 1900000000;
    engine_round(&engine, gathered, 1); /* it has what is left */
    assert_true(ran_before == 1900000000 && gathered->rounds == 2 && gathered->ran > ran_before);
    gathered->ran = 2100000000;
    engine_round(&engine, gathered, 2);
    engine_end(&engine, gathered, &row);
    assert_true(row.out.ended && row.out.status == ROW_WRONG);
    assert_non_null(strstr(row.out.why, "deadline=2 seconds"));
}

static uint64_t used;

static uint64_t row_ran(void)
{
    return used;
}

/* A process that waits for a CPU: what passes is not what the row uses. */
TEST(time_that_a_platform_does_not_count_ends_no_row)
{
    struct platform counts = platform;

    counts.row.ran = row_ran;
    engine.p = &counts;
    in_rounds(4);
    engine.facts.tsc_hz = 1; /* each round takes many seconds */
    options.deadline = 2;
    used = 0;
    row_of(&bench, 4, &row);
    assert_true(gathered->rounds == 4 && !row.out.ended && row.out.status == ROW_OK);
    used = 2;
    row_of(&bench, 4, &row);
    assert_true(gathered->rounds == 1 && row.out.ended && row.out.status == ROW_WRONG);
    assert_int_equal(ran_before, 0); /* no other round began */
}

static double each_another(enum window_kind k, size_t i)
{
    return k == KIND_BODY ? (double)(i * 37 % 2048) * 4 : 0;
}

/* More values than there are bins: bins are wider, and the figure is the same. */
TEST(memory_is_bounded)
{
    engine.facts.samples = 2048;
    plant.extra = each_another;
    struct row one = whole_row(bench);
    assert_int_equal(one.gross.hist->width, 1);
    assert_int_equal(one.gross.hist->used, 2048);
    start();
    in_rounds(4);
    plant.extra = each_another;
    struct row row = whole_row(bench);
    assert_true(row.gross.hist->width > 1 && row.gross.hist->used <= GATHERED_BODY_BINS);
    assert_true(fabs(row.gross.ticks.median - one.gross.ticks.median) <
                (double)row.gross.hist->width);
    assert_true(fabs(row.gross.ticks.mean - one.gross.ticks.mean) < 1e-6 &&
                row.gross.ticks.max == one.gross.ticks.max);
    options.hist = HIST_FULL; /* all that was asked for */
    assert_true(gathered_need(&options, 2048, 4) <= sizeof store / sizeof *store);
    plant.calls = plant.of_kind[KIND_BODY] = 0;
    row = whole_row(bench);
    assert_int_equal(row.gross.hist->width, 1);
    assert_true(gathered_need(&options, 1000000, 4) > 2000000);
    options.hist = HIST_CAPPED;
    assert_true(gathered_need(&options, 1000000, 4) < 200000);
    assert_true(gathered_need(&options, 2048, 4) * sizeof(uint64_t) < 24000);
}

TEST(exact_figures_need_one_round)
{
    struct behave_verdict v = {.execution = EXEC_INSTRUCTIONS, .ticks_per_instruction = 128};

    engine_executed_by(&engine, &v);
    assert_int_equal(engine.facts.rounds, 1);
    v.execution = EXEC_EMULATED;
    engine_executed_by(&engine, &v);
    assert_int_equal(engine.facts.rounds, 1);
    v.execution = EXEC_SILICON;
    engine.facts.samples = 2048;
    engine_executed_by(&engine, &v);
    assert_int_equal(engine.facts.rounds, 4);
    options.method = METHOD_PLAIN;
    engine_executed_by(&engine, &v);
    assert_int_equal(engine.facts.rounds, 1);
}
