#include "bench/api/declare.h"
#include "bench/output/across.h"
#include "bench/api/kind.h"
#include "lib/stats/mathx.h"
#include "bench/output/per_op.h"
#include "bench/output/show.h"
#include "lib/stats/estimate.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

#define GRID_UP_TO 8 /* most cores whose matrix fits 80 columns */

static void show_number(struct report *r, double ticks, int width)
{
    fmt(r->out, " ");
    num_f64(r->out, ticks, 1, width);
}

/* Returns whether the row is judged: cores of an emulator do not run at the same time. */
static bool is_judged(const struct team_result *c)
{
    return c->cores->facts[0]->execution == EXEC_SILICON;
}

/* Returns ns; UNKNOWN if the TSC's ticks are not time. */
static double ns(const struct team_result *c, double ticks)
{
    const struct run_facts *run = c->cores->facts[0];

    return is_judged(c) && run_has_hz(run) ? units_ns(run, ticks) : UNKNOWN;
}

static void show_half(struct report *r, double half)
{
    if (is_known(half)) {
        fmt(r->out, " +-");
        num_f64(r->out, half, 1, 0);
    }
}

/* Writes a figure in ticks and in ns, each with its interval. */
static void show_figure(const struct team_result *c, const struct estimate *e, int width,
                        struct report *r)
{
    double half = estimate_longer_side(e), v = ns(c, e->theta);

    show_number(r, e->theta, width);
    show_half(r, half);
    fmt(r->out, " ticks");
    if (is_known(v)) {
        fmt(r->out, " =");
        show_number(r, v, 0);
        show_half(r, ns(c, half));
        fmt(r->out, " ns");
    }
}

static const struct pair *pair_of(const struct team_result *c, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < c->pairs; i++)
        if ((c->pair[i].a == a && c->pair[i].b == b) || (c->pair[i].a == b && c->pair[i].b == a))
            return &c->pair[i];
    return NULL;
}

/* Writes the numbers of the cores that meet, ascending. Returns how many. */
static unsigned ascending(const struct run_cores *cores, unsigned list[GRID_UP_TO])
{
    for (unsigned k = 0; k < cores->all; k++) {
        unsigned at = k;
        for (; at > 0 && list[at - 1] > cores->list[k]; at--)
            list[at] = list[at - 1];
        list[at] = cores->list[k];
    }
    return cores->all;
}

/* Writes the lower triangle of the matrix, the median of each pair. */
static void show_grid(const struct team_result *c, struct report *r)
{
    unsigned list[GRID_UP_TO], n = ascending(c->cores, list);

    fmt(r->out, "%8s", "");
    for (unsigned l = 0; l + 1 < n; l++)
        fmt(r->out, " %7u", list[l]);
    fmt(r->out, "\r\n");
    for (unsigned k = 1; k < n; k++) {
        fmt(r->out, "%8u", list[k]);
        for (unsigned l = 0; l < k; l++) {
            const struct pair *p = pair_of(c, list[k], list[l]);
            if (p)
                show_number(r, p->median, 7);
            else
                fmt(r->out, " %7s", "-");
        }
        fmt(r->out, "\r\n");
    }
}

static void show_pairs(const struct team_result *c, struct report *r)
{
    const struct pair *least = c->pair, *greatest = c->pair;

    for (unsigned i = 1; i < c->pairs; i++) {
        least = c->pair[i].median < least->median ? &c->pair[i] : least;
        greatest = c->pair[i].median > greatest->median ? &c->pair[i] : greatest;
    }
    show_figure(c, &c->ticks, 0, r);
    fmt(r->out, "; %u of %u pairs,", c->pairs, c->pairs_all);
    show_number(r, least->median, 0);
    fmt(r->out, " (%u, %u) to", least->a, least->b);
    show_number(r, greatest->median, 0);
    fmt(r->out, " (%u, %u)\r\n", greatest->a, greatest->b);
    if (c->backwards)
        fmt(r->out, "  ^ %llu times a core read a TSC below the one it had just been sent\r\n",
            (unsigned long long)c->backwards);
    if (c->cores->all > 2 && c->cores->all <= GRID_UP_TO && !c->signals)
        show_grid(c, r);
}

static void show_contentions(const struct team_result *c, struct report *r)
{
    fmt(r->out, "\r\n");
    for (unsigned i = 0; i < c->contentions; i++) {
        const struct contention *k = &c->contention[i];
        fmt(r->out, "  %4u core%s", k->cores, k->cores > 1 ? "s" : " ");
        show_figure(c, &k->ticks, 10, r);
        fmt(r->out, c->signals ? "; from" : "; by core, from");
        show_number(r, k->least, 0);
        fmt(r->out, " to");
        show_number(r, k->greatest, 0);
        fmt(r->out, "\r\n");
    }
}

static void show_line(const struct team_result *c, struct report *r)
{
    const struct row *row = &c->row;

    report_fresh_line(r);
    fmt(r->out, "%-24s", row->out.bench->name);
    if (row->out.status == ROW_UNSUPPORTED) {
        fmt(r->out, " not available: %s\r\n", row->out.why);
        return;
    }
    if (row->out.why)
        fmt(r->out, "\r\n  ^ FAIL: %s\r\n", row->out.why);
    else if (c->contentions)
        show_contentions(c, r);
    else
        show_pairs(c, r);
}

static void record_pair(const struct pair *p, struct json *j)
{
    json_f64s(j, (const double[]){p->a, p->b, p->least, p->median, p->greatest}, 5, 1);
}

static void record_matrix(const struct team_result *c, struct report *r)
{
    const struct row *row = &c->row;
    struct json line, *j = &line;

    if (!report_record(r, j, "matrix"))
        return;
#include "bench/api/fields/matrix.def"
    json_end(j);
}

void team_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n%-24s ticks of the TSC", suite);
    if (run->execution == EXEC_SILICON)
        fmt(r->out, " +-%u%%\r\n", estimate_percent_of(MEETING_PASSES));
    else
        fmt(r->out, "; not judged: cores of an emulator take turns\r\n");
}

void team_show(const struct team_result *c, struct report *r)
{
    if (report_table(r))
        show_line(c, r);
    line_figure(r, &c->row, c->row.out.status == ROW_OK ? c->row.figure.ticks : UNKNOWN, "ticks");
    record_row(r, c->cores->facts[0], &c->row, c);
    if (c->pairs)
        record_matrix(c, r);
}
