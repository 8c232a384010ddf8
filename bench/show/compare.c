#include "bench/show/compare.h"
#include "bench/api/registry.h"
#include "bench/measure/cycle.h"
#include "lib/stats/known.h"
#include "bench/show/units.h"
#include "lib/decimal/json_f64.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* v with three digits behind the point and the prefix that keeps it below `step`: k M G T, or Ki Mi
 * Gi Ti. */
static void prefixed(struct sink *out, double v, double step, const char *mark)
{
    static const char letters[] = " kMGT";
    unsigned i = 0;
    for (; v >= step && i + 2 < sizeof letters; i++)
        v /= step;
    num_f64(out, v, 3, 0);
    if (i)
        fmt(out, " %c%s", *mark && i == 1 ? 'K' : letters[i], mark);
    else
        fmt(out, " ");
}

/* Base units a second; NaN where a second is not known. */
static double per_second(const struct engine *e, const struct row *row)
{
    if (units_are_instructions(e) || !engine_has_hz(e) || row->headline.ticks <= 0)
        return UNKNOWN;
    return row->bench->base_per_op * e->tsc_hz / row->headline.ticks;
}

static bool has_units(const struct row *row)
{
    return row->bench->base_unit && row->headline.known;
}

void compare_units_show(struct report *r, const struct engine *e, const struct row *row)
{
    const struct bench *b = row->bench;
    double second = per_second(e, row), cycles = row->headline.cycles.theta;
    if (!has_units(row) || e->execution == EXEC_EMULATED)
        return;
    fmt(r->out, "  = %u %ss an operation", b->base_per_op, b->base_unit);
    if (is_known(cycles) && cycles > 0 && cycle_known(e)) {
        fmt(r->out, ", ");
        num_f64(r->out, b->base_per_op / cycles, 3, 0);
        fmt(r->out, " %ss a%s", b->base_unit,
            units_are_instructions(e) ? "n instruction" : " cycle");
    }
    if (is_known(second)) {
        fmt(r->out, ", ");
        prefixed(r->out, second, 1000, "");
        fmt(r->out, "%ss/s (", b->base_unit);
        prefixed(r->out, second, 1024, "i");
        fmt(r->out, ")");
    }
    fmt(r->out, "\r\n");
}

void compare_units_record(struct json *j, const struct engine *e, const struct row *row)
{
    double cycles = row->headline.cycles.theta;
    if (!has_units(row))
        return;
    json_object(j, "units");
    json_str(j, "unit", row->bench->base_unit);
    json_u64(j, "per_op", row->bench->base_per_op);
    if (cycle_known(e) && cycles > 0)
        json_f64(j, units_are_instructions(e) ? "per_instruction" : "per_cycle",
                 row->bench->base_per_op / cycles, 6);
    json_f64(j, "per_second", per_second(e, row), 0);
    json_close(j);
}

/* The figure in the table's unit: cycles by the ruler, instructions, or ticks. */
static void figure(struct sink *out, const struct engine *e, double ticks)
{
    double c = e->execution == EXEC_EMULATED ? 0 : e->ticks_per_cycle;
    num_f64(out, c > 0 ? ticks / c : ticks, 3, 0);
}

static const char *unit(const struct engine *e)
{
    return units_are_instructions(e)       ? "instructions"
           : e->execution == EXEC_EMULATED ? "ticks"
                                           : "cycles";
}

static void compare(struct report *r, const struct engine *e, const struct bench *b, double ticks,
                    double other)
{
    char message[200];
    struct sink_buf text;
    sink_buf_init(&text, message, sizeof message);
    fmt(&text.sink, "%s/%s ", b->suite, b->name);
    figure(&text.sink, e, ticks);
    fmt(&text.sink, ", %s ", b->beside);
    figure(&text.sink, e, other);
    fmt(&text.sink, " %s/op: ", unit(e));
    figure(&text.sink, e, ticks - other);
    fmt(&text.sink, " apart");
    report_event(r, "beside", message);
}

void compare_rows(struct report *r, const struct engine *e, const struct core_figure *figures)
{
    size_t n;
    const struct bench *const *rows = registry(&n);
    if (report_table(r))
        fmt(r->out, "\r\n");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; rows[i]->beside && k < n; k++)
            if (str_eq(rows[k]->suite, rows[i]->suite) && str_eq(rows[k]->name, rows[i]->beside) &&
                is_known(figures[i].ticks) && is_known(figures[k].ticks))
                compare(r, e, rows[i], figures[i].ticks, figures[k].ticks);
}
