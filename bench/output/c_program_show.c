#include "bench/output/method_show.h"
#include "bench/output/per_op.h"
#include "bench/api/declare.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

static void show_step(struct report *r, const struct run_facts *run, const struct c_program *c,
                      unsigned step)
{
    const struct moments *all = &c->step[step].all;

    fmt(r->out, "%-24s %7llu", c->step[step].name, (unsigned long long)all->n);
    if (all->n == 0) {
        fmt(r->out, "%43s", ""); /* the width of the columns below */
    } else {
        per_op_number(r, units_of(run, (double)c->step[step].least), 0, 9);
        per_op_number(r, units_of(run, (double)c->step[step].greatest), 0, 9);
        per_op_number(r, units_of(run, all->mean), 2, 11);
        per_op_number(r, units_of(run, moments_sd(all)), 2, 10);
    }
    fmt(r->out, " %7llu\r\n", (unsigned long long)c->step[step].errors);
    if (c->step[step].wrong)
        fmt(r->out, "  ^ FAIL: %s\r\n", c->step[step].wrong);
}

static void show_table(struct report *r, const struct run_facts *run, const struct c_program *c)
{
    fmt(r->out,
        "\r\nthe C program: one call per sample, recipe %s, %s, nothing subtracted; warm-up: %u "
        "%s\r\n",
        recipe_names[run->recipe],
        units_are_instructions(run) ? "instructions" : "ticks of the TSC",
        c->readings ? c->readings : c->warmup, c->readings ? "readings" : "windows");
    if (c->why_not) {
        fmt(r->out, "not available: %s\r\n", c->why_not);
        return;
    }
    fmt(r->out, "%-24s %7s %9s %9s %11s %10s %7s\r\n", "", "samples", "minimum", "maximum", "mean",
        "deviation", "errors");
    for (unsigned step = 0; step < C_STEPS; step++)
        show_step(r, run, c, step);
}

void c_program_show(struct report *r, const struct run_facts *run, const struct c_program *c)
{
    struct json line, *j = &line;

    if (report_table(r)) {
        report_fresh_line(r);
        show_table(r, run, c);
    }
    if (c->why_not)
        report_failed(r, "the C program", NULL);
    for (const struct c_program_step *s = c->step; s < c->step + C_STEPS; s++) {
        if (s->wrong)
            report_failed(r, "the C program", s->name);
        if (!report_record(r, j, "c_program"))
            continue;
#include "bench/api/fields/c_program.def"
        json_end(j);
    }
}
