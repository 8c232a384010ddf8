#include "bench/output/grouped.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define NAME   24
#define COLUMN 9 /* a figure and its mark */

/* Other methods, sweeps and cores at once need separate columns and lines. */
static bool can_group(const struct options *o)
{
    return o->method == METHOD_DOUBLED && o->layout != LAYOUT_SWEEP && o->share == SHARE_ALONE;
}

void grouped_begin(struct grouped *g, const struct run_facts *run, size_t selected)
{
    const struct options *o = run->o;
    const struct row_figure none = {0};

    g->on = can_group(o) &&
            (o->table == TABLE_GROUPED || (o->table == TABLE_AUTO && selected >= TABLE_ROWS_AUTO));
    g->cores = run->cores > 1;
    g->unit = per_op_of(run, &none).unit;
    g->percent = estimate_percent_of(run->placements);
    g->suite = "";
    g->lines = 0;
}

static bool same_series(const struct grouped_line *a, const struct grouped_line *b)
{
    return a->family == b->family && a->core == b->core && str_eq(a->name, b->name);
}

/* Returns the line of a row, which may be new; NULL: there is no room. */
static struct grouped_line *line_of(struct grouped *g, const struct bench *b, unsigned core)
{
    struct grouped_line wanted = {
        .family = b->shown.family, .name = b->shown.line, .at = b->shown.at, .core = core};

    for (size_t i = 0; i < g->lines; i++)
        if (same_series(&g->line[i], &wanted) && g->line[i].at == b->shown.at)
            return &g->line[i];
    if (g->lines == GROUPED_LINES)
        return NULL;
    size_t i = g->lines++;
    for (; i > 0 && same_series(&g->line[i - 1], &wanted) && g->line[i - 1].at > b->shown.at; i--)
        g->line[i] = g->line[i - 1];
    g->line[i] = wanted;
    return &g->line[i];
}

bool grouped_take(struct grouped *g, const struct run_facts *run, const struct row *row,
                  bool trouble)
{
    const struct bench *b = row->out.bench;

    if (!g->on || !b->shown.family || row->out.status == ROW_UNSUPPORTED)
        return false;
    struct grouped_line *line = line_of(g, b, row->out.core);
    if (!line)
        return false;
    struct per_op op = per_op_of(run, &row->figure);
    g->suite = b->suite;
    line->cell[b->shown.column] = (struct grouped_cell){
        .state = row->out.status == ROW_OK ? GROUPED_FIGURE : GROUPED_FAILED,
        .value = op.value,
        .half = op.half,
        .modes = row->figure.modes.count > 1,
        .in_full = trouble || row->out.status != ROW_OK || (op.percent && op.percent != g->percent),
        .shared = row->taken.shared,
    };
    return !line->cell[b->shown.column].in_full;
}

bool grouped_both(const struct grouped *g, const struct bench *a, const struct bench *b)
{
    return g->on && a->shown.family && a->shown.family == b->shown.family;
}

/* --- the tables ------------------------------------------------------------------------------- */

#define LINE 100 /* bytes of a line of a table */

/* One family's table. */
struct columns {
    const struct grouped *g;
    const struct bench_family *family;
    unsigned columns;
    bool intervals, modes, in_full; /* whether a cell has these */
    bool adjacent;                  /* intervals are next to their figures; false: below */
    struct sink *out;
};

static struct columns columns_of(const struct grouped *g, const struct bench_family *family,
                                 struct sink *out)
{
    struct columns t = {.g = g, .family = family, .out = out};

    while (t.columns < BENCH_COLUMNS && family->head[t.columns])
        t.columns++;
    for (size_t i = 0; i < g->lines; i++)
        for (unsigned k = 0; g->line[i].family == family && k < t.columns; k++) {
            const struct grouped_cell *c = &g->line[i].cell[k];
            t.intervals = t.intervals || (c->state == GROUPED_FIGURE && is_known(c->half));
            t.modes = t.modes || (c->state == GROUPED_FIGURE && c->modes && !c->in_full);
            t.in_full = t.in_full || c->in_full;
        }
    t.adjacent = t.intervals && NAME + 2 * COLUMN * t.columns < 80;
    return t;
}

/* Writes the line without trailing blanks. */
static void end_line(const struct sink_buf *line, struct sink *out)
{
    size_t n = line->used;

    while (n > 0 && line->at[n - 1] == ' ')
        n--;
    fmt(out, "%.*s\r\n", (int)n, line->at);
}

static struct sink *begin_line(struct sink_buf *line, char *text, const char *name)
{
    sink_buf_init(line, text, LINE);
    fmt(&line->sink, "%-*s", NAME, name);
    return &line->sink;
}

/* Writes the index-th word of each head; a head of two words takes two lines. */
static void show_words(const struct columns *t, const char *name, unsigned index)
{
    char text[LINE], interval[8];
    struct sink_buf line;
    struct sink *out = begin_line(&line, text, name);

    fmt_buf(interval, sizeof interval, "+-%u%%", t->g->percent);
    for (unsigned i = 0; i < t->columns; i++) {
        const char *head = t->family->head[i];
        size_t first = 0;
        while (head[first] && head[first] != ' ')
            first++;
        const char *second = head[first] ? head + first + 1 : "";
        fmt(out, "%*.*s ", COLUMN - 1, index ? COLUMN : (int)first, index ? second : head);
        if (t->adjacent)
            fmt(out, "%*s ", COLUMN - 1, index ? "" : interval);
    }
    end_line(&line, t->out);
}

static bool has_second_words(const struct columns *t)
{
    for (unsigned i = 0; i < t->columns; i++)
        if (str_has(t->family->head[i], " "))
            return true;
    return false;
}

static void show_heads(const struct columns *t)
{
    fmt(t->out, "\r\n%-*s %s/op", NAME, "", t->g->unit);
    if (t->intervals && !t->adjacent)
        fmt(t->out, ", +-%u%% below", t->g->percent);
    fmt(t->out, "%s%s\r\n", t->modes ? "; * modes" : "", t->in_full ? "; ! see above" : "");
    show_words(t, t->g->suite, 0);
    if (has_second_words(t))
        show_words(t, "", 1);
}

static void show_number(double v, struct sink *out)
{
    num_f64(out, v, v < 1e3 ? 3 : 0, COLUMN - 1);
}

static void show_value(const struct grouped_cell *c, struct sink *out)
{
    if (c->state == GROUPED_NONE)
        fmt(out, "%*s", COLUMN - 1, "-");
    else if (c->state == GROUPED_FAILED || c->shared)
        fmt(out, "%*s", COLUMN - 1, c->shared ? "shared" : "FAIL");
    else if (is_known(c->value))
        show_number(c->value, out);
    else
        fmt(out, "%*s", COLUMN - 1, "?");
    fmt(out, c->in_full ? "!" : c->modes ? "*" : " ");
}

static bool has_half(const struct grouped_cell *c)
{
    return c->state == GROUPED_FIGURE && !c->shared && is_known(c->half);
}

static void show_half(const struct grouped_cell *c, struct sink *out)
{
    if (has_half(c))
        show_number(c->half, out);
    else
        fmt(out, "%*s", COLUMN - 1, "");
    fmt(out, " ");
}

static void show_line(const struct columns *t, const struct grouped_line *of)
{
    char text[LINE], name[NAME];
    struct sink_buf line;
    bool halves = false;
    size_t n = fmt_buf(name, sizeof name, "%s", of->name);

    if (of->at)
        n += fmt_buf(name + n, sizeof name - n, " %u", of->at);
    if (t->g->cores)
        fmt_buf(name + n, sizeof name - n, " @%u", of->core);
    struct sink *out = begin_line(&line, text, name);
    for (unsigned i = 0; i < t->columns; i++) {
        show_value(&of->cell[i], out);
        if (t->adjacent)
            show_half(&of->cell[i], out);
        halves = halves || has_half(&of->cell[i]);
    }
    end_line(&line, t->out);
    if (!halves || t->adjacent)
        return;
    out = begin_line(&line, text, "");
    for (unsigned i = 0; i < t->columns; i++)
        show_half(&of->cell[i], out);
    end_line(&line, t->out);
}

static bool is_first_of_family(const struct grouped *g, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (g->line[i].family == g->line[index].family)
            return false;
    return true;
}

static void show_family(const struct columns *t)
{
    show_heads(t);
    for (size_t i = 0; i < t->g->lines; i++)
        if (t->g->line[i].family == t->family)
            show_line(t, &t->g->line[i]);
}

void grouped_show(struct grouped *g, struct report *r)
{
    for (size_t i = 0; i < g->lines && report_table(r); i++) {
        if (!is_first_of_family(g, i))
            continue;
        const struct columns t = columns_of(g, g->line[i].family, r->out);
        report_fresh_line(r);
        show_family(&t);
    }
    g->lines = 0;
}
