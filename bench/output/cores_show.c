#include "bench/output/across.h"
#include "bench/api/registry.h"
#include "lib/stats/mathx.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"
#include "bench/output/head.h"
#include "bench/api/declare.h"
#include "lib/text/json.h"

#define FIGURES_UP_TO 8  /* most cores whose figures all fit one line */
#define NAMED_UP_TO   12 /* most cores that an event names */
#define NONE          (~0u)

/* The spread of one row over the cores. */
struct core_spread {
    unsigned known;                   /* cores with a figure */
    unsigned least, median, greatest; /* cores */
    unsigned apart;                   /* cores that are marked */
};

static const struct core_figure *figure_of(const struct run_cores *cores, unsigned k, size_t row)
{
    return &cores->figures[k * cores->rows + row];
}

static double cycles(const struct run_cores *cores, unsigned k, size_t row)
{
    return figure_of(cores, k, row)->cycles;
}

static bool has_figure(const struct run_cores *cores, unsigned k, size_t row)
{
    return is_known(cycles(cores, k, row));
}

static const char *type_of(const struct run_cores *cores, unsigned k)
{
    const char *type = cores->count ? cores->there[cores->list[k]].type : NULL;

    return type ? type : "";
}

/* Returns how many cores, of the type or (NULL) all, precede the k-th when sorted by figure. */
static unsigned rank(const struct run_cores *cores, unsigned k, size_t row, const char *type,
                     unsigned *all)
{
    unsigned before = 0;
    double mine = cycles(cores, k, row);

    *all = 0;
    for (unsigned i = 0; i < cores->n; i++) {
        if (!has_figure(cores, i, row) || (type && !str_eq(type, type_of(cores, i))))
            continue;
        double v = cycles(cores, i, row);
        before += v < mine || (v == mine && i < k);
        ++*all;
    }
    return before;
}

/* Returns the median core, the lower one of two: its figure has an interval. */
static unsigned median_core(const struct run_cores *cores, size_t row, const char *type)
{
    unsigned all;

    for (unsigned k = 0; k < cores->n; k++)
        if (has_figure(cores, k, row) && (!type || str_eq(type, type_of(cores, k))) &&
            rank(cores, k, row, type, &all) == (all - 1) / 2)
            return k;
    return NONE;
}

static bool is_apart(const struct run_cores *cores, unsigned k, size_t row)
{
    unsigned m = median_core(cores, row, type_of(cores, k));

    if (m == NONE || !has_figure(cores, k, row))
        return false;
    const struct core_figure *mine = figure_of(cores, k, row);
    const struct core_figure *theirs = figure_of(cores, m, row);
    return !mine->shared && !theirs->shared && core_figures_apart(mine, theirs);
}

static struct core_spread spread_of(const struct run_cores *cores, size_t row)
{
    struct core_spread s = {.least = NONE, .greatest = NONE};

    for (unsigned k = 0; k < cores->n; k++) {
        if (!has_figure(cores, k, row))
            continue;
        s.known++;
        if (s.least == NONE || cycles(cores, k, row) < cycles(cores, s.least, row))
            s.least = k;
        if (s.greatest == NONE || cycles(cores, k, row) > cycles(cores, s.greatest, row))
            s.greatest = k;
        s.apart += is_apart(cores, k, row);
    }
    s.median = median_core(cores, row, NULL);
    return s;
}

static void show_one(const struct run_cores *cores, const char *word, unsigned k, size_t row,
                     struct sink *out)
{
    num_fmt(out, " %s %8.3f @%-4u", word, cycles(cores, k, row), cores->list[k]);
}

static void show_row(const struct run_cores *cores, const struct bench *b, size_t row,
                     const struct core_spread *s, struct sink *out)
{
    fmt(out, "%-24s", b->name);
    show_one(cores, "median", s->median, row, out);
    show_one(cores, "fastest", s->least, row, out);
    show_one(cores, "slowest", s->greatest, row, out);
    fmt(out, "\r\n");
    if (cores->n > FIGURES_UP_TO)
        return;
    fmt(out, "      ");
    for (unsigned k = 0; k < cores->n; k++) {
        if (has_figure(cores, k, row))
            num_f64(out, cycles(cores, k, row), 3, 8);
        else
            fmt(out, "%8s", "-");
        fmt(out, "%c", is_apart(cores, k, row) ? '*' : ' ');
    }
    fmt(out, "\r\n");
}

static void point_at(const struct run_cores *cores, const struct bench *b, size_t row,
                     unsigned apart, struct report *r)
{
    char message[400];
    struct sink_buf text;
    unsigned named = 0;

    sink_buf_init(&text, message, sizeof message);
    fmt(&text.sink,
        "%s/%s: differ from the median core of their type by more than both intervals:", b->suite,
        b->name);
    for (unsigned k = 0; k < cores->n && named < NAMED_UP_TO; k++) {
        if (!is_apart(cores, k, row))
            continue;
        unsigned m = median_core(cores, row, type_of(cores, k));
        num_fmt(&text.sink, "%s core %u %.3f (@%u %.3f)", named++ ? "," : "", cores->list[k],
                cycles(cores, k, row), cores->list[m], cycles(cores, m, row));
    }
    if (apart > named)
        fmt(&text.sink, " and %u more", apart - named);
    report_event(r, "cores_differ", message);
}

static void show_title(const struct run_facts *run, struct report *r)
{
    fmt(r->out, "\r\ncores compared, %s an operation (@core); * differs from the median core\r\n",
        run->execution == EXEC_INSTRUCTIONS ? "instructions" : "core cycles");
}

void cores_compare(const struct run_cores *cores, const struct grouped *g, struct report *r)
{
    const struct run_facts *run = cores->facts[0];
    const char *suite = "";
    size_t n, alike = 0;
    const struct bench *const *rows = registry(&n);

    if (cores->n < 2)
        return;
    if (run->execution == EXEC_EMULATED) {
        if (report_table(r))
            fmt(r->out, "\r\ncores are not compared: an emulator's time is noise\r\n");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct core_spread s = spread_of(cores, i);
        if (s.known < 2)
            continue;
        bool in_columns = grouped_both(g, rows[i], rows[i]) && !s.apart;
        alike += in_columns;
        if (report_table(r) && !in_columns) {
            if (!suite[0])
                show_title(run, r);
            if (!str_eq(suite, rows[i]->suite))
                fmt(r->out, "%s\r\n", suite = rows[i]->suite);
            show_row(cores, rows[i], i, &s, r->out);
        }
        if (s.apart)
            point_at(cores, rows[i], i, s.apart, r);
    }
    if (alike && report_table(r)) {
        if (!suite[0])
            show_title(run, r);
        fmt(r->out,
            "%zu rows in which no core differs are in the tables above; table=rows lists each\r\n",
            alike);
    }
}

/* Returns the facts of a core; NULL: it does not measure. */
static const struct run_facts *facts_of(const struct run_cores *cores, unsigned core)
{
    for (unsigned k = 0; k < cores->n; k++)
        if (cores->list[k] == core)
            return cores->facts[k];
    return NULL;
}

static void show_line(const struct run_cores *cores, unsigned core, struct report *r)
{
    const struct core_facts *f = &cores->there[core];
    const struct run_facts *run = facts_of(cores, core);

    fmt(r->out, "%c%3u %5u %3u %4u %3u", run ? '*' : ' ', core, f->apic_id, f->package, f->core,
        f->thread);
    if (cores->divided && f->node != NUMA_NONE)
        fmt(r->out, " %4d", f->node);
    else if (cores->divided)
        fmt(r->out, "    -");
    fmt(r->out, "  %-11s %8x", f->type ? f->type : "-", f->microcode);
    if (f->why_not) {
        fmt(r->out, "  %s\r\n", f->why_not);
        return;
    }
    if (f->tsc_unknown)
        fmt(r->out, " %9s    %-6s", "?", "");
    else
        fmt(r->out, " %9lld +- %-6llu", (long long)f->tsc_offset,
            (unsigned long long)f->tsc_offset_error);
    if (run && run->execution == EXEC_SILICON && run_has_ruler(run)) {
        num_fmt(r->out, " %7.4f", run->ticks_per_cycle);
    }
    fmt(r->out, "\r\n");
    if (f->mtrr)
        fmt(r->out, "     MTRRs differ from the boot core's: %s\r\n", f->mtrr);
    if (f->features)
        fmt(r->out, "     features differ from the boot core's: %s\r\n", f->features);
    if (f->has_tsc_adjust && f->tsc_adjust)
        fmt(r->out, "     TSC_ADJUST: %lld\r\n", (long long)f->tsc_adjust);
}

static void show_table(const struct run_cores *cores, struct report *r)
{
    fmt(r->out, "\r\ncores     %u, parked by %s; those that measure (*): %s%s\r\n", cores->count,
        cores->parked, cores->facts[0]->o->cores, cores->together ? ", together" : "");
    if (cores->all > cores->n)
        fmt(r->out, "          rows of several cores run on %u\r\n", cores->all);
    fmt(r->out, "core  apic pkg core thr%s  type        microcode  TSC offset (ticks)%s\r\n",
        cores->divided ? " node" : "",
        cores->facts[0]->execution == EXEC_SILICON ? " ticks/cycle" : "");
    for (unsigned i = 0; i < cores->count; i++)
        show_line(cores, i, r);
}

/* Returns the source of core cycles; NULL: no source. */
static const char *cycles_by(const struct run_facts *run)
{
    switch (run->cycle.by) {
    case CYCLES_RULER:
        return "ruler";
    case CYCLES_COUNTER:
        return run->cycle.counter.used->name;
    case CYCLES_UNKNOWN:
        break;
    }
    return NULL;
}

static void record_core(const struct run_cores *cores, unsigned core, struct report *r)
{
    const struct core_facts *f = &cores->there[core];
    const struct run_facts *run = facts_of(cores, core);
    const struct timer_choice *counter = run ? run_counter(run) : NULL;
    bool has_offset = !f->why_not && !f->tsc_unknown;
    struct json line, *j = &line;

    if (!report_record(r, j, "core"))
        return;
#include "bench/api/fields/core.def"
    json_end(j);
}

void cores_show(const struct run_cores *cores, struct report *r)
{
    if (report_table(r) && cores->count > 1)
        show_table(cores, r);
    for (unsigned i = 0; i < cores->count; i++)
        record_core(cores, i, r);
}
