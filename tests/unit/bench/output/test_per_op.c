/* A row without a figure or an interval: each cause of a `?` has its reason, and nothing else
 * has one. */
#include "tests/unit/cmocka_unit.h"
#include "bench/output/per_op.h"
#include "lib/stats/mathx.h"

static struct options o;

static struct run_facts run_by(enum execution execution, enum cycles_by by)
{
    return (struct run_facts){.o = &o, .execution = execution, .cycle.by = by};
}

static const char *missing(const struct run_facts *run, bool known, double ticks, double cycles)
{
    static const struct bench loop = {.window.form = FORM_LOOP, .ops = 10};
    struct row row = {.out.bench = &loop, .taken.windows = 64, .out.status = ROW_OK};

    row.figure.known = known;
    row.figure.ticks = ticks;
    row.figure.cycles.theta = cycles;
    return per_op_missing(run, &row);
}

TEST(each_missing_figure_has_its_reason)
{
    struct run_facts ruler = run_by(EXEC_SILICON, CYCLES_RULER);
    struct run_facts counter = run_by(EXEC_SILICON, CYCLES_COUNTER);
    struct run_facts noise = run_by(EXEC_EMULATED, CYCLES_UNKNOWN);

    assert_non_null(strstr(missing(&ruler, false, UNKNOWN, UNKNOWN), "disturbed"));
    assert_non_null(strstr(missing(&counter, false, UNKNOWN, UNKNOWN), "disturbed"));
    assert_non_null(strstr(missing(&noise, false, UNKNOWN, UNKNOWN), "disturbed"));
    assert_non_null(strstr(missing(&ruler, true, 3, UNKNOWN), "ruler"));
    assert_non_null(strstr(missing(&counter, true, 3, UNKNOWN), "counter"));
    assert_null(missing(&ruler, true, 3, 4));
    assert_null(missing(&counter, true, 3, 4));
    assert_null(missing(&noise, true, 3, UNKNOWN));
}

TEST(a_failed_row_or_one_without_a_figure_by_design_has_no_reason)
{
    struct run_facts run = run_by(EXEC_SILICON, CYCLES_RULER);
    struct bench b = {.window.form = FORM_EMPTY};
    struct row row = {.out.bench = &b, .taken.windows = 64};

    row.figure.cycles.theta = UNKNOWN;
    assert_null(per_op_missing(&run, &row));
    b.window.form = FORM_NONE;
    assert_null(per_op_missing(&run, &row));
    b.window.form = FORM_LOOP;
    assert_non_null(per_op_missing(&run, &row));
    row.out.status = ROW_WRONG;
    assert_null(per_op_missing(&run, &row));
    row.out.status = ROW_OK;
    row.taken.windows = 0;
    assert_null(per_op_missing(&run, &row));
}

TEST(a_figure_without_an_interval_has_its_reason)
{
    static const struct bench loop = {.window.form = FORM_LOOP, .ops = 10};
    struct run_facts run = run_by(EXEC_SILICON, CYCLES_RULER),
                     counted = run_by(EXEC_INSTRUCTIONS, 0);
    struct row row = {.out.bench = &loop, .taken.windows = 64, .out.status = ROW_OK};

    row.figure = (struct row_figure){.known = true, .ticks = 3};
    row.figure.cycles = (struct estimate){.theta = 4, .lo = UNKNOWN, .hi = UNKNOWN};
    assert_non_null(strstr(per_op_no_interval(&run, &row), "one block"));
    assert_null(per_op_no_interval(&counted, &row));
    row.method = (struct method_result){.method = METHOD_KBEST, .no_interval = "a reason"};
    assert_string_equal(per_op_no_interval(&run, &row), "a reason");
    row.figure.cycles.lo = 3;
    row.figure.cycles.hi = 5;
    assert_null(per_op_no_interval(&run, &row));
}

static double ipc_of(const struct bench *b)
{
    struct run_facts run = run_by(EXEC_SILICON, CYCLES_RULER);
    struct row row = {
        .out.bench = b, .taken.windows = 64, .stepped = {.tried = true, .instructions = 6}};

    row.figure = (struct row_figure){.known = true, .ticks = 3};
    row.figure.cycles = (struct estimate){.theta = 4, .lo = 3, .hi = 5};
    return units_ipc(&run, &row);
}

TEST(instructions_that_vary_have_no_ipc)
{
    struct bench b = {.window.form = FORM_LOOP, .ops = 10};

    assert_true(ipc_of(&b) == 1.5);
    b.proof.varies = true;
    assert_false(is_known(ipc_of(&b)));
}
