#include "bench/across/insn_record.h"
#include "lib/decimal/json_f64.h"
#include "lib/insn/table.h"
#include "lib/stats/known.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"

#define FORMS_A_RECORD 8
#define NAMES_A_RECORD 24

/* Estimates, from reports of a Zen 3: a form without its name and pairs, one pair, and a
 * record's frame for each form. */
enum { FORM_BYTES = 50, PAIR_BYTES = 16, FRAME_BYTES = 9, NAME_BYTES = 9 };

/* --- words ------------------------------------------------------------------------------------ */

void insn_end_name(const struct insn_end *e, struct sink *out)
{
    static const char *const parts[] = {
        [INSN_DATA] = "", [INSN_BASE_PART] = "b", [INSN_INDEX_PART] = "i"};

    if (e->part == INSN_FLAGS_PART)
        fmt(out, "f");
    else
        fmt(out, "%u%s", e->operand, parts[e->part]);
}

void insn_why_not(const struct insn_row *row, struct sink *out)
{
    if (row->why == INSN_CPU_LACKS)
        fmt(out, "the CPU does not have %s", insn_feature_name((enum insn_feature)row->lacks));
    else if (row->why != INSN_RUNS)
        fmt(out, "%s", insn_why_text((enum insn_why)row->why));
    else
        fmt(out, "the time of time= was over, or the run was stopped");
}

static size_t name_of(const struct insn_row *row, char *name, size_t size)
{
    struct sink_buf text;

    sink_buf_init(&text, name, size);
    insn_row_name(row, &text.sink);
    return text.used;
}

static bool was_run(const struct insn_row *row)
{
    return row->why == INSN_RUNS && row->reached;
}

uint64_t insn_record_bytes(const struct insn_table *t)
{
    uint64_t bytes = 0;
    char name[96];

    for (unsigned i = t->links; i < t->rows; i++) {
        const struct insn_row *row = &t->row[i];
        bytes += name_of(row, name, sizeof name);
        bytes +=
            row->why == INSN_RUNS ? FRAME_BYTES + FORM_BYTES + row->cells * PAIR_BYTES : NAME_BYTES;
    }
    return bytes;
}

/* --- figures ---------------------------------------------------------------------------------- */

/* A figure as it is printed: the error rounded up to 1, 2 or 5 of its first digit, and the value to
 * that digit. */
struct printed {
    double value, error;
    int decimals;
};

static double rounded(double v, double unit)
{
    double scaled = v / unit;

    return (double)(int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5)) * unit;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static struct printed printed_of(struct agreed a)
{
    static const double steps[] = {1, 2, 5};
    double error = agree_error(a), unit = 0.001;
    int decimals = 3;

    if (!is_known(error))
        return (struct printed){rounded(a.value, unit), UNKNOWN, decimals};

    for (; decimals > 0 && error >= 10 * unit; decimals--)
        unit *= 10;
    double value = rounded(a.value, unit), least = greater(a.hi - value, value - a.lo);
    for (double scale = unit; scale < 1e9; scale *= 10)
        for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++)
            if (steps[i] * scale >= least * (1 - 1e-9))
                return (struct printed){value, steps[i] * scale, decimals};
    return (struct printed){value, least, decimals};
}

static void put_figure(struct json *j, const struct printed *p)
{
    json_f64(j, NULL, p->value, p->decimals);
    json_f64(j, NULL, p->error, p->decimals);
}

static void record_figure(struct json *j, const char *name, struct agreed a)
{
    struct printed p = printed_of(a);

    if (!is_known(a.value))
        return;
    json_array(j, name);
    put_figure(j, &p);
    json_close(j);
}

static const struct insn_cell *cell_of_kind(const struct insn_table *t, const struct insn_row *row,
                                            unsigned kind)
{
    for (unsigned i = 0; i < row->cells; i++)
        if (insn_cells_of(t, row)[i].id.kind == kind)
            return insn_cells_of(t, row) + i;
    return NULL;
}

static bool overlap(struct agreed a, struct agreed b)
{
    return a.lo <= b.hi && b.lo <= a.hi;
}

/* Records a variant of the throughput if it differs. */
static void record_variant(struct json *j, const char *name, const struct insn_table *t,
                           const struct insn_row *row, unsigned kind)
{
    const struct insn_cell *c = cell_of_kind(t, row, kind);
    bool at_most;

    if (!c)
        return;
    struct agreed a = insn_figure(t, row, c, &at_most);
    if (!overlap(a, insn_throughput_of(t, row)))
        record_figure(j, name, a);
}

/* One pair of a form. */
struct pair_figure {
    const struct insn_cell *cell;
    struct printed printed;
    bool at_most, settled;
    bool repeats; /* its figure is that of an earlier pair */
};

static bool is_alike(const struct pair_figure *a, const struct pair_figure *b)
{
    bool both_unknown = !is_known(a->printed.error) && !is_known(b->printed.error);

    return a->printed.value == b->printed.value && a->at_most == b->at_most &&
           (both_unknown || a->printed.error == b->printed.error);
}

static void put_pair(const struct insn_cell *c, struct sink *out)
{
    insn_end_name(&c->id.in, out);
    fmt(out, ">");
    insn_end_name(&c->id.out, out);
}

/* Writes a pair as a string, together with all later ones that have the same figure. */
static void record_alike(struct json *j, struct pair_figure *pair, unsigned n)
{
    char text[INSN_TESTS_MOST * 8];
    struct sink_buf names;

    sink_buf_init(&names, text, sizeof text);
    for (unsigned i = 0; i < n; i++) {
        if (!is_alike(&pair[i], &pair[0]))
            continue;
        fmt(&names.sink, "%s", i ? " " : "");
        put_pair(pair[i].cell, &names.sink);
        pair[i].repeats = i > 0;
    }
    json_str(j, NULL, text);
}

static unsigned pairs_of(const struct insn_table *t, const struct insn_row *row,
                         struct pair_figure pair[INSN_TESTS_MOST])
{
    unsigned n = 0;

    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        bool at_most;
        if (c->id.kind != INSN_TEST_LATENCY)
            continue;
        struct agreed a = insn_figure(t, row, c, &at_most);
        if (is_known(a.value))
            pair[n++] = (struct pair_figure){c, printed_of(a), at_most, a.settled, false};
    }
    return n;
}

/* The names of two arrays: of the pairs, and of their figures. */
struct pair_arrays {
    const char *pairs, *figures;
    bool at_most;
};

static bool is_in(const struct pair_arrays *arrays, const struct pair_figure *pair)
{
    return pair->at_most == arrays->at_most && !pair->repeats;
}

static void record_pairs(struct json *j, const struct pair_arrays *arrays, struct pair_figure *pair,
                         unsigned n)
{
    unsigned entries = 0;

    for (unsigned i = 0; i < n; i++) {
        if (!is_in(arrays, &pair[i]))
            continue;
        if (entries++ == 0)
            json_array(j, arrays->pairs);
        record_alike(j, &pair[i], n - i);
    }
    if (entries == 0)
        return;
    json_close(j);
    json_array(j, arrays->figures);
    for (unsigned i = 0; i < n; i++)
        if (is_in(arrays, &pair[i])) {
            json_array(j, NULL);
            put_figure(j, &pair[i].printed);
            json_close(j);
        }
    json_close(j);
}

/* --- a form ----------------------------------------------------------------------------------- */

static void record_unsettled(struct json *j, const struct insn_table *t, const struct insn_row *row,
                             const struct pair_figure *pair, unsigned n)
{
    struct agreed tp = insn_throughput_of(t, row);
    bool any = is_known(tp.value) && !tp.settled;

    for (unsigned i = 0; i < n; i++)
        any |= !pair[i].settled;
    if (!any)
        return;
    json_array(j, "unsettled");
    if (is_known(tp.value) && !tp.settled)
        json_str(j, NULL, "tp");
    for (unsigned i = 0; i < n; i++) {
        char text[16];
        struct sink_buf name;
        if (pair[i].settled)
            continue;
        sink_buf_init(&name, text, sizeof text);
        put_pair(pair[i].cell, &name.sink);
        json_str(j, NULL, text);
    }
    json_close(j);
}

static void record_form(struct json *j, const struct insn_table *t, const struct insn_row *row)
{
    struct pair_figure pair[INSN_TESTS_MOST];
    unsigned n = pairs_of(t, row, pair);
    char name[96];

    name_of(row, name, sizeof name);
    json_object(j, NULL);
    json_str(j, "form", name);
    record_figure(j, "tp", insn_throughput_of(t, row));
    record_variant(j, "same", t, row, INSN_TEST_SAME);
    record_variant(j, "line", t, row, INSN_TEST_ONE_LINE);
    record_variant(j, "straight", t, row, INSN_TEST_STRAIGHT);
    record_figure(j, "slots", insn_slots(t, row));
    if (insn_form(row->form)->properties & INSN_LCP)
        json_bool(j, "lcp", true);
    record_pairs(j, &(struct pair_arrays){"lat_of", "lat", false}, pair, n);
    record_pairs(j, &(struct pair_arrays){"most_of", "most", true}, pair, n);
    if (!t->exact)
        record_unsettled(j, t, row, pair, n);
    if (row->fault)
        json_str(j, "fault", t->fault[row->fault]);
    json_close(j);
}

void insn_record_forms(const struct run_facts *run, const struct insn_table *t, struct report *r)
{
    struct json j;
    unsigned in_record = 0;

    for (unsigned i = t->links; i < t->rows; i++) {
        if (!was_run(&t->row[i]))
            continue;
        if (in_record == 0) {
            if (!report_record(r, &j, "insn"))
                return;
            json_u64(&j, "core", run->core);
            json_array(&j, "forms");
        }
        record_form(&j, t, &t->row[i]);
        if (++in_record == FORMS_A_RECORD) {
            json_end(&j);
            in_record = 0;
        }
    }
    if (in_record > 0)
        json_end(&j);
}

/* --- forms that were not run ------------------------------------------------------------------ */

static bool has_reason_of(const struct insn_row *a, const struct insn_row *b)
{
    return a->why == b->why && a->lacks == b->lacks;
}

/* Writes the forms from row `first` on that share its reason. */
static void record_reason(const struct run_facts *run, const struct insn_table *t, unsigned first,
                          struct report *r)
{
    char text[160], name[96];
    struct sink_buf why;
    struct json j;
    unsigned in_record = 0;

    sink_buf_init(&why, text, sizeof text);
    insn_why_not(&t->row[first], &why.sink);
    for (unsigned i = first; i < t->rows; i++) {
        if (was_run(&t->row[i]) || !has_reason_of(&t->row[i], &t->row[first]))
            continue;
        if (in_record == 0) {
            if (!report_record(r, &j, "insn_left"))
                return;
            json_u64(&j, "core", run->core);
            json_str(&j, "why", text);
            json_array(&j, "forms");
        }
        name_of(&t->row[i], name, sizeof name);
        json_str(&j, NULL, name);
        if (++in_record == NAMES_A_RECORD) {
            json_end(&j);
            in_record = 0;
        }
    }
    if (in_record > 0)
        json_end(&j);
}

void insn_record_left(const struct run_facts *run, const struct insn_table *t, struct report *r)
{
    for (unsigned i = t->links; i < t->rows; i++) {
        bool is_first = !was_run(&t->row[i]);
        for (unsigned k = t->links; k < i && is_first; k++)
            is_first = was_run(&t->row[k]) || !has_reason_of(&t->row[k], &t->row[i]);
        if (is_first)
            record_reason(run, t, i, r);
    }
}
