#include "bench/output/datasheet.h"
#include "bench/api/kind.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/curve/sizes.h"
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define LABEL    12  /* columns of a line's label */
#define CELL     22  /* columns of a figure with its interval and unit */
#define TEXT     48  /* bytes of one */
#define TOO_LONG 1e5 /* no cell holds it with its interval; no measured figure is that large */
#define LINE     64. /* bytes that an operation moves, where it moves any */
/* The longest side of an interval, as a part of the figure: if it is longer, the measurements do
 * not agree on the figure. */
#define WIDEST 0.25

_Static_assert(LABEL + SHEET_COLUMNS * CELL <= LINES_COLUMNS, "a line fits the screen");

/* --- taking ----------------------------------------------------------------------------------- */

/* Returns the column of the core; NULL: another core of its type has it, or there is no room. */
static struct sheet_column *column_of(struct sheet *s, unsigned core, const char *type)
{
    for (unsigned i = 0; i < s->columns; i++)
        if (s->column[i].type == type)
            return s->column[i].core == core ? &s->column[i] : NULL;
    if (s->columns == SHEET_COLUMNS)
        return NULL;
    s->column[s->columns] = (struct sheet_column){.core = core, .type = type};
    return &s->column[s->columns++];
}

/* Returns the index of this name; SHEET_NAMES: the figure is not from it. */
static unsigned rank_of(const struct sheet_source *source, const char *name)
{
    unsigned i = 0;

    while (i < SHEET_NAMES && !(source->name[i] && str_eq(source->name[i], name)))
        i++;
    return i;
}

/* Keeps a figure, unless there is one from a name that precedes its name. One that is judged
 * replaces one that is not. */
static void keep(struct sheet_figure *kept, const struct sheet_figure *f)
{
    bool better = f->unjudged == kept->unjudged ? f->rank < kept->rank : kept->unjudged;

    if (is_known(f->value) && (!kept->known || better))
        *kept = *f;
}

/* Returns the level of the curve that is the cache of this level; NULL: the curve does not show
 * it. */
static const struct level *level_of(const struct series *c, int32_t cache)
{
    for (size_t i = 0; i < c->levels; i++)
        if (c->level[i].cache >= 0 && (int32_t)c->cache[c->level[i].cache].level == cache)
            return &c->level[i];
    return NULL;
}

/* Returns the point that has the figure, or NULL. in: the cache's level, of whose sizes it is one;
 * NULL: not known. */
static const struct point *point_of(const struct series *c, const struct sheet_source *source,
                                    const struct level *in)
{
    uint64_t most = source->from == SHEET_IN_CACHE
                        ? sizes_of_cache(c->cache, c->caches, (unsigned)source->at)
                        : UINT64_MAX;
    const struct point *found = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct point *p = &c->point[i];
        bool inside = !in || ((uint64_t)p->x >= in->from && (uint64_t)p->x <= in->to);
        if (inside && ((uint64_t)p->x <= most || (in && !found)))
            found = p;
    }
    return found;
}

/* Returns whether the curve is clean up to the end of a level. */
static bool is_clean(const struct series *c, const struct level *l)
{
    return c->spoiled == SERIES_CLEAN || (c->spoiled == SERIES_FALLS && c->falls_at > l->half_way);
}

static const char *unit_of(const struct run_facts *run)
{
    if (units_are_instructions(run))
        return "instr";
    return run_has_cycles(run) ? "cycles" : "ticks";
}

/* Returns whether the measurements of a figure agree. */
static bool is_narrow(const struct sheet_figure *f)
{
    return is_known(f->half) && f->half <= WIDEST * f->value;
}

/* Sets value, interval and unit of a point. The interval has the relative width of that of the
 * cycles. */
static void measure(struct sheet_figure *f, const struct run_facts *run, const struct series *c,
                    const struct point *p, enum sheet_from from)
{
    bool moves = !bench_is_chase(bench_curve(c->out.bench)->load) &&
                 !bench_is_near(bench_curve(c->out.bench)->load);
    bool timed = from == SHEET_LARGEST && run->execution == EXEC_SILICON && units_have_ns(run);
    double time = timed ? units_ns(run, p->ticks) : UNKNOWN;

    f->unit = unit_of(run);
    f->value = run_has_cycles(run) ? p->cycles : p->ticks;
    f->half = run_has_cycles(run) ? estimate_longer_of(p->cycles, p->lo, p->hi) : UNKNOWN;
    if (!timed)
        return;
    double scale = moves ? LINE / time : time, lo = p->lo / p->cycles, hi = p->hi / p->cycles;
    f->unit = moves ? "GB/s" : "ns";
    f->value = scale;
    f->half =
        scale * (moves ? estimate_longer_of(1, 1 / hi, 1 / lo) : estimate_longer_of(1, lo, hi));
}

static void take_curve(struct sheet *s, const struct run_facts *run, const struct series *c,
                       const char *type)
{
    const struct sheet_source *source;

    for (unsigned i = 0; (source = sheet_source(i)); i++) {
        unsigned rank = rank_of(source, c->out.bench->name);
        if (source->from > SHEET_LARGEST || rank == SHEET_NAMES || c->out.status != ROW_OK)
            continue;
        bool cached = source->from == SHEET_IN_CACHE && !units_are_instructions(run);
        const struct level *level = cached ? level_of(c, source->at) : NULL;
        const struct point *p = point_of(c, source, level);
        struct sheet_column *column = p ? column_of(s, run->core, type) : NULL;
        if (!column)
            continue;
        struct sheet_figure f = {.known = true, .rank = rank, .shared = p->shared};
        measure(&f, run, c, p, source->from);
        f.unjudged = cached && !(level && is_clean(c, level));
        if (run_has_cycles(run) && !units_are_instructions(run))
            f.unjudged = f.unjudged || !is_narrow(&f);
        keep(&column->figure[i], &f);
    }
}

/* Returns the cell of a store and a load of the same `bytes`; NULL: the CPU has no such size. */
static const struct forward_cell *cell_of(const struct forward_map *m, unsigned bytes)
{
    unsigned size = 0, i = 0;

    while (size < m->sizes && 1u << size != bytes)
        size++;
    if (size == m->sizes)
        return NULL;
    while (forward_offset(bytes, i) != 0)
        i++;
    return &m->cell[forward_first(m->sizes, size, size) + i];
}

void sheet_forward(struct sheet *s, const struct run_facts *run, const struct forward_map *m,
                   const char *type)
{
    const struct sheet_source *source;

    for (unsigned i = 0; m->out.status == ROW_OK && (source = sheet_source(i)); i++) {
        const struct forward_cell *cell = cell_of(m, (unsigned)source->at);
        if (source->from != SHEET_FORWARD || rank_of(source, m->out.bench->name) > 0 || !cell)
            continue;
        bool cycles = run_has_cycles(run);
        struct sheet_figure f = {
            .known = true,
            .value = cycles ? cell->cycles : cell->ticks,
            .half = cycles ? estimate_longer_of(cell->cycles, cell->lo, cell->hi) : UNKNOWN,
            .unit = unit_of(run),
            .shared = m->shared};
        struct sheet_column *column = is_known(f.value) ? column_of(s, run->core, type) : NULL;
        if (column)
            keep(&column->figure[i], &f);
    }
}

static void take_limit(struct sheet *s, const struct run_facts *run, const struct series *l,
                       const char *type)
{
    const struct sheet_source *source;

    for (unsigned i = 0; l->steps > 0 && (source = sheet_source(i)); i++) {
        if (source->from != SHEET_STEP || rank_of(source, l->out.bench->name) > 0 ||
            l->spoiled != SERIES_CLEAN)
            continue;
        const struct curve_step *step = &l->step[0];
        struct sheet_column *column = column_of(s, run->core, type);
        struct sheet_figure f = {.known = true,
                                 .value = step->at,
                                 .half = estimate_longer_of(step->at, step->from, step->to),
                                 .unit = "entries"};
        if (column)
            keep(&column->figure[i], &f);
    }
}

void sheet_series(struct sheet *s, const struct run_facts *run, const struct series *c,
                  const char *type)
{
    const struct kind *kind = c->out.bench->kind;

    if (kind->has_limits)
        take_limit(s, run, c, type);
    else if (kind->is_curve)
        take_curve(s, run, c, type);
}

/* Returns whether a replaces b as the longest latency: a is settled and b is not; or both are
 * settled or both are not, and a is longer. */
static bool is_better(struct agreed a, struct agreed b)
{
    if (!is_known(b.value) || a.settled != b.settled)
        return !is_known(b.value) || a.settled;
    return a.value > b.value;
}

/* Returns the longest latency of a form, without upper bounds; a settled one if there is one. */
static struct agreed longest(const struct insn_table *t, const struct insn_row *row)
{
    struct agreed found = {.value = UNKNOWN};

    for (unsigned k = 0; k < row->cells; k++) {
        const struct insn_cell *cell = insn_cells_of(t, row) + k;
        bool at_most;
        struct agreed a = insn_figure(t, row, cell, &at_most);
        if (cell->id.kind == INSN_TEST_LATENCY && is_known(a.value) && !at_most &&
            is_better(a, found))
            found = a;
    }
    return found;
}

static void take_form(struct sheet *s, const struct run_facts *run, const struct insn_table *t,
                      const struct insn_row *row, const char *type)
{
    char name[96];
    struct sink_buf text;
    const struct sheet_source *source;

    sink_buf_init(&text, name, sizeof name);
    insn_row_name(row, &text.sink);
    for (unsigned i = 0; (source = sheet_source(i)); i++) {
        unsigned rank = rank_of(source, name);
        if (source->from != SHEET_LATENCY || rank == SHEET_NAMES)
            continue;
        struct agreed a = longest(t, row);
        struct sheet_column *column = is_known(a.value) ? column_of(s, run->core, type) : NULL;
        struct sheet_figure f = {.known = true,
                                 .rank = rank,
                                 .value = a.value,
                                 .half = agree_error(a),
                                 .unit = "cycles"};
        if (column)
            keep(&column->figure[i], &f);
    }
}

void sheet_forms(struct sheet *s, const struct run_facts *run, const struct insn_table *t,
                 const char *type)
{
    for (unsigned i = t->links; i < t->rows && !t->exact; i++)
        if (t->row[i].reached)
            take_form(s, run, t, &t->row[i], type);
}

bool sheet_has(const struct sheet *s)
{
    return s->columns > 0;
}

/* --- showing ---------------------------------------------------------------------------------- */

static void say_heading(const struct sheet_column *c, struct sink *out)
{
    if (c->type)
        fmt(out, "%s ", c->type);
    fmt(out, "core %u", c->core);
}

static void say_number(double v, int digits, struct sink *out)
{
    if (v < TOO_LONG)
        num_f64(out, v, digits, 0);
    else
        fmt(out, "1e5+");
}

static void say_figure(const struct sheet_figure *f, struct sink *out)
{
    double larger = is_known(f->half) && f->half > f->value ? f->half : f->value;
    int digits = larger < 99.995 ? 2 : larger < 999.95 ? 1 : 0;

    if (!f->known || f->unjudged) {
        fmt(out, f->known ? "not judged" : "-");
        return;
    }
    say_number(f->value, digits, out);
    if (f->shared) {
        fmt(out, " shared");
    } else if (is_known(f->half)) {
        fmt(out, " +-");
        say_number(f->half, digits, out);
    }
    fmt(out, " %s", f->unit);
}

/* Writes a figure's line; source NULL: the headings. */
static void show_line(const struct sheet *s, const struct sheet_source *source, unsigned figure,
                      const struct lines_to *to)
{
    char text[SHEET_COLUMNS][TEXT];
    const char *cell[SHEET_COLUMNS];

    for (unsigned i = 0; i < s->columns; i++) {
        struct sink_buf out;
        sink_buf_init(&out, text[i], TEXT);
        if (source)
            say_figure(&s->column[i].figure[figure], &out.sink);
        else
            say_heading(&s->column[i], &out.sink);
        cell[i] = text[i];
    }
    lines_cells(to, source ? source->label : "datasheet", LABEL, cell, s->columns, CELL);
}

void sheet_show(const struct sheet *s, const struct lines_to *to)
{
    const struct sheet_source *source;

    show_line(s, NULL, 0, to);
    for (unsigned i = 0; (source = sheet_source(i)); i++)
        show_line(s, source, i, to);
}
