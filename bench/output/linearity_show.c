#include "bench/output/head.h"
#include "bench/output/per_op.h"
#include "bench/api/declare.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

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
