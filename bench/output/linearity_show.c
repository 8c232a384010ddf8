#include "bench/output/head.h"
#include "bench/output/per_op.h"
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

/* Writes what the recipe hides, and how straight it is. */
static void record_line(const struct probe *p, unsigned recipe, struct json *j)
{
    const struct linearity_line *l = &p->recipe[recipe].line;

    json_u64(j, "groups", p->recipe[recipe].groups);
    json_u64(j, "exclusive_groups", p->recipe[recipe].exclusive);
    json_f64(j, "shadow_cycles", l->shadow, 4);
    json_f64(j, "shadow_half_cycles", l->shadow_half, 4);
    json_f64(j, "slope", l->slope, 7);
    json_f64(j, "slope_half", l->slope_half, 7);
    json_f64(j, "bend_cycles", l->bend, 4);
    json_bool(j, "straight", l->straight);
    json_f64(j, "bend_p", p->recipe[recipe].bend_p, 9);
}

static void record_recipe(const struct run_facts *run, const struct probe *p, unsigned recipe,
                          struct report *r)
{
    /* A member's name has the unit of its figure (docs/report.md). */
    bool counted = run->execution == EXEC_INSTRUCTIONS;
    struct json j;

    if (!report_record(r, &j, "linearity"))
        return;
    json_str(&j, "recipe", recipe_names[recipe]);
    if (p->recipe[recipe].why_not) {
        json_str(&j, "why", p->recipe[recipe].why_not);
        json_end(&j);
        return;
    }
    json_u64(&j, "n", p->recipe[recipe].windows);
    if (!counted)
        json_f64(&j, "ticks_per_cycle", p->recipe[recipe].ticks_per_cycle, 6);
    if (run->execution == EXEC_SILICON)
        record_line(p, recipe, &j);
    json_array(&j, "points");
    for (unsigned i = 0; i < LINEARITY_POINTS; i++) {
        const struct linearity_point *point = &p->recipe[recipe].point[i];
        json_object(&j, NULL);
        json_u64(&j, "adds", point->adds);
        json_f64(&j, "ticks", point->ticks, 4);
        json_f64(&j, counted ? "error_instructions" : "error_cycles", point->cycles, 4);
        if (!counted)
            json_f64(&j, "half_cycles", point->half, 4);
        json_close(&j);
    }
    json_close(&j);
    json_end(&j);
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
    const struct regression *g = &p->recipe[recipe].regression;
    bool counted = run->execution == EXEC_INSTRUCTIONS;
    struct json j;

    if (p->recipe[recipe].why_not || !report_record(r, &j, "regression"))
        return;
    json_str(&j, "recipe", recipe_names[recipe]);
    json_u64(&j, "n", g->n);
    json_u64(&j, "adds_step", growing_step(run->execution));
    json_u64(&j, "windows", p->recipe[recipe].growing);
    json_f64(&j, counted ? "slope_instructions" : "slope_cycles", g->slope, 7);
    json_f64(&j, counted ? "intercept_instructions" : "intercept_cycles", g->intercept, 4);
    json_f64(&j, "r2", g->r2, 12);
    json_f64(&j, "residual_max", g->residual_max, 4);
    json_u64(&j, "spurious_minima", g->spurious);
    json_array(&j, "minima_ticks");
    for (unsigned i = 0; i < growing_bodies(run->execution); i++)
        json_u64(&j, NULL, p->recipe[recipe].least[i]);
    json_close(&j);
    json_end(&j);
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
