#include "bench/run.h"
#include "bench/api/registry.h"
#include "bench/cores/crowd.h"
#include "bench/cores/gaps.h"
#include "bench/cores/plan.h"
#include "bench/measure/tsc.h"
#include "bench/show/compare.h"
#include "bench/show/cores_compare.h"
#include "bench/show/cores_show.h"
#include "bench/show/show.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define DETAILS_UP_TO 8 /* rows: a short run shows all of each */

static size_t count_selected(const struct options *o)
{
    size_t n, selected = 0;
    const struct bench *const *rows = registry(&n);
    for (size_t i = 0; i < n; i++)
        selected += registry_selects(o, rows[i]);
    return selected;
}

/* "  12 of 58 rows, about 14 s left": the rest at the pace so far. */
static void show_progress(const struct engine *e, struct report *r, size_t done, size_t all,
                          uint64_t ticks)
{
    char line[80];
    size_t used = fmt_buf(line, sizeof line, "%zu of %zu rows", done, all);
    if (e->tsc_hz > 0 && done > 0) {
        double seconds = (double)ticks / e->tsc_hz * (double)(all - done) / (double)done;
        fmt_buf(line + used, sizeof line - used, ", about %u s left%s, a key stops",
                (unsigned)(seconds + 0.5), e->execution == EXEC_SILICON ? "" : " (virtual time)");
    }
    report_progress(r, line);
}

/* NMIs and machine checks, which no masking keeps out. */
static void tell_interruptions(struct report *r, uint64_t nmis, const struct bench *b)
{
    char message[160];
    if (nmis == 0)
        return;
    fmt_buf(message, sizeof message, "%llu NMIs or machine checks came %s%s%s%s",
            (unsigned long long)nmis, b ? "with " : "after the last row", b ? b->suite : "",
            b ? "/" : "", b ? b->name : "");
    report_event(r, "nmi", message);
}

/* A core that faulted names itself once; what it measured before is kept. */
static void tell_gone(struct report *r, struct seat *seat, const char *during)
{
    char message[240];
    if (!seat->gone || seat->told)
        return;
    seat->told = true;
    fmt_buf(message, sizeof message, "core %u measures no more, since %s: %s", seat->engine.core,
            during, seat->gone);
    report_event(r, "fault", message);
    r->faulted = true;
}

/* Each other core's own step and ruler, and how straight it counts. */
static void probe_cores(struct plan *plan, struct report *r)
{
    for (unsigned k = 0; k < plan->n; k++) {
        struct seat *seat = &plan->seat[k];
        if (plan->list[k] == 0)
            continue;
        if (plan_probe(plan, k))
            probe_judge(&seat->engine, plan->probe, r);
        else
            r->failures++;
        tell_gone(r, seat, "its probe");
    }
}

static void tell_suite(struct report *r, const struct engine *e, const struct bench *first)
{
    if (first->form == FORM_CORES)
        crowd_heading(r, e, first->suite);
    else if (first->form == FORM_WATCH)
        gaps_heading(r, first->suite);
    else
        show_heading(r, e, first->suite);
}

/* One row on each core. */
static void tell_rows(struct report *r, struct plan *plan, size_t index, bool details)
{
    size_t n;
    const struct bench *b = registry(&n)[index];
    for (unsigned k = 0; k < plan->n; k++) {
        struct seat *seat = &plan->seat[k];
        const struct row *row = plan_row(plan, b, index, k);
        if (!row)
            continue;
        show_row(r, &seat->engine, row, details);
        tell_interruptions(r, row->nmis, b);
        r->rows++;
        r->failures += row->status == ROW_WRONG;
        r->smis += row->smis;
        tell_gone(r, seat, b->name);
    }
}

/* One row on all of them. */
static void tell_crowd(struct report *r, struct plan *plan, const struct bench *b)
{
    crowd_row(plan, b, r);
    for (unsigned k = 0; k < plan->n; k++)
        tell_gone(r, &plan->seat[k], b->name);
}

static void tell_gaps(struct report *r, struct plan *plan, const struct bench *b)
{
    for (unsigned k = 0; k < plan->n; k++) {
        gaps_watch(plan, b, k, r);
        tell_gone(r, &plan->seat[k], b->name);
    }
}

bool bench_run(struct engine *e, struct report *r)
{
    size_t n, done = 0, all = count_selected(e->o);
    const struct bench *const *rows = registry(&n);
    const char *suite = "";
    struct plan *plan = plan_make(e);
    r->counts_smis = e->p->smis != NULL;

    probe_cores(plan, r);
    cores_show(plan, r);
    uint64_t began = tsc_now();
    for (size_t i = 0; i < n; i++) {
        if (!registry_selects(e->o, rows[i]))
            continue;
        if (e->p->key())
            return true;
        if (!str_eq(suite, rows[i]->suite))
            tell_suite(r, e, rows[i]);
        suite = rows[i]->suite;
        show_progress(e, r, done++, all, tsc_now() - began);
        if (rows[i]->form == FORM_CORES)
            tell_crowd(r, plan, rows[i]);
        else if (rows[i]->form == FORM_WATCH)
            tell_gaps(r, plan, rows[i]);
        else
            tell_rows(r, plan, i, all * plan->n <= DETAILS_UP_TO);
    }
    report_fresh_line(r);
    compare_rows(r, &plan->seat[0].engine, plan->seat[0].engine.figures);
    cores_compare(plan, r);
    tell_interruptions(r, plan_interruptions(plan), NULL);
    return false;
}
