#include "bench/output/forward_show.h"
#include "bench/output/one_core_record.h"
#include "bench/output/units.h"
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

static void record_load(const struct run_facts *run, const struct forward_map *m, unsigned s,
                        unsigned l, struct json *j)
{
    unsigned first = forward_first(m->sizes, s, l), cells = forward_cells(1u << s, 1u << l);
    char how[FORWARD_CELLS + 1] = "";

    json_object(j, NULL);
    json_u64(j, "load", 1u << l);
    json_i64(j, "from", forward_offset(1u << l, 0));
    json_array(j, "values");
    for (unsigned i = 0; i < cells; i++)
        record_figure(figure(run, &m->cell[first + i]), j);
    json_close(j);
    json_array(j, "spread");
    for (unsigned i = 0; i < cells; i++)
        record_spread(m->cell[first + i].hi - m->cell[first + i].lo, j);
    json_close(j);
    for (unsigned i = 0; i < cells; i++)
        how[i] = m->how[first + i];
    json_str(j, "how", how);
    json_close(j);
}

static void record_measured(const struct run_facts *run, const struct forward_map *m, unsigned s,
                            struct json *j)
{
    json_u64(j, "store", 1u << s);
    json_str(j, "unit", units_per_op(run));
    json_u64(j, "visits", m->visits);
    json_u64(j, "checked", m->checked);
    json_bool(j, "shared", m->shared);
    json_array(j, "loads");
    for (unsigned l = 0; l < m->sizes; l++)
        record_load(run, m, s, l, j);
    json_close(j);
}

/* Writes the record of one size of the store. A map that was not measured has only one record. */
static void record(const struct run_facts *run, const struct forward_map *m, unsigned s,
                   struct report *r)
{
    struct json j;

    if (!one_core_record_begin(r, &j, "forward", &m->out))
        return;
    if (one_core_record_status(&j, &m->out))
        record_measured(run, m, s, &j);
    one_core_record_end(&j, run, &m->out);
}

void forward_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n%-24s %s of a store and a load that follows it\r\n", suite, units_per_op(run));
}

void forward_show(const struct run_facts *run, const struct forward_map *m, struct report *r)
{
    unsigned records = m->out.status == ROW_OK ? m->sizes : 1;

    if (report_table(r))
        show(run, m, r);
    for (unsigned s = 0; s < records; s++)
        record(run, m, s, r);
}
