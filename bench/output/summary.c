#include "bench/output/summary.h"
#include "bench/output/lines.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"

#define CELL   17 /* columns of a figure of the matrix, with its interval */
#define MORE   20 /* columns of "and 123 more" */
#define FIGURE 48 /* bytes of a figure as text */

/* --- figures ---------------------------------------------------------------------------------- */

#define TOO_LONG 1e6 /* no cell holds it with its interval; no measured figure is that large */

static double size_of(double v)
{
    return v < 0 ? -v : v;
}

/* Returns the number of decimals with which a figure, its interval and a blank fit a cell. */
static int decimals(double v, double half)
{
    double size = is_known(half) && half > size_of(v) ? half : size_of(v);

    if (!is_known(half))
        return size < 1e5 ? 3 : 0;
    return size < 99.9995 ? 3 : size < 9999.95 ? 1 : 0;
}

static void say_number(double v, double half, bool whole, struct sink *out)
{
    int digits = whole ? 0 : decimals(v, half);

    if (size_of(v) >= TOO_LONG) {
        fmt(out, v < 0 ? "below -1e6" : "above 1e6");
        return;
    }
    num_f64(out, v, digits, 0);
    if (!is_known(half))
        return;
    fmt(out, " +-");
    if (half < TOO_LONG)
        num_f64(out, half, digits, 0);
    else
        fmt(out, "1e6+");
}

/* Writes "4.437 +-3.299". A figure that is not judged has a word in place of the interval. */
static void say_figure(const struct summary_figure *f, struct sink *out)
{
    if (f->state != SUMMARY_FIGURE)
        fmt(out, f->state == SUMMARY_FAILED ? "FAIL" : "-");
    else if (!is_known(f->value))
        fmt(out, "?");
    else
        say_number(f->value, f->shared || f->doubt ? UNKNOWN : f->half, f->gross, out);
    if (f->state == SUMMARY_FIGURE && (f->shared || f->doubt))
        fmt(out, f->shared ? " shared" : " doubted");
}

static bool has_figure(const struct summary_figure *f)
{
    return f->state == SUMMARY_FIGURE && is_known(f->value);
}

/* Returns whether the figure is shown with an interval of known confidence. */
static bool has_interval(const struct summary_figure *f)
{
    return has_figure(f) && is_known(f->half) && f->percent && !f->shared && !f->doubt;
}

/* Returns whether any of n rows was run. */
static bool any(const struct summary_figure *figure, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (figure[i].state != SUMMARY_NOT_RUN)
            return true;
    return false;
}

/* Returns whether any row that has a figure per operation, or a window, was run. */
static bool any_of_one_core(const struct summary *s)
{
    for (unsigned p = 0; summary_part(p); p++)
        if (summary_part(p)->kind != SUMMARY_TIMES && any(s->figure[p], SUMMARY_ROWS))
            return true;
    return false;
}

/* --- the run ---------------------------------------------------------------------------------- */

/* Writes the confidence of the shown intervals. Rows with few placements have another one. */
static void put_confidence(const struct summary *s, struct lines_line *l)
{
    unsigned least = 0, greatest = 0;
    char text[24];

    for (unsigned i = 0; i < SUMMARY_PARTS * SUMMARY_ROWS; i++) {
        const struct summary_figure *f = &s->figure[i / SUMMARY_ROWS][i % SUMMARY_ROWS];
        if (!has_interval(f))
            continue;
        least = least == 0 || f->percent < least ? f->percent : least;
        greatest = f->percent > greatest ? f->percent : greatest;
    }
    if (greatest == 0)
        return;
    if (least == greatest)
        fmt_buf(text, sizeof text, "+-%u%%", least);
    else
        fmt_buf(text, sizeof text, "+-%u or %u%%", least, greatest);
    lines_put(l, text);
}

static void show_title(const struct summary *s, const struct lines_to *to)
{
    struct lines_line l = {.to = to, .label = "summary"};
    char core[48];

    if (s->execution == EXEC_EMULATED)
        lines_put(&l, "NOISE: an emulator executes this code");
    if (s->execution == EXEC_INSTRUCTIONS || any_of_one_core(s))
        lines_put(&l, s->unit);
    put_confidence(s, &l);
    if (s->cores > 1 && any_of_one_core(s)) {
        fmt_buf(core, sizeof core, "core %u of %u%s", s->core, s->cores,
                s->together ? " at once" : "");
        lines_put(&l, core);
    }
    lines_end(&l);
}

static void show_text(const char *label, const char *text, const struct lines_to *to)
{
    struct lines_line l = {.to = to, .label = label};

    if (text[0])
        lines_put(&l, text);
    lines_end(&l);
}

static void put_shared(const struct summary *s, struct lines_line *l)
{
    const struct summary_spoils *p = &s->spoils;
    char text[64];

    if (!p->witness_runs) {
        lines_put(l, "not known whether a core is shared");
    } else if (p->never_exclusive) {
        lines_put(l, "the core appears permanently shared");
    } else {
        fmt_buf(text, sizeof text, "%llu of %llu rows shared", (unsigned long long)p->shared,
                (unsigned long long)s->rows);
        lines_put(l, text);
    }
}

static void put_disturbed(const struct summary_spoils *p, struct lines_line *l)
{
    char text[48];
    struct sink_buf buf;

    if (p->disturbed == 0)
        return;
    sink_buf_init(&buf, text, sizeof text);
    num_fmt(&buf.sink, "%.2f%% of windows disturbed",
            100.0 * (double)p->disturbed / (double)p->windows);
    lines_put(l, text);
}

/* Writes the counts of disturbances; most apply only to silicon. */
static void show_spoils(const struct summary *s, const struct lines_to *to)
{
    const struct summary_spoils *p = &s->spoils;
    struct lines_line l = {.to = to, .label = "spoiled", .left = 1};

    if (s->execution == EXEC_SILICON) {
        put_shared(s, &l);
        if (p->smis_known)
            lines_count(&l, p->smis, "SMI", "SMIs");
        else
            lines_put(&l, "SMIs not counted");
        if (p->throttling_known || p->throttled)
            lines_count(&l, p->throttled, "row throttled", "rows throttled");
        else
            lines_put(&l, "throttling not known");
        put_disturbed(p, &l);
        if (p->process[0])
            lines_put(&l, p->process);
    }
    if (p->nmis)
        lines_count(&l, p->nmis, "NMI or machine check", "NMIs or machine checks");
    lines_end(&l);
}

/* --- the figures ------------------------------------------------------------------------------ */

/* Writes "name figure unit". */
static void put_named(const struct summary_figure *f, const char *name, const char *unit,
                      struct lines_line *l)
{
    char text[FIGURE + 40];
    struct sink_buf buf;

    sink_buf_init(&buf, text, sizeof text);
    fmt(&buf.sink, "%s ", name);
    say_figure(f, &buf.sink);
    if (unit && has_figure(f))
        fmt(&buf.sink, " %s", unit);
    lines_put(l, text);
}

/* These write a part. `figure`: of its rows. */

static void show_named(const struct summary *s, const struct summary_part *part,
                       const struct summary_figure *figure, const struct lines_to *to)
{
    struct lines_line l = {.to = to, .label = part->label};

    for (const struct summary_figure *f = figure; f < figure + SUMMARY_ROWS; f++)
        if (f->state != SUMMARY_NOT_RUN)
            put_named(f, f->name, f->gross ? s->gross : part->unit, &l);
    lines_end(&l);
}

static void show_table(const struct summary_part *part, const struct summary_figure *figure,
                       const struct lines_to *to)
{
    char text[SUMMARY_COLUMNS][FIGURE];
    const char *cells[SUMMARY_COLUMNS];
    struct sink_buf buf;

    if (any(figure, SUMMARY_ROWS))
        lines_cells(to, part->label, LINES_LABEL, part->headings, SUMMARY_COLUMNS, CELL);
    for (unsigned at = 0; at < SUMMARY_ROWS; at += SUMMARY_COLUMNS) {
        if (!any(&figure[at], SUMMARY_COLUMNS))
            continue;
        for (unsigned i = 0; i < SUMMARY_COLUMNS; i++) {
            sink_buf_init(&buf, text[i], FIGURE);
            say_figure(&figure[at + i], &buf.sink);
            cells[i] = text[i];
        }
        lines_cells(to, part->row[at], LINES_LABEL, cells, SUMMARY_COLUMNS, CELL);
    }
}

/* If the difference of the two rows is shown, it has the combined interval, and the rows show no
 * intervals; else each row shows its interval. */
static void show_pair(const struct summary *s, const struct summary_part *part,
                      const struct summary_figure *figure, const struct lines_to *to)
{
    struct lines_line l = {.to = to, .label = part->label};
    struct summary_figure a = figure[0], b = figure[1], both = a;
    bool apart = part->difference && has_figure(&a) && has_figure(&b);

    if (!any(figure, 2))
        return;
    if (apart) {
        both.value = a.value - b.value;
        both.half = mathx_sqrt(a.half * a.half + b.half * b.half); /* the errors are independent */
        both.shared = a.shared || b.shared;
        both.doubt = a.doubt || b.doubt;
        a.half = b.half = UNKNOWN;
    }
    put_named(&a, part->row[0], NULL, &l);
    put_named(&b, part->row[1], NULL, &l);
    if (apart)
        put_named(&both, s->execution == EXEC_SILICON ? part->difference : "apart", NULL, &l);
    lines_end(&l);
}

static void show_times(const struct summary *s, const struct summary_part *part,
                       const struct summary_figure *figure, const struct lines_to *to)
{
    struct lines_line l = {.to = to, .label = part->label, .left = 1};

    for (unsigned i = 0; i < SUMMARY_ROWS; i++) {
        struct summary_figure f = figure[i];
        bool ns = is_known(f.ns);
        f.value = ns ? f.ns : f.value;
        if (f.state != SUMMARY_NOT_RUN)
            put_named(&f, f.name, ns ? "ns" : "ticks", &l);
    }
    if (l.open && s->execution != EXEC_SILICON)
        lines_put(&l, "not judged");
    lines_end(&l);
}

static void show_part(const struct summary *s, const struct summary_part *part,
                      const struct summary_figure *figure, const struct lines_to *to)
{
    switch (part->kind) {
    case SUMMARY_NAMED:
        show_named(s, part, figure, to);
        break;
    case SUMMARY_PAIR:
        show_pair(s, part, figure, to);
        break;
    case SUMMARY_TABLE:
        show_table(part, figure, to);
        break;
    case SUMMARY_TIMES:
        show_times(s, part, figure, to);
        break;
    }
}

/* --- the end of the run ----------------------------------------------------------------------- */

static void put_more(struct lines_line *l, uint64_t more)
{
    char text[MORE + 1];

    if (more == 0)
        return;
    fmt_buf(text, sizeof text, "and %llu more", (unsigned long long)more);
    if (l->to->table)
        fmt(l->to->table, " %s", text);
    else
        lines_put(l, text);
}

static void show_failed(const struct report *r, unsigned lines, const struct lines_to *to)
{
    struct lines_line l = {.to = to, .label = "failed", .left = lines - 1};
    uint64_t n = 0;

    for (; n < r->failures && n < REPORT_FAILED_NAMES; n++) {
        size_t need = l.column + 2 + strlen(r->failed[n]) + MORE;
        if (to->table && l.open && l.left == 0 && need > LINES_COLUMNS)
            break;
        lines_put(&l, r->failed[n]);
    }
    put_more(&l, r->failures - n);
    lines_end(&l);
}

static void show_lines(const struct summary *s, const struct report *r, const struct lines_to *to)
{
    show_title(s, to);
    show_text("machine", s->machine, to);
    show_text("clock", s->clock, to);
    show_spoils(s, to);
    if (sheet_has(&s->sheet))
        sheet_show(&s->sheet, to);
    else
        for (unsigned p = 0; summary_part(p); p++)
            show_part(s, summary_part(p), s->figure[p], to);
    show_failed(r, s->stopped[0] ? 1 : 2, to);
    show_text("stopped", s->stopped, to);
}

static void record_rows(const struct summary *s, struct json *j)
{
    const struct summary_part *part;
    char text[64];

    json_array(j, "rows");
    for (unsigned p = 0; (part = summary_part(p)); p++)
        for (unsigned i = 0; i < SUMMARY_ROWS; i++) {
            if (s->figure[p][i].state == SUMMARY_NOT_RUN)
                continue;
            fmt_buf(text, sizeof text, "%s/%s", part->suite, s->figure[p][i].name);
            json_str(j, NULL, text);
        }
    json_close(j);
}

static void write_record(const struct summary *s, struct report *r)
{
    struct json j;
    const struct lines_to to = {.record = &j};

    if (!report_record(r, &j, "summary"))
        return;
    record_rows(s, &j);
    json_array(&j, "lines");
    show_lines(s, r, &to);
    json_close(&j);
    json_end(&j);
}

void summary_show(const struct summary *s, struct report *r)
{
    const struct lines_to to = {.table = r->out};

    write_record(s, r);
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n"); /* not counted in SUMMARY_LINES: it may scroll away */
    show_lines(s, r, &to);
}
