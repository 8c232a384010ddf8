/* Whole rows: which ones fail, which are not judged, and the remarks. */
#include "tests/unit/bench/made_engine.h"

static uint64_t done;
static const char *remembers(const struct object *o, uint64_t operations)
{
    done += operations;
    return NULL;
}

BEFORE_EACH(start);

TEST(a_body_that_cannot_be_placed_fails_the_row)
{
    not_placed = "planted";
    struct row row = whole_row(bench);
    not_placed = NULL;
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_string_equal(row.out.why, "planted");
    assert_int_equal(row.taken.windows, 0);
}

TEST(work_that_is_gone_fails_the_row)
{
    struct bench b = bench;

    b.proof.least_instructions = 2;
    plant.instructions = 2;
    plant.operation = 0; /* however fast it is */
    struct row row = whole_row(b);
    assert_int_equal(row.out.status, ROW_OK);
    assert_int_equal(row.work, WORK_JUDGED);
    plant.operation = 3.25; /* however slow */
    plant.instructions = 1.99;
    row = whole_row(b);
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_non_null(strstr(row.out.why, "the work was elided"));
    fake_witness.is_shared = at_all_times; /* and whatever neighbour there is */
    assert_int_equal(whole_row(b).out.status, ROW_WRONG);
}

/* Built-in rows that declare nothing must execute one instruction if they have a check; an
 * operation of other rows may be a part of one. */
TEST(a_check_asks_for_an_instruction)
{
    static const struct bench_code object;
    struct bench b = bench;

    b.check = remembers;
    plant.instructions = 1;
    assert_int_equal(whole_row(b).out.status, ROW_OK);
    plant.instructions = 0.9;
    struct row row = whole_row(b);
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_non_null(strstr(row.out.why, "the row's least_instructions is 1"));
    b.proof.least_instructions = 0.5;
    assert_int_equal(whole_row(b).out.status, ROW_OK);
    b.proof.least_instructions = 0;
    b.code = &object;
    assert_true(bench_least_instructions(&b) == 0);
}

/* What a row does not declare is one instruction in total. */
TEST(a_body_that_executes_no_more_than_the_empty_one_fails_the_row)
{
    struct bench b = bench;

    b.window.grain = 10;
    plant.instructions = 0.1; /* ten operations at once */
    assert_int_equal(whole_row(b).out.status, ROW_OK);
    plant.instructions = 0;
    struct row row = whole_row(b);
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_non_null(strstr(row.out.why, "the work was elided"));
    b.proof.may_be_elided = true;
    row = whole_row(b);
    assert_int_equal(row.out.status, ROW_OK);
    assert_int_equal(row.work, WORK_NOTHING_TO_JUDGE);
}

TEST(work_that_is_not_counted_is_not_judged)
{
    struct platform cannot = platform;
    struct row row;

    plant.instructions = 0;
    options.instructions = INSTRUCTIONS_OFF;
    row = whole_row(bench);
    assert_int_equal(row.out.status, ROW_OK);
    assert_int_equal(row.work, WORK_NOT_JUDGED);
    options.instructions = INSTRUCTIONS_AUTO;
    cannot.step = NULL;
    engine.p = &cannot;
    row = whole_row(bench);
    assert_int_equal(row.out.status, ROW_OK);
    assert_int_equal(row.work, WORK_NOT_JUDGED);
    assert_true(row.stepped.why_not[0] != 0);
}

TEST(an_untrue_figure_fails_the_row)
{
    struct bench b = bench;

    b.proof.truth = three;
    plant.operation = 3.01;
    struct row row = whole_row(b);
    assert_int_equal(row.out.status, ROW_OK);
    assert_true(row.truth.cycles == 3);
    plant.operation = 3.05; /* 1.7%: more than the limit, and than the interval */
    row = whole_row(b);
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_non_null(strstr(row.out.why, "not the documented figure"));
    assert_false(row.truth.above);
    b.proof.truth = NULL;
    assert_int_equal(whole_row(b).out.status, ROW_OK);
}

/* Others can slow a core down, but not make it faster. */
TEST(a_figure_above_the_documented_one_is_not_judged_under_an_operating_system)
{
    struct cpu guest = cpu;
    struct platform on_guest = platform;
    struct bench b = bench;

    guest.hypervisor = true;
    on_guest.cpu = &guest;
    b.proof.truth = three;
    for (unsigned i = 0; i < 2; i++) {
        in_a_process = i == 0;
        engine.p = i == 0 ? &platform : &on_guest;
        plant.operation = 3.05;
        struct row row = whole_row(b);
        assert_int_equal(row.out.status, ROW_OK);
        assert_true(row.truth.above && row.truth.cycles == 3);
        plant.operation = 2.95;
        row = whole_row(b);
        assert_int_equal(row.out.status, ROW_WRONG);
        assert_false(row.truth.above);
    }
    in_a_process = false;
    engine.p = &platform;
}

/* Half of the windows take twice as long: the documented latency is inside such a wide interval. */
static double every_other_placement(enum window_kind k, size_t i)
{
    return k >= KIND_BODY && i / 64 % 2 ? cycles_of(k) / 2 : 0;
}

TEST(an_interval_that_is_too_wide_has_a_remark)
{
    struct bench b = bench;

    b.proof.truth = three;
    plant.operation = 3;
    assert_false(whole_row(b).truth.vague);
    plant.extra = every_other_placement;
    struct row row = whole_row(b);
    assert_true(row.truth.vague);
    assert_int_equal(row.out.status, ROW_OK);
    b.proof.truth = NULL;
    assert_false(whole_row(b).truth.vague);
}

static bool is_vague_at(double below, double above, bool documented)
{
    struct engine e = {.p = &platform, .facts = {.execution = EXEC_SILICON, .o = &options}};
    struct bench b = bench;
    struct row row = {.out.bench = &b};

    b.proof.truth = documented ? three : NULL;
    row.figure.known = true;
    row.figure.cycles = (struct estimate){
        .theta = 3, .lo = 3 - below, .hi = 3 + above, .by = ESTIMATE_RANKS, .confidence = 0.98};
    check_figure(&e, &b, &row);
    return row.truth.vague;
}

/* A quarter of a cycle, on the longer side: doubled it is half the distance to the next latency. */
TEST(a_quarter_of_a_cycle_is_too_wide)
{
    assert_false(is_vague_at(0.249, 0.249, true));
    assert_true(is_vague_at(0.251, 0.01, true));
    assert_true(is_vague_at(0.01, 0.251, true));
    assert_true(is_vague_at(0.25, 0.25, true));
    assert_false(is_vague_at(0.251, 0.251, false));
}

TEST(rows_whose_check_fails_are_wrong)
{
    struct bench b = bench;

    options.instructions = INSTRUCTIONS_OFF; /* stepped windows are checked, too */
    b.check = remembers;
    done = 0;
    assert_int_equal(whole_row(b).out.status, ROW_OK);
    assert_int_equal(done, OPS * (plant.of_kind[KIND_BODY] + 2 * plant.of_kind[KIND_BODY2]));
    b.check = finds_fault;
    struct row row = whole_row(b);
    assert_int_equal(row.out.status, ROW_WRONG);
    assert_string_equal(row.out.why, "planted");
}
