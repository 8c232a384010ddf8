#include "bench/output/head.h"
#include "bench/output/per_op.h"
#include "bench/api/declare.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "bench/result/cycles.h"
#include "lib/stats/mathx.h"
#include "lib/config/choices.h"

static void show_table(const struct run_facts *run, const struct probe *p, struct report *r)
{
    fmt(r->out,
        "\r\nlinearity: a chain of N adds should cost N - 1 more than one add; shown is what "
        "is\r\nmissing (-) or too much (+), in %s\r\n%-10s",
        run->execution == EXEC_INSTRUCTIONS ? "instructions" : "core cycles", "recipe \\ N");
    for (unsigned i = 0; i < LINEARITY_POINTS; i++)
        fmt(r->out, " %6u", linearity_adds[i]);
    fmt(r->out, run->execution == EXEC_SILICON ? "  error shadow\r\n" : "\r\n");
    for (unsigned k = 0; k < RECIPE_COUNT; k++) {
        fmt(r->out, "%-10s", recipe_names[k]);
        if (p->recipe[k].why_not)
            fmt(r->out, " not on this CPU: %s", p->recipe[k].why_not);
        for (unsigned i = 0; !p->recipe[k].why_not && i < LINEARITY_POINTS; i++) {
            per_op_number(r, p->recipe[k].point[i].cycles, 1, 6);
        }
        if (!p->recipe[k].why_not && run->execution == EXEC_SILICON) {
            fmt(r->out, "  +-");
            per_op_number(r, p->recipe[k].point[LINEARITY_POINTS - 2].half, 1, 0);
            if (p->recipe[k].line.straight)
                per_op_number(r, p->recipe[k].line.shadow, 1, 6);
            else
                fmt(r->out, "  bends");
        }
        fmt(r->out, "\r\n");
    }
}

static void record_recipe(const struct run_facts *run, const struct probe *p, unsigned recipe,
                          struct report *r)
{
    const struct probe_recipe *of = &p->recipe[recipe];
    bool counted = run->execution == EXEC_INSTRUCTIONS, ran = !of->why_not,
         judged = ran && run->execution == EXEC_SILICON;
    struct json line, *j = &line;

    if (!report_record(r, j, "linearity"))
        return;
#include "bench/api/fields/linearity.def"
    json_end(j);
}

static void show_regression(const struct run_facts *run, const struct probe *p, struct report *r)
{
    const unsigned step = growing_step(run->execution), steps = growing_bodies(run->execution) - 1;

    fmt(r->out,
        "\r\nregression: the least window over N adds, N of 0, %u, ... %u, is intercept + slope * "
        "N,"
        "\r\nin %s\r\n%-10s %9s %10s %11s %9s spurious minima\r\n",
        step, step * steps, run->execution == EXEC_INSTRUCTIONS ? "instructions" : "core cycles",
        "recipe", "slope", "intercept", "R^2", "residual");
    for (unsigned k = 0; k < RECIPE_COUNT; k++) {
        const struct regression *g = &p->recipe[k].regression;
        if (p->recipe[k].why_not)
            continue;
        fmt(r->out, "%-10s", recipe_names[k]);
        per_op_number(r, g->slope, 5, 9);
        per_op_number(r, g->intercept, 1, 10);
        per_op_number(r, g->r2, 9, 11);
        per_op_number(r, g->residual_max, 1, 9);
        fmt(r->out, " %u of %u\r\n", g->spurious, steps);
    }
}

static void record_regression(const struct run_facts *run, const struct probe *p, unsigned recipe,
                              struct report *r)
{
    const struct probe_recipe *of = &p->recipe[recipe];
    const struct regression *g = &of->regression;
    bool counted = run->execution == EXEC_INSTRUCTIONS;
    struct json line, *j = &line;

    if (of->why_not || !report_record(r, j, "regression"))
        return;
#include "bench/api/fields/regression.def"
    json_end(j);
}

void linearity_show(const struct run_facts *run, const struct probe *p, struct report *r)
{
    if (report_table(r))
        show_table(run, p, r);
    for (unsigned k = 0; k < RECIPE_COUNT; k++)
        record_recipe(run, p, k, r);
    if (report_table(r))
        show_regression(run, p, r);
    for (unsigned k = 0; k < RECIPE_COUNT; k++)
        record_regression(run, p, k, r);
}

#define NAME 32

/* Writes the name of a self-test on this core; that of the boot core has no number. */
static void name_test(char name[NAME], const struct run_facts *run, const char *test)
{
    if (run->core > 0)
        fmt_buf(name, NAME, "%s_core%u", test, run->core);
    else
        fmt_buf(name, NAME, "%s", test);
}

static void show_linearity(const struct run_facts *run, const struct probe_check *c,
                           struct report *r)
{
    char detail[128], name[NAME];
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    name_test(name, run, "linearity");
    if (run->execution == EXEC_INSTRUCTIONS) {
        num_fmt(&text.sink, "%s: worst error of a chain of 2 to 1000 adds %.2f instructions",
                recipe_names[run->probed], c->worst);
    } else {
        num_fmt(&text.sink,
                "%s: chains of 5 to 1000 adds lie within %.2f core cycles of a line; it hides %.2f",
                recipe_names[run->probed], c->worst, c->shadow);
    }
    report_selftest(r, name, c->result, c->why_not ? c->why_not : detail);
}

static void show_counter(const struct run_facts *run, const struct cycle_check *c, struct report *r)
{
    char detail[120], name[NAME];
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    name_test(name, run, "core_counter");
    fmt(&text.sink, "core cycles an addition of the ruler:");
    for (unsigned i = 0; i < c->n; i++) {
        double v = c->counter[i].cycles_per_add;
        fmt(&text.sink, "%s %s ", i ? "," : "", c->counter[i].name);
        if (is_known(v))
            num_f64(&text.sink, v, 4, 0);
        else
            fmt(&text.sink, "(its readings fail)");
    }
    report_selftest(r, name, c->result, c->why_not ? c->why_not : detail);
}

void selftests_core(const struct run_facts *run, const struct probe_check *linearity,
                    const struct cycle_check *counter, struct report *r)
{
    show_linearity(run, linearity, r);
    show_counter(run, counter, r);
}

void selftests_steps(const struct run_facts *run, struct report *r)
{
    const struct stepping_state *s = &run->stepping;
    enum selftest result = SELFTEST_PASS;
    char detail[400], name[NAME];
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    if (!s->tried)
        return;
    name_test(name, run, "instructions");
    if (s->why_not[0]) {
        result = SELFTEST_NOT_JUDGED;
        fmt(&text.sink, "single-stepping does not work: %s", s->why_not);
    } else if (s->unlike) {
        result = SELFTEST_FAIL;
        fmt(&text.sink, "%u of %u rows have other counts stepped than unstepped; %s", s->unlike,
            s->compared, s->first);
    } else if (s->compared) {
        fmt(&text.sink, "the windows of %u rows count the same stepped and unstepped", s->compared);
    } else {
        fmt(&text.sink, "stepping counted %u of %u known instructions", STEP_KNOWN, STEP_KNOWN);
    }
    report_selftest(r, name, result, detail);
}
