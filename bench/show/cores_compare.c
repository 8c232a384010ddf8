#include "bench/show/cores_compare.h"
#include "bench/api/registry.h"
#include "lib/stats/known.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define FIGURES_UP_TO 8  /* cores: all their figures fit a line */
#define NAMED_UP_TO   12 /* cores that an event names */
#define NONE          (~0u)

/* Of one row. */
struct spread {
    unsigned known;                   /* cores with a figure */
    unsigned least, median, greatest; /* seats */
    unsigned apart;                   /* cores pointed at */
};

static double cycles(const struct plan *plan, unsigned k, size_t row)
{
    return plan->seat[k].engine.figures[row].cycles;
}

static bool has_figure(const struct plan *plan, unsigned k, size_t row)
{
    return is_known(cycles(plan, k, row));
}

static const char *type_of(const struct plan *plan, unsigned k)
{
    const char *type = plan->p->cores ? plan->p->cores->facts[plan->list[k]].type : NULL;

    return type ? type : "";
}

/* How many known cores, of the type or (NULL) all, come before the k-th when sorted by figure. */
static unsigned rank(const struct plan *plan, unsigned k, size_t row, const char *type,
                     unsigned *all)
{
    unsigned before = 0;
    double mine = cycles(plan, k, row);

    *all = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        if (!has_figure(plan, i, row) || (type && !str_eq(type, type_of(plan, i))))
            continue;
        double v = cycles(plan, i, row);
        before += v < mine || (v == mine && i < k);
        ++*all;
    }
    return before;
}

/* The core in the middle, the lower one of two: a core's own figure, which has an interval. */
static unsigned median_seat(const struct plan *plan, size_t row, const char *type)
{
    unsigned all;

    for (unsigned k = 0; k < plan->n; k++)
        if (has_figure(plan, k, row) && (!type || str_eq(type, type_of(plan, k))) &&
            rank(plan, k, row, type, &all) == (all - 1) / 2)
            return k;
    return NONE;
}

static bool is_apart(const struct plan *plan, unsigned k, size_t row)
{
    unsigned m = median_seat(plan, row, type_of(plan, k));

    if (m == NONE || !has_figure(plan, k, row))
        return false;
    const struct core_figure *mine = &plan->seat[k].engine.figures[row];
    const struct core_figure *theirs = &plan->seat[m].engine.figures[row];
    if (mine->shared || theirs->shared)
        return false;
    return mine->lo > theirs->hi || mine->hi < theirs->lo;
}

static struct spread spread_of(const struct plan *plan, size_t row)
{
    struct spread s = {.least = NONE, .greatest = NONE};

    for (unsigned k = 0; k < plan->n; k++) {
        if (!has_figure(plan, k, row))
            continue;
        s.known++;
        if (s.least == NONE || cycles(plan, k, row) < cycles(plan, s.least, row))
            s.least = k;
        if (s.greatest == NONE || cycles(plan, k, row) > cycles(plan, s.greatest, row))
            s.greatest = k;
        s.apart += is_apart(plan, k, row);
    }
    s.median = median_seat(plan, row, NULL);
    return s;
}

static void show_one(const struct plan *plan, const char *word, unsigned k, size_t row,
                     struct sink *out)
{
    fmt(out, " %s ", word);
    num_f64(out, cycles(plan, k, row), 3, 8);
    fmt(out, " @%-4u", plan->list[k]);
}

static void show_row(const struct plan *plan, const struct bench *b, size_t row,
                     const struct spread *s, struct sink *out)
{
    fmt(out, "%-24s", b->name);
    show_one(plan, "median", s->median, row, out);
    show_one(plan, "fastest", s->least, row, out);
    show_one(plan, "slowest", s->greatest, row, out);
    fmt(out, "\r\n");
    if (plan->n > FIGURES_UP_TO)
        return;
    fmt(out, "      ");
    for (unsigned k = 0; k < plan->n; k++) {
        if (has_figure(plan, k, row))
            num_f64(out, cycles(plan, k, row), 3, 8);
        else
            fmt(out, "%8s", "-");
        fmt(out, "%c", is_apart(plan, k, row) ? '*' : ' ');
    }
    fmt(out, "\r\n");
}

static void point_at(const struct plan *plan, const struct bench *b, size_t row, unsigned apart,
                     struct report *r)
{
    char message[400];
    struct sink_buf text;
    unsigned named = 0;

    sink_buf_init(&text, message, sizeof message);
    fmt(&text.sink,
        "%s/%s: differ from the median core of their type by more than both intervals:", b->suite,
        b->name);
    for (unsigned k = 0; k < plan->n && named < NAMED_UP_TO; k++) {
        if (!is_apart(plan, k, row))
            continue;
        unsigned m = median_seat(plan, row, type_of(plan, k));
        fmt(&text.sink, "%s core %u ", named++ ? "," : "", plan->list[k]);
        num_f64(&text.sink, cycles(plan, k, row), 3, 0);
        fmt(&text.sink, " (@%u ", plan->list[m]);
        num_f64(&text.sink, cycles(plan, m, row), 3, 0);
        fmt(&text.sink, ")");
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

void cores_compare(const struct plan *plan, const struct grouped *g, struct report *r)
{
    const struct run_facts *run = &plan->seat[0].engine.facts;
    const char *suite = "";
    size_t n, alike = 0;
    const struct bench *const *rows = registry(&n);

    if (plan->n < 2)
        return;
    if (run->execution == EXEC_EMULATED) {
        if (report_table(r))
            fmt(r->out, "\r\ncores are not compared: an emulator's time is noise\r\n");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct spread s = spread_of(plan, i);
        if (s.known < 2)
            continue;
        bool in_columns = grouped_both(g, rows[i], rows[i]) && !s.apart;
        alike += in_columns;
        if (report_table(r) && !in_columns) {
            if (!suite[0])
                show_title(run, r);
            if (!str_eq(suite, rows[i]->suite))
                fmt(r->out, "%s\r\n", suite = rows[i]->suite);
            show_row(plan, rows[i], i, &s, r->out);
        }
        if (s.apart)
            point_at(plan, rows[i], i, s.apart, r);
    }
    if (alike && report_table(r)) {
        if (!suite[0])
            show_title(run, r);
        fmt(r->out,
            "%zu rows in which no core differs stand in the tables above; table=rows has each\r\n",
            alike);
    }
}
