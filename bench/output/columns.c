/* The columns of the rows' table: their heads, and a row's line, from columns.def. */
#include "bench/output/method_show.h"
#include "bench/output/per_op.h"
#include "lib/stats/mathx.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

void per_op_number(struct report *r, double v, int decimals, int width)
{
    fmt(r->out, " ");
    if (is_known(v))
        num_f64(r->out, v, decimals, width);
    else
        fmt(r->out, "%*s", width, "?");
}

/* Writes a number with an exponent if it is large: a variance of variances can have 20 digits. */
static void show_power(struct report *r, double v, int width)
{
    unsigned tens = 0;

    if (!is_known(v) || v < 1e6) {
        per_op_number(r, v, 1, width);
        return;
    }
    for (; v >= 10; tens++)
        v /= 10;
    fmt(r->out, " ");
    num_f64(r->out, v, 2, width - (tens < 10 ? 2 : 3));
    fmt(r->out, "e%u", tens);
}

static double microseconds(const struct method_result *m)
{
    return m->seconds.valid ? m->seconds.value * 1e6 : UNKNOWN;
}

/* Returns operations per second; UNKNOWN: the seconds are not known or not reliable. */
static double per_second(const struct run_facts *run, const struct method_result *m)
{
    if (units_are_instructions(run) || !m->seconds.valid || m->seconds.value <= m->seconds.error)
        return UNKNOWN;
    return (double)m->operations / m->seconds.value;
}

static double last_smallest(const struct kbest *k)
{
    return (double)k->smallest[k->held - 1];
}

/* Writes a column: of a row, or its head if `line` is false. */
#define COLUMN(head, width, there, write)                                                          \
    if (there) {                                                                                   \
        if (line)                                                                                  \
            write;                                                                                 \
        else                                                                                       \
            fmt(r->out, " %*s", width, head);                                                      \
    }
#define NUMBER(head, width, there, decimals, value)                                                \
    COLUMN(head, width, there, per_op_number(r, value, decimals, width))
#define POWER(head, width, there, value) COLUMN(head, width, there, show_power(r, value, width))

#define WORD(head, width, there, text) COLUMN(head, width, there, fmt(r->out, " %*s", width, text))
#define STOP(when)                                                                                 \
    if (line && (when))                                                                            \
        return;

/* Of a row, or of bare windows: `e` is a struct ensemble_result. */
#define ENSEMBLES_COLUMNS(there, e, ergodic)                                                       \
    NUMBER("least", 8, there, 0, (double)e->least *unit)                                           \
    NUMBER("max-min", 8, there, 0, (double)e->largest_deviation *unit)                             \
    POWER("var(var)", 8, there, e->variance_of_variances *unit *unit *unit *unit)                  \
    POWER("var(min)", 8, there, e->variance_of_minima *unit *unit)                                 \
    WORD("ergodic", 8, there, ergodic ? "yes" : "NO")

/* Returns whether there are columns for stepped instructions in addition to the figure's. */
static bool has_steps(const struct report *r, const struct run_facts *run)
{
    return r->columns >= REPORT_COLUMNS_WIDE && !units_are_instructions(run) &&
           run->o->instructions != INSTRUCTIONS_OFF;
}

/* Writes the columns of a row; of_row NULL: their heads. */
static void write_columns(struct report *r, const struct run_facts *run, const struct row *of_row)
{
    static const struct row none;
    const struct row *row = of_row ? of_row : &none;
    bool line = of_row, counted = units_are_instructions(run),
         cycles = !counted && run_has_cycles(run), steps = has_steps(r, run);
    enum method method = line ? row->method.method : run->o->method;
    const struct statistics *t = &row->gross.ticks;
    const struct method_result *m = &row->method;
    const struct method_side *side = &m->body;
    struct per_op op = per_op_of(run, &row->figure);
    double unit = units_of(run, 1);
    char interval[8] = "+-"; /* with METHOD_DOUBLED, whose rows share it: the confidence too */

    if (method == METHOD_DOUBLED)
        fmt_buf(interval, sizeof interval, "+-%u%%", estimate_percent_of(run->placements));
#include "bench/output/columns.def"
}

void columns_heading(struct report *r, const struct run_facts *run)
{
    write_columns(r, run, NULL);
    fmt(r->out, "\r\n");
}

void columns_show(struct report *r, const struct run_facts *run, const struct row *row)
{
    write_columns(r, run, row);
}

void columns_ensembles(struct report *r, const struct run_facts *run,
                       const struct ensemble_result *of)
{
    static const struct ensemble_result none;
    const struct ensemble_result *e = of ? of : &none;
    double unit = units_of(run, 1);
    bool line = of;

    ENSEMBLES_COLUMNS(true, e, e->ergodic)
}
