#include "bench/run.h"
#include "bench/api/registry.h"
#include "bench/cores/crowd_run.h"
#include "bench/cores/gaps.h"
#include "bench/cores/plan.h"
#include "bench/cores/plan_rows.h"
#include "bench/measure/tsc.h"
#include "bench/progress.h"
#include "bench/show/compare.h"
#include "bench/show/cores_compare.h"
#include "bench/show/cores_show.h"
#include "bench/show/crowd_show.h"
#include "bench/show/gaps_show.h"
#include "bench/show/own_show.h"
#include "bench/show/selftests.h"
#include "bench/show/show.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define REST_BY_NAME  120 /* columns: a list of rows that a person can still type */
#define DETAILS_UP_TO 8   /* rows: a short run shows all of each */

/* One run: its plan, its rows, and how far it is. */
struct run {
    struct plan *plan;
    struct report *report;
    const struct engine *first; /* of the plan's first core, which speaks for all */
    const struct bench *const *rows;
    size_t n;                 /* rows of the registry, of which */
    size_t selected;          /* so many are run */
    size_t at;                /* the one that runs, ... */
    uint64_t row_began, told; /* ... since when, and the ticks of it that showing it took, ... */
    unsigned cores_done;      /* ... and on how many cores, one by one, it is done */
    size_t passed;            /* rows that this round is done with */
    size_t measured;          /* rows that have figures, or a fault or a failed check */
    char not_measured[200];   /* the first row that has none, and why; "": each has */
    const char *suite;        /* whose heading stands above the rows that are shown */
    struct progress progress;
};

static struct run begin(const struct engine *boot, struct report *r)
{
    struct run run = {.plan = plan_make(boot), .report = r, .suite = ""};
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

/* A core whose figures cannot stand beside the others' is a failure of the run. */
static void tell_if_unlike(const struct run *run, unsigned k)
{
    struct seat *seat = &run->plan->seat[k];
    char name[32];
    if (!seat->unlike[0])
        return;
    fmt_buf(name, sizeof name, "execution_core%u", seat->engine.core);
    report_selftest(run->report, name, SELFTEST_FAIL, seat->unlike);
    seat->told = true;
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

/* What one turn of a row may take, on all cores. */
static double guess(const struct run *run, const struct bench *b)
{
    double cores = run->plan->n;
    if (b->form == FORM_CORES)
        cores = cores > 1; /* with each other, or not at all */
    else if (run->plan->together && b->form != FORM_WATCH)
        cores++; /* each alone, then all at once */
    if (plan_in_rounds(run->first->o, b))
        cores /= run->plan->rounds;
    return progress_guess(run->first, b) * cores;
}

/* What it has taken so far. */
static double taken(const struct run *run)
{
    return (double)(tsc_now() - run->row_began - run->told);
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
            selftests_core(&plan->seat[k].engine, plan->probe, plan->counter, run->report);
        else
            run->report->failures++;
        tell_if_unlike(run, k);
        tell_if_gone(run, k, "its probe");
    }
}

/* The heading above the first row of a suite that is shown. */
static void show_suite(struct run *run, const struct bench *b)
{
    if (str_eq(run->suite, b->suite))
        return;
    run->suite = b->suite;
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

/* Turns of a row behind the one that runs. */
static unsigned turns_left(const struct run *run, size_t index)
{
    unsigned later = run->plan->rounds - 1 - run->plan->round;
    bool in_rounds = plan_in_rounds(run->first->o, run->rows[index]);
    if (!in_rounds)
        return later > 0 || index > run->at;
    return later + (index > run->at);
}

static struct progress_rest rest_of(const struct run *run)
{
    struct progress_rest rest = {0};
    const char *suite = run->rows[run->at]->suite;
    for (size_t i = 0; i < run->n; i++) {
        const struct bench *b = run->rows[i];
        if (!registry_selects(run->first->o, b))
            continue;
        unsigned turns = turns_left(run, i);
        double known = (double)run->plan->took[i];
        rest.shown += turns > 0 || i == run->at;
        if (known > 0)
            rest.known += turns * known;
        else
            *(str_eq(b->suite, suite) ? &rest.suite : &rest.other) += turns * guess(run, b);
    }
    rest.shown *= run->plan->n;
    return rest;
}

/* "round 2 of 4, 12 of 58 rows, 40% of the next, about 14 s left, q or Esc stops"; `part` of the
 * row that runs is done. */
static void show_progress(struct run *run, double part)
{
    const struct engine *e = run->first;
    const struct progress_turn turn = {guess(run, run->rows[run->at]),
                                       (double)run->plan->took[run->at], part, taken(run)};
    char line[80];
    size_t used = 0;
    if (run->plan->rounds > 1)
        used =
            fmt_buf(line, sizeof line, "round %u of %u, ", run->plan->round + 1, run->plan->rounds);
    used += fmt_buf(line + used, sizeof line - used, "%zu of %zu rows", run->passed, run->selected);
    if (part > 0)
        used +=
            fmt_buf(line + used, sizeof line - used, ", %u%% of the next", (unsigned)(100 * part));
    if (engine_has_hz(e) && progress_is_known(&run->progress, &turn)) {
        struct progress_rest rest = rest_of(run);
        used += fmt_buf(line + used, sizeof line - used, ", about %u s %sleft",
                        (unsigned)(progress_left(&run->progress, &rest, &turn) / e->tsc_hz + 0.5),
                        e->execution == EXEC_SILICON ? "" : "of virtual time ");
    }
    fmt_buf(line + used, sizeof line - used, ", %s stops", e->p->stop_keys);
    uint64_t from = tsc_now();
    report_progress(run->report, line);
    progress_line(&run->progress, sizeof line, (double)(tsc_now() - from));
}

/* From within a row, on the core that measures it, between two parts. */
static void show_part(void *ctx, double part)
{
    struct run *run = ctx;
    bool together = run->plan->together && run->rows[run->at]->form != FORM_WATCH;
    show_progress(run, (run->plan->stage + part) / (run->plan->n + together));
    run->first->p->show(run->first->p);
}

static void count(struct run *run, const struct row *row)
{
    struct report *r = run->report;
    r->rows++;
    r->failures += row->status == ROW_WRONG;
    r->smis += row->smis;
    if (row->status != ROW_UNSUPPORTED)
        run->measured++;
    else if (!run->not_measured[0])
        fmt_buf(run->not_measured, sizeof run->not_measured, "%s/%s: %s", row->bench->suite,
                row->bench->name, row->why);
}

static bool is_last_round(const struct run *run)
{
    return run->plan->round + 1 == run->plan->rounds;
}

/* The row that came to its end on the k-th core, if it did. */
static void show_ended(struct run *run, unsigned k)
{
    const struct row *row = plan_row(run->plan, k);
    bool details = run->selected * run->plan->n <= DETAILS_UP_TO;
    if (!row)
        return;
    uint64_t from = tsc_now();
    const struct platform *p = run->first->p;
    if (p->row_tell && row->method.method == METHOD_DOUBLED)
        p->row_tell(p, row->core, row->kept);
    show_suite(run, row->bench);
    show_row(run->report, &run->plan->seat[k].engine, row, details);
    tell_interruptions(run, row->nmis, row->bench);
    count(run, row);
    run->told += tsc_now() - from;
    progress_told(&run->progress, 1, (double)(tsc_now() - from));
}

/* A row of windows, on each core of the plan, as much of it as is due in this round. */
static void run_on_each(struct run *run, size_t index)
{
    struct plan *plan = run->plan;
    const struct bench *b = run->rows[index];
    if (plan->together)
        plan_measure_together(plan, b, index);
    for (unsigned k = 0; k < plan->n && !plan->pace->stopped; k++) {
        run->cores_done = k;
        if (!plan->together)
            plan_measure(plan, b, index, k);
        if (is_last_round(run) && !plan->pace->stopped)
            show_ended(run, k);
        tell_if_gone(run, k, b->name);
    }
}

/* A row that all cores of the plan run with each other. */
static void run_crowd(struct run *run, const struct bench *b)
{
    show_suite(run, b);
    const struct crowd *c = crowd_run(run->plan, b);
    if (!run->plan->pace->stopped) {
        crowd_show(c, run->report);
        count(run, &c->row);
        run->measured++; /* needs more cores at the most: the report says what those are */
    }
    for (unsigned k = 0; k < run->plan->n; k++)
        tell_if_gone(run, k, b->name);
}

/* A watch that was ended has no figures. */
static void tell_if_ended(const struct run *run, const struct row *row, unsigned core)
{
    char message[sizeof row->said + 96];
    if (!row->ended)
        return;
    fmt_buf(message, sizeof message, "%s/%s on core %u: %s", row->bench->suite, row->bench->name,
            core, row->why);
    report_event(run->report, "fault", message);
    run->report->failures++;
}

/* A script that asked for figures must not take a run without any for a good one. */
static void tell_nothing_measured(const struct run *run)
{
    char message[sizeof run->not_measured + 80];
    if (run->measured || !run->not_measured[0])
        return;
    fmt_buf(message, sizeof message, "no row could be measured, so the run has failed. %s",
            run->not_measured);
    report_event(run->report, "warning", message);
    run->report->failures++;
}

/* Each core of the plan watches for gaps. */
static void run_watch(struct run *run, const struct bench *b)
{
    show_suite(run, b);
    for (unsigned k = 0; k < run->plan->n && !run->plan->pace->stopped; k++) {
        run->cores_done = k;
        const struct watch *w = gaps_watch(run->plan, b, k);
        run->measured++;
        if (w && run->plan->seat[k].row.ended) {
            tell_if_ended(run, &run->plan->seat[k].row, run->plan->list[k]);
        } else if (w) {
            gaps_show(&run->plan->seat[k].engine, w, b, run->report);
            run->report->smis += w->smis;
        }
        tell_if_gone(run, k, b->name);
    }
}

static void run_row(struct run *run, size_t index)
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

/* --- a person stops it ------------------------------------------------------------------------ */

/* What of the rows stands in the report, where the run was stopped. */
struct shown {
    size_t rows, fewer; /* fewer: from not all rounds */
};

/* Rows that the round under way has not come to, with the rounds that they have. */
static bool show_so_far(struct run *run, size_t index)
{
    struct plan *plan = run->plan;
    bool any = false, begun = index == run->at && is_last_round(run);
    for (unsigned k = begun ? run->cores_done : 0; k < plan->n; k++) {
        plan_end(plan, index, k);
        any = any || plan_row(plan, k);
        show_ended(run, k);
    }
    return any;
}

/* Whether the report has nothing of a row. */
static bool is_missing(const struct run *run, size_t index)
{
    bool has = is_last_round(run) && index < run->at;
    if (!has && run->plan->rounds > 1 && plan_in_rounds(run->first->o, run->rows[index]))
        for (unsigned k = 0; k < run->plan->n; k++)
            has = has || plan_rounds_of(run->plan, index, k) > 0;
    return !has;
}

static struct shown show_stopped(struct run *run)
{
    struct shown shown = {0};
    for (size_t i = 0; i < run->n; i++) {
        if (!registry_selects(run->first->o, run->rows[i]) || is_missing(run, i))
            continue;
        shown.rows++;
        if (!is_last_round(run) || i >= run->at)
            shown.fewer += show_so_far(run, i);
    }
    return shown;
}

/* The suites with rows that are left, and these rows by name: short enough for a person to type? */
static bool say_rest_by_name(const struct run *run, struct sink *out)
{
    char suites[REST_BY_NAME], names[REST_BY_NAME];
    size_t a = 0, b = 0;
    const char *suite = "";
    for (size_t i = 0; i < run->n; i++) {
        const struct bench *row = run->rows[i];
        if (!registry_selects(run->first->o, row) || !is_missing(run, i))
            continue;
        if (a + b + strlen(row->suite) + strlen(row->name) + 2 >= REST_BY_NAME)
            return false;
        if (!str_eq(row->suite, suite))
            a += fmt_buf(suites + a, sizeof suites - a, "%s%s", a ? "," : "", row->suite);
        b += fmt_buf(names + b, sizeof names - b, "%s%s", b ? "," : "", row->name);
        suite = row->suite;
    }
    fmt(out, " suite=%s bench=%s", suites, names);
    return true;
}

/* The words that measure what is left. */
static void say_rest(const struct run *run, struct sink *out)
{
    const struct options *o = run->first->o;
    const char *suite = "";
    if (say_rest_by_name(run, out))
        return;
    for (size_t i = 0; i < run->n; i++) {
        const struct bench *b = run->rows[i];
        if (!registry_selects(o, b) || !is_missing(run, i) || str_eq(b->suite, suite))
            continue;
        fmt(out, "%s%s", *suite ? "," : " suite=", b->suite);
        suite = b->suite;
    }
    if (!str_eq(o->bench, "*"))
        fmt(out, " bench=%s", o->bench);
}

static void tell_stopped(const struct run *run, const struct shown *shown, bool under_way)
{
    const struct bench *b = run->rows[run->at];
    char message[OPTIONS_LIST_MAX * 2];
    struct sink_buf text;
    sink_buf_init(&text, message, sizeof message);
    fmt(&text.sink, "after %zu of %zu rows", run->passed, run->selected);
    if (run->plan->rounds > 1)
        fmt(&text.sink, " of round %u of %u", run->plan->round + 1, run->plan->rounds);
    fmt(&text.sink, ", as asked; %s/%s was %s.", b->suite, b->name,
        !under_way                 ? "next"
        : is_missing(run, run->at) ? "under way and is left out"
                                   : "under way");
    if (shown->fewer)
        fmt(&text.sink, " %zu rows are shown with the rounds that they have.", shown->fewer);
    if (shown->rows < run->selected) {
        fmt(&text.sink, " %zu rows were not measured. To measure %s:", run->selected - shown->rows,
            shown->rows ? "the rest" : "them");
        say_rest(run, &text.sink);
    }
    report_event(run->report, "stopped", message);
}

/* --- the rows, round after round -------------------------------------------------------------- */

/* A guess that is beyond the deadline even if it is twice too long: the row is likely to end so. */
static void warn_of_deadline(const struct run *run, const struct bench *b)
{
    const struct engine *e = run->first;
    const struct progress_sum *all = &run->progress.all;
    double ticks = progress_guess(e, b) * (all->guess > 0 ? all->taken / all->guess : 1);
    double seconds = engine_has_hz(e) ? ticks / e->tsc_hz : 0;
    char message[160];
    if (b->form == FORM_CORES || b->form == FORM_WATCH)
        return; /* it knows its own time */
    if (e->execution != EXEC_SILICON || seconds < 2.0 * e->o->deadline)
        return;
    fmt_buf(message, sizeof message,
            "%s/%s may take about %llu s, and is ended after deadline=%u: a larger one lets it run",
            b->suite, b->name, (unsigned long long)seconds, e->o->deadline);
    report_event(run->report, "warning", message);
}

/* One row with all that is told of it. False: it was stopped before it was done. */
static bool pass_row(struct run *run)
{
    const struct bench *b = run->rows[run->at];
    run->cores_done = 0;
    run->told = 0;
    if (run->plan->took[run->at] == 0)
        warn_of_deadline(run, b);
    run->row_began = tsc_now();
    show_progress(run, 0);
    run_row(run, run->at);
    if (run->plan->pace->stopped)
        return false;
    if (run->plan->took[run->at] == 0)
        progress_first(&run->progress, guess(run, b), taken(run));
    run->plan->took[run->at] = (uint64_t)taken(run) + 1;
    run->passed++;
    return true;
}

static bool is_due(const struct run *run, const struct bench *b)
{
    return registry_selects(run->first->o, b) &&
           (is_last_round(run) || plan_in_rounds(run->first->o, b));
}

/* False: a person stopped it; `under_way` tells whether a row was then. */
static bool run_round(struct run *run, bool *under_way)
{
    const char *suite = "";
    run->passed = 0;
    for (run->at = 0; run->at < run->n; run->at++) {
        const struct bench *b = run->rows[run->at];
        if (!is_due(run, b))
            continue;
        *under_way = false;
        if (!pace_look(run->plan->pace))
            return false;
        if (!str_eq(suite, b->suite))
            progress_suite(&run->progress);
        suite = b->suite;
        *under_way = true;
        if (!pass_row(run))
            return false;
    }
    return true;
}

/* False: a person stopped it. */
static bool run_rows(struct run *run)
{
    bool under_way;
    for (run->plan->round = 0; run->plan->round < run->plan->rounds; run->plan->round++)
        if (!run_round(run, &under_way)) {
            struct shown shown = show_stopped(run);
            tell_stopped(run, &shown, under_way);
            return false;
        }
    return true;
}

static void tell_one_round(const struct run *run)
{
    char message[160];
    if (!run->plan->one_for_memory)
        return;
    fmt_buf(message, sizeof message,
            "one round is made, not rounds=%u: between rounds the rows would take more than %u MiB "
            "of memory on so many cores",
            run->first->o->rounds, PLAN_STORE >> 20);
    report_event(run->report, "warning", message);
}

bool bench_run(const struct engine *boot, struct report *r)
{
    struct run run = begin(boot, r);

    run.plan->pace->show = show_part;
    run.plan->pace->ctx = &run;
    probe_other_cores(&run);
    cores_show(run.plan, r);
    tell_one_round(&run);
    bool stopped = !run_rows(&run);
    if (!stopped)
        tell_nothing_measured(&run);
    for (unsigned k = 0; k < run.plan->n; k++)
        own_show_end(&run.plan->seat[k].engine, r);
    compare_rows(r, run.first, run.first->figures);
    cores_compare(run.plan, r);
    tell_interruptions(&run, plan_interruptions(run.plan), NULL);
    plan_release(run.plan);
    return stopped;
}
