/* A figure of each method that subtracts windows: with an interval, or with the reason for none. */
#include "tests/unit/bench/made_engine.h"
#include "bench/output/per_op.h"
#include "lib/stats/mathx.h"

static const enum method methods[] = {METHOD_PLAIN, METHOD_KBEST, METHOD_ENSEMBLES};
#define METHODS (sizeof methods / sizeof methods[0])

/* hides: the core cycles that the recipe hides of a body; extra: as plant.extra. */
static struct row row_by(enum method method, double hides,
                         double (*extra)(enum window_kind k, size_t i))
{
    struct row row;

    start();
    options.method = method;
    engine.facts.ensembles = 2;
    engine.facts.size = 32;
    options.instructions = INSTRUCTIONS_OFF;
    engine.facts.cycle.by = CYCLES_RULER;
    engine.facts.ticks_per_cycle = plant.cycle;
    engine.hides = hides;
    plant.extra = extra;
    row_of(&bench, engine.facts.rounds, &row);
    return row;
}

TEST(a_figure_has_the_interval_of_its_method)
{
    for (size_t i = 0; i < METHODS; i++) {
        struct row row = row_by(methods[i], 2, NULL);
        const struct estimate *cycles = &row.figure.cycles;

        assert_int_equal(row.out.status, ROW_OK);
        assert_true(fabs(cycles->theta - 3.25) < 1e-9);
        assert_true(cycles->lo < 3.25 - 2.0 / OPS && cycles->hi > 3.25 + 2.0 / OPS);
        assert_null(per_op_no_interval(&engine.facts, &row));
        assert_null(per_op_missing(&engine.facts, &row));
    }
}

TEST(a_missing_interval_has_its_reason)
{
    for (size_t i = 0; i < METHODS; i++) {
        struct row row = row_by(methods[i], UNKNOWN, NULL);

        assert_true(fabs(row.figure.cycles.theta - 3.25) < 1e-9);
        assert_false(is_known(row.figure.cycles.lo));
        const char *why = per_op_no_interval(&engine.facts, &row);
        assert_non_null(why);
        assert_non_null(strstr(why, "recipe hides"));
    }
}

/* Twice the ruler takes as long as the ruler. */
static double no_longer(enum window_kind k, size_t i)
{
    return k == KIND_RULER2 ? -RULER_ADDS * plant.cycle : 0;
}

TEST(a_ruler_that_does_not_grow_gives_no_figure)
{
    for (size_t i = 0; i < METHODS; i++) {
        struct row row = row_by(methods[i], 2, no_longer);

        assert_false(is_known(row.figure.cycles.theta));
        const char *why = per_op_missing(&engine.facts, &row);
        assert_non_null(why);
        assert_non_null(strstr(why, "ruler"));
        assert_null(per_op_no_interval(&engine.facts, &row));
    }
}
