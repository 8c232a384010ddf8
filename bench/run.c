#include "bench/run.h"
#include "bench/api/registry.h"
#include "bench/cores/crowd_run.h"
#include "bench/cores/gaps.h"
#include "bench/cores/plan.h"
#include "bench/cores/plan_rows.h"
#include "bench/measure/tsc.h"
#include "bench/show/compare.h"
#include "bench/show/cores_compare.h"
#include "bench/show/cores_show.h"
#include "bench/show/crowd_show.h"
#include "bench/show/gaps_show.h"
#include "bench/show/selftests.h"
#include "bench/show/show.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define DETAILS_UP_TO 8 /* rows: a short run shows all of each */

/* One run: its plan, its rows, and how far it is. */
struct run {
    struct plan *plan;
    struct report *report;
    const struct engine *first; /* of the plan's first core, which speaks for all */
    const struct bench *const *rows;
    size_t n;              /* rows of the registry, of which */
    size_t selected, done; /* these are run */
    uint64_t began;
};

static struct run begin(const struct engine *boot, struct report *r)
{
    struct run run = {.plan = plan_make(boot), .report = r};
    run.first = &run.plan->seat[0].engine;
    run.rows = registry(&run.n);
    for (size_t i = 0; i < run.n; i++)
        run.selected += registry_selects(boot->o, run.rows[i]);
    r->counts_smis = boot->p->smis != NULL;
    return run;
}

/* --- faults and interruptions ----------------------------------------------------------------- */

/* A core that faulted is named once; what it measured before is kept. */
static void tell_if_gone(const struct run *run, unsigned k, const char *during)
{
    struct seat *seat = &run->plan->seat[k];
    char message[240];
    if (!seat->gone || seat->told)
        return;
    seat->told = true;
    fmt_buf(message, sizeof message, "core %u was lost during %s and is left out from here on: %s",
            seat->engine.core, during, seat->gone);
    report_event(run->report, "fault", message);
    run->report->faulted = true;
}

/* NMIs and machine checks, which no masking keeps out; b NULL: after the last row. */
static void tell_interruptions(const struct run *run, uint64_t nmis, const struct bench *b)
{
    char message[160];
    if (nmis == 0)
        return;
    fmt_buf(message, sizeof message, "%llu NMIs or machine checks came %s%s%s%s",
            (unsigned long long)nmis, b ? "with " : "after the last row", b ? b->suite : "",
            b ? "/" : "", b ? b->name : "");
    report_event(run->report, "nmi", message);
}

/* --- the steps -------------------------------------------------------------------------------- */

/* Each other core's own step and ruler, and how straight it counts. */
static void probe_other_cores(const struct run *run)
{
    struct plan *plan = run->plan;
    for (unsigned k = 0; k < plan->n; k++) {
        if (plan->list[k] == 0)
            continue;
        if (plan_probe(plan, k))
            selftests_linearity(&plan->seat[k].engine, plan->probe, run->report);
        else
            run->report->failures++;
        tell_if_gone(run, k, "its probe");
    }
}

static void show_suite(const struct run *run, const struct bench *b)
{
    switch (b->form) {
    case FORM_CORES:
        crowd_heading(run->report, run->first, b->suite);
        break;
    case FORM_WATCH:
        gaps_heading(run->report, b->suite);
        break;
    case FORM_EMPTY:
    case FORM_LOOP:
    case FORM_STRAIGHT:
    case FORM_FUNCTION:
        show_heading(run->report, run->first, b->suite);
        break;
    }
}

/* "  12 of 58 rows, about 14 s left": the rest at the pace so far. */
static void show_progress(const struct run *run)
{
    const struct engine *e = run->first;
    char line[80];
    size_t used = fmt_buf(line, sizeof line, "%zu of %zu rows", run->done, run->selected);
    if (engine_has_hz(e) && run->done > 0) {
        double left = (double)(run->selected - run->done) / (double)run->done;
        double seconds = (double)(tsc_now() - run->began) / e->tsc_hz * left;
        fmt_buf(line + used, sizeof line - used, ", about %u s left%s, a key stops",
                (unsigned)(seconds + 0.5), e->execution == EXEC_SILICON ? "" : " (virtual time)");
    }
    report_progress(run->report, line);
}

static void count(struct report *r, const struct row *row)
{
    r->rows++;
    r->failures += row->status == ROW_WRONG;
    r->smis += row->smis;
}

/* A row of windows, on each core of the plan. */
static void run_on_each(const struct run *run, size_t index)
{
    struct plan *plan = run->plan;
    const struct bench *b = run->rows[index];
    bool details = run->selected * plan->n <= DETAILS_UP_TO;
    if (plan->together)
        plan_measure_together(plan, b, index);
    for (unsigned k = 0; k < plan->n; k++) {
        if (!plan->together)
            plan_measure(plan, b, index, k);
        const struct row *row = plan_row(plan, k);
        if (!row)
            continue;
        show_row(run->report, &plan->seat[k].engine, row, details);
        tell_interruptions(run, row->nmis, b);
        count(run->report, row);
        tell_if_gone(run, k, b->name);
    }
}

/* A row that all cores of the plan run with each other. */
static void run_crowd(const struct run *run, const struct bench *b)
{
    const struct crowd *c = crowd_run(run->plan, b);
    crowd_show(c, run->report);
    count(run->report, &c->row);
    for (unsigned k = 0; k < run->plan->n; k++)
        tell_if_gone(run, k, b->name);
}

/* Each core of the plan watches for gaps. */
static void run_watch(const struct run *run, const struct bench *b)
{
    for (unsigned k = 0; k < run->plan->n; k++) {
        const struct watch *w = gaps_watch(run->plan, b, k);
        if (w) {
            gaps_show(&run->plan->seat[k].engine, w, b, run->report);
            run->report->smis += w->smis;
        }
        tell_if_gone(run, k, b->name);
    }
}

static void run_row(const struct run *run, size_t index)
{
    const struct bench *b = run->rows[index];
    switch (b->form) {
    case FORM_CORES:
        run_crowd(run, b);
        break;
    case FORM_WATCH:
        run_watch(run, b);
        break;
    case FORM_EMPTY:
    case FORM_LOOP:
    case FORM_STRAIGHT:
    case FORM_FUNCTION:
        run_on_each(run, index);
        break;
    }
}

/* False: a key stopped it. */
static bool run_rows(struct run *run)
{
    const struct platform *p = run->first->p;
    const char *suite = "";
    run->began = tsc_now();
    for (size_t i = 0; i < run->n; i++) {
        const struct bench *b = run->rows[i];
        if (!registry_selects(run->first->o, b))
            continue;
        if (p->key())
            return false;
        if (!str_eq(suite, b->suite))
            show_suite(run, b);
        suite = b->suite;
        show_progress(run);
        run_row(run, i);
        run->done++;
    }
    report_fresh_line(run->report);
    return true;
}

bool bench_run(const struct engine *boot, struct report *r)
{
    struct run run = begin(boot, r);

    probe_other_cores(&run);
    cores_show(run.plan, r);
    if (!run_rows(&run))
        return true;
    compare_rows(r, run.first, run.first->figures);
    cores_compare(run.plan, r);
    tell_interruptions(&run, plan_interruptions(run.plan), NULL);
    return false;
}
