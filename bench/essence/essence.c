#include "bench/essence/essence.h"
#include "lib/decimal/num.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"

#define LABEL  10 /* columns of a line's label */
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
static void say_figure(const struct essence_figure *f, struct sink *out)
{
    if (f->state != ESSENCE_FIGURE)
        fmt(out, f->state == ESSENCE_FAILED ? "FAIL" : "-");
    else if (!is_known(f->value))
        fmt(out, "?");
    else
        say_number(f->value, f->shared || f->doubt ? UNKNOWN : f->half, f->gross, out);
    if (f->state == ESSENCE_FIGURE && (f->shared || f->doubt))
        fmt(out, f->shared ? " shared" : " doubted");
}

static bool has_figure(const struct essence_figure *f)
{
    return f->state == ESSENCE_FIGURE && is_known(f->value);
}

/* Returns whether the figure is shown with an interval of known level. */
static bool has_interval(const struct essence_figure *f)
{
    return has_figure(f) && is_known(f->half) && f->percent && !f->shared && !f->doubt;
}

/* Returns whether any of n rows from `from` on was run. */
static bool any(const struct essence *s, unsigned from, unsigned n)
{
    for (unsigned i = from; i < from + n; i++)
        if (s->figure[i].state != ESSENCE_NOT_RUN)
            return true;
    return false;
}

/* --- lines of several parts ------------------------------------------------------------------- */

/* The destination of the essence: the table, or its record; the other is NULL. */
struct target {
    struct sink *table;
    struct json *record;
};

struct line {
    const struct target *to;
    const char *label;
    bool open;     /* it has a part */
    size_t column; /* in the table */
    unsigned left; /* lines that are left for it in the table */
    bool full;
};

/* Returns the length of the longest part that ends before a blank and leaves room for "...". */
static size_t cut(const char *text, size_t room)
{
    size_t fits = 0;

    for (size_t n = 0; n + 4 <= room; n++)
        if (text[n] == ' ')
            fits = n;
    return fits;
}

static void open_record(struct json *j, const char *label, const char *parts)
{
    json_object(j, NULL);
    json_str(j, "label", label);
    json_array(j, parts);
}

static void close_record(struct json *j)
{
    json_close(j);
    json_close(j);
}

/* Advances to the next part. False: the line has no room for it. */
static bool separate(struct line *l, size_t n)
{
    struct sink *out = l->to->table;

    if (!l->open) {
        fmt(out, "%-*s", LABEL, l->label);
        l->column = LABEL;
    } else if (l->column + 2 + n + (l->left > 0) > ESSENCE_COLUMNS && l->left > 0) {
        fmt(out, ",\r\n%*s", LABEL, "");
        l->column = LABEL;
        l->left--;
    } else if (l->column + 2 + 3 > ESSENCE_COLUMNS) {
        return false;
    } else {
        fmt(out, ", ");
        l->column += 2;
    }
    return true;
}

/* Writes a part. If it does not fit, it goes to the next line or is cut. */
static void put_table(struct line *l, const char *text)
{
    struct sink *out = l->to->table;
    size_t n = strlen(text), room;

    l->full = l->full || !separate(l, n);
    if (l->full)
        return;
    room = ESSENCE_COLUMNS - l->column;
    l->full = n > room;
    if (l->full) {
        n = cut(text, room);
        fmt(out, "%.*s%s...", (int)n, text, n ? " " : "");
    } else {
        fmt(out, "%s", text);
    }
    l->column += n;
}

static void put(struct line *l, const char *text)
{
    if (l->to->table)
        put_table(l, text);
    else if (!l->open)
        open_record(l->to->record, l->label, "parts");
    if (l->to->record)
        json_str(l->to->record, NULL, text);
    l->open = true;
}

static void end(const struct line *l)
{
    if (!l->open)
        return;
    if (l->to->table)
        fmt(l->to->table, "\r\n");
    else
        close_record(l->to->record);
}

/* Writes a part with a number: "3 rows throttled". */
static void put_count(struct line *l, uint64_t n, const char *one, const char *many)
{
    char text[64];

    fmt_buf(text, sizeof text, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
    put(l, text);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* Writes the level of the shown intervals; rows with few placements have another level. */
static void put_level(const struct essence *s, struct line *l)
{
    unsigned least = 0, greatest = 0;
    char text[24];

    for (unsigned i = 0; i < ESSENCE_ROWS; i++) {
        const struct essence_figure *f = &s->figure[i];
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
    put(l, text);
}

static void show_title(const struct essence *s, const struct target *to)
{
    struct line l = {.to = to, .label = "essence"};
    char core[48];

    if (s->execution == EXEC_EMULATED)
        put(&l, "NOISE: an emulator executes this code");
    if (s->execution == EXEC_INSTRUCTIONS || any(s, 0, ESSENCE_PINGPONG))
        put(&l, s->unit);
    put_level(s, &l);
    if (s->cores > 1 && any(s, 0, ESSENCE_PINGPONG)) {
        fmt_buf(core, sizeof core, "core %u of %u%s", s->core, s->cores,
                s->together ? " at once" : "");
        put(&l, core);
    }
    end(&l);
}

static void show_text(const char *label, const char *text, const struct target *to)
{
    struct line l = {.to = to, .label = label};

    if (text[0])
        put(&l, text);
    end(&l);
}

static void put_shared(const struct essence *s, struct line *l)
{
    const struct essence_spoils *p = &s->spoils;
    char text[64];

    if (!p->witness_runs) {
        put(l, "not known whether a core is shared");
    } else if (p->never_exclusive) {
        put(l, "the core appears permanently shared");
    } else {
        fmt_buf(text, sizeof text, "%llu of %llu rows shared", (unsigned long long)p->shared,
                (unsigned long long)s->rows);
        put(l, text);
    }
}

static void put_disturbed(const struct essence_spoils *p, struct line *l)
{
    char text[48];
    struct sink_buf buf;

    if (p->disturbed == 0)
        return;
    sink_buf_init(&buf, text, sizeof text);
    num_f64(&buf.sink, 100.0 * (double)p->disturbed / (double)p->windows, 2, 0);
    fmt(&buf.sink, "%% of windows disturbed");
    put(l, text);
}

/* Writes the counts of disturbances; most apply only to silicon. */
static void show_spoils(const struct essence *s, const struct target *to)
{
    const struct essence_spoils *p = &s->spoils;
    struct line l = {.to = to, .label = "spoiled", .left = 1};

    if (s->execution == EXEC_SILICON) {
        put_shared(s, &l);
        if (p->smis_known)
            put_count(&l, p->smis, "SMI", "SMIs");
        else
            put(&l, "SMIs not counted");
        if (p->throttling_known || p->throttled)
            put_count(&l, p->throttled, "row throttled", "rows throttled");
        else
            put(&l, "throttling not known");
        put_disturbed(p, &l);
        if (p->process[0])
            put(&l, p->process);
    }
    if (p->nmis)
        put_count(&l, p->nmis, "NMI or machine check", "NMIs or machine checks");
    end(&l);
}

/* --- the figures ------------------------------------------------------------------------------ */

/* Writes "name figure unit". */
static void put_named(const struct essence_figure *f, const char *name, const char *unit,
                      struct line *l)
{
    char text[FIGURE + 40];
    struct sink_buf buf;

    sink_buf_init(&buf, text, sizeof text);
    fmt(&buf.sink, "%s ", name);
    say_figure(f, &buf.sink);
    if (unit && has_figure(f))
        fmt(&buf.sink, " %s", unit);
    put(l, text);
}

static void show_window(const struct essence *s, const struct target *to)
{
    struct line l = {.to = to, .label = "window"};

    if (any(s, ESSENCE_WINDOW, 1))
        put_named(&s->figure[ESSENCE_WINDOW], s->window, s->gross, &l);
    if (any(s, ESSENCE_NOTHING, 1))
        put_named(&s->figure[ESSENCE_NOTHING], essence_names[ESSENCE_NOTHING].name, "a call", &l);
    end(&l);
}

/* Writes the cells of a line of the matrix. */
static void show_cells(const char *label, const char *const cells[ESSENCE_FORMS],
                       const struct target *to)
{
    if (to->record)
        open_record(to->record, label, "cells");
    else
        fmt(to->table, "%-*s", LABEL, label);
    for (unsigned i = 0; i < ESSENCE_FORMS; i++)
        if (to->record)
            json_str(to->record, NULL, cells[i]);
        else
            fmt(to->table, "%*s", CELL, cells[i]);
    if (to->record)
        close_record(to->record);
    else
        fmt(to->table, "\r\n");
}

static void show_way(const struct essence *s, unsigned at, const struct target *to)
{
    char text[ESSENCE_FORMS][FIGURE];
    const char *cells[ESSENCE_FORMS];

    for (unsigned form = 0; form < ESSENCE_FORMS; form++) {
        struct sink_buf buf;
        sink_buf_init(&buf, text[form], FIGURE);
        say_figure(&s->figure[at + form], &buf.sink);
        cells[form] = text[form];
    }
    show_cells(essence_names[at].name, cells, to);
}

static void show_calls(const struct essence *s, const struct target *to)
{
    if (!any(s, ESSENCE_CALLS, ESSENCE_WAYS * ESSENCE_FORMS))
        return;
    show_cells("calls", essence_forms, to);
    for (unsigned at = ESSENCE_CALLS; at < ESSENCE_RANDOM; at += ESSENCE_FORMS)
        if (any(s, at, ESSENCE_FORMS))
            show_way(s, at, to);
}

/* Writes two rows with their names. `apart`: the name of their difference, which then has the
 * combined interval; NULL: no difference, each row has its interval. */
static void show_pair(const struct essence *s, const char *label, enum essence_row row,
                      const char *apart, const struct target *to)
{
    struct line l = {.to = to, .label = label};
    struct essence_figure a = s->figure[row], b = s->figure[row + 1], both = a;
    bool apart_known = apart && has_figure(&a) && has_figure(&b);

    if (!any(s, row, 2))
        return;
    if (apart_known) {
        both.value = a.value - b.value;
        both.half = mathx_sqrt(a.half * a.half + b.half * b.half); /* the errors are independent */
        both.shared = a.shared || b.shared;
        both.doubt = a.doubt || b.doubt;
        a.half = b.half = UNKNOWN;
    }
    put_named(&a, essence_names[row].name, NULL, &l);
    put_named(&b, essence_names[row + 1].name, NULL, &l);
    if (apart_known)
        put_named(&both, apart, NULL, &l);
    end(&l);
}

static void show_cores(const struct essence *s, const struct target *to)
{
    struct line l = {.to = to, .label = "cores", .left = 1};

    for (unsigned i = ESSENCE_PINGPONG; i < ESSENCE_ROWS; i++) {
        struct essence_figure f = s->figure[i];
        bool ns = is_known(f.ns);
        f.value = ns ? f.ns : f.value;
        if (f.state != ESSENCE_NOT_RUN)
            put_named(&f, essence_names[i].name, ns ? "ns" : "ticks", &l);
    }
    if (l.open && s->execution != EXEC_SILICON)
        put(&l, "not judged");
    end(&l);
}

/* --- the end of the run ----------------------------------------------------------------------- */

static void put_more(struct line *l, uint64_t more)
{
    char text[MORE + 1];

    if (more == 0)
        return;
    fmt_buf(text, sizeof text, "and %llu more", (unsigned long long)more);
    if (l->to->table)
        fmt(l->to->table, " %s", text);
    else
        put(l, text);
}

static void show_failed(const struct report *r, unsigned lines, const struct target *to)
{
    struct line l = {.to = to, .label = "failed", .left = lines - 1};
    uint64_t n = 0;

    for (; n < r->failures && n < REPORT_FAILED_NAMES; n++) {
        size_t need = l.column + 2 + strlen(r->failed[n]) + MORE;
        if (to->table && l.open && l.left == 0 && need > ESSENCE_COLUMNS)
            break;
        put(&l, r->failed[n]);
    }
    put_more(&l, r->failures - n);
    end(&l);
}

static void show_lines(const struct essence *s, const struct report *r, const struct target *to)
{
    const char *apart = s->execution == EXEC_SILICON ? "mispredicted" : "apart";

    show_title(s, to);
    show_text("machine", s->machine, to);
    show_text("clock", s->clock, to);
    show_spoils(s, to);
    if (sheet_has(&s->sheet)) {
        sheet_show(&s->sheet, to->table, to->record);
    } else {
        show_window(s, to);
        show_calls(s, to);
        show_pair(s, "targets", ESSENCE_RANDOM, apart, to);
        show_pair(s, "sum", ESSENCE_COLD, NULL, to);
        show_cores(s, to);
    }
    show_failed(r, s->stopped[0] ? 1 : 2, to);
    show_text("stopped", s->stopped, to);
}

static void record_rows(const struct essence *s, struct json *j)
{
    json_array(j, "rows");
    for (unsigned i = 0; i < ESSENCE_ROWS; i++) {
        const char *name = i == ESSENCE_WINDOW ? s->window : essence_names[i].name;
        char text[64];
        if (s->figure[i].state == ESSENCE_NOT_RUN)
            continue;
        fmt_buf(text, sizeof text, "%s/%s", essence_names[i].suite, name);
        json_str(j, NULL, text);
    }
    json_close(j);
}

static void write_record(const struct essence *s, struct report *r)
{
    struct json j;
    const struct target to = {.record = &j};

    if (!report_record(r, &j, "essence"))
        return;
    record_rows(s, &j);
    json_array(&j, "lines");
    show_lines(s, r, &to);
    json_close(&j);
    json_end(&j);
}

void essence_show(const struct essence *s, struct report *r)
{
    const struct target to = {.table = r->out};

    write_record(s, r);
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n"); /* not counted in ESSENCE_LINES: it may scroll away */
    show_lines(s, r, &to);
}
