#include "bench/output/kinds_show.h"
#include "bench/api/declare.h"
#include "bench/output/show.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

/* Returns a cell's figure in that unit. */
static double figure(const struct run_facts *run, const struct forward_cell *c)
{
    return run_has_cycles(run) ? c->cycles : c->ticks;
}

static const char *words(enum forward_how how)
{
    switch (how) {
    case FORWARD_APART:
        return "apart";
    case FORWARD_PARTIAL:
        return "partial";
    case FORWARD_FORWARDED:
        return "forwarded";
    case FORWARD_NOT:
        return "not forwarded";
    case FORWARD_INSIDE:
        break;
    }
    return "inside";
}

/* Consecutive cells of one kind; `least` and `most` of their figures. */
struct range {
    unsigned from, to;
    double least, most;
};

/* Returns the range that begins with the cell `from` of a pair's `cells`. */
static struct range range_at(const struct run_facts *run, const struct forward_map *m,
                             unsigned first, unsigned from, unsigned cells)
{
    struct range r = {from, from, UNKNOWN, UNKNOWN};

    for (; r.to < cells && m->how[first + r.to] == m->how[first + from]; r.to++) {
        double v = figure(run, &m->cell[first + r.to]);
        if (!is_known(v))
            continue;
        r.least = is_known(r.least) && r.least < v ? r.least : v;
        r.most = is_known(r.most) && r.most > v ? r.most : v;
    }
    r.to--;
    return r;
}

static void show_number(double v, int decimals, struct sink *out)
{
    if (is_known(v))
        num_f64(out, v, decimals, 9);
    else
        fmt(out, "%9s", "-");
}

static void show_pair(const struct run_facts *run, const struct forward_map *m, unsigned s,
                      unsigned l, struct sink *out)
{
    unsigned first = forward_first(m->sizes, s, l), cells = forward_cells(1u << s, 1u << l);
    int decimals = units_are_instructions(run) ? 3 : 2;

    for (unsigned from = 0; from < cells;) {
        struct range r = range_at(run, m, first, from, cells);
        fmt(out, "%7u %6u %8d %6d  %-14s", 1u << s, 1u << l, forward_offset(1u << l, r.from),
            forward_offset(1u << l, r.to), words((enum forward_how)m->how[first + from]));
        show_number(r.least, decimals, out);
        fmt(out, " ");
        show_number(r.most, decimals, out);
        fmt(out, "\r\n");
        from = r.to + 1;
    }
}

static void show(const struct run_facts *run, const struct forward_map *m, struct report *r)
{
    report_fresh_line(r);
    fmt(r->out, "%-24s core %u: ", m->out.bench->name, run->core);
    if (m->out.status != ROW_OK) {
        fmt(r->out, "%s: %s\r\n", m->out.status == ROW_WRONG ? "FAIL" : "not available",
            m->out.why);
        return;
    }
    fmt(r->out, "every value was checked%s\r\n", m->shared ? "; shared core: not judged" : "");
    fmt(r->out, "  store   load  offsets from to  the load is       least      most %s\r\n",
        units_per_op(run));
    for (unsigned i = 0; i < m->sizes * m->sizes; i++)
        show_pair(run, m, i / m->sizes, i % m->sizes, r->out);
    fmt(r->out, "\r\n");
}

/* --- the records ------------------------------------------------------------------------------ */

/* Writes three digits: the spread of most figures is 1% or more. */
static void record_figure(double v, struct json *j)
{
    json_f64(j, NULL, v, v < 9.995 ? 2 : 1);
}

/* Writes about one digit. */
static void record_spread(double v, struct json *j)
{
    json_f64(j, NULL, v, v < 0.0995 ? 2 : v < 9.95 ? 1 : 0);
}

static const struct forward_cell *first_cell(const struct forward_map *m, unsigned s, unsigned l)
{
    return &m->cell[forward_first(m->sizes, s, l)];
}

/* Returns the end of these cells. */
static const struct forward_cell *end_cell(const struct forward_map *m, unsigned s, unsigned l)
{
    return first_cell(m, s, l) + forward_cells(1u << s, 1u << l);
}

static void record_how(const struct forward_map *m, unsigned s, unsigned l, struct json *j)
{
    unsigned first = forward_first(m->sizes, s, l), cells = forward_cells(1u << s, 1u << l);
    char how[FORWARD_CELLS + 1] = "";

    for (unsigned i = 0; i < cells; i++)
        how[i] = m->how[first + i];
    json_str(j, "how", how);
}

/* Writes the record of one size of the store. A map that was not measured has only one record. */
static void record(const struct run_facts *run, const struct forward_map *m, unsigned s,
                   struct report *r)
{
    const struct outcome *out = &m->out;
    bool ok = out->status == ROW_OK;
    struct json line, *j = &line;

    if (!report_record(r, j, "forward"))
        return;
#include "bench/api/fields/forward.def"
    json_end(j);
}

void forward_show(const struct run_facts *run, const struct forward_map *m, struct report *r)
{
    unsigned records = m->out.status == ROW_OK ? m->sizes : 1;

    if (report_table(r))
        show(run, m, r);
    for (unsigned s = 0; s < records; s++)
        record(run, m, s, r);
}
