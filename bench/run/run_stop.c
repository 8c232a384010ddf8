#include "bench/run/run_state.h"
#include "bench/engine/duration.h"
#include "bench/api/report.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "bench/api/registry.h"
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

void run_tell_gone(const struct run *run, unsigned k, const char *during)
{
    struct plan_core *pc = &run->plan->core[k];

    if (!pc->gone || pc->reported)
        return;
    pc->reported = true;
    report_eventf(run->report, "fault",
                  "core %u was lost during %s and is left out from here on: %s",
                  pc->engine.facts.core, during, pc->gone);
    run->report->faulted = true;
}

void run_tell_unlike(const struct run *run, unsigned k)
{
    struct plan_core *pc = &run->plan->core[k];
    char name[32];

    if (!pc->unlike[0])
        return;
    fmt_buf(name, sizeof name, "%s_core%u", pc->unlike_in, pc->engine.facts.core);
    report_selftest(run->report, name, SELFTEST_FAIL, pc->unlike);
    pc->reported = true;
}

void run_tell_interruptions(const struct run *run, uint64_t nmis, const struct bench *b)
{
    if (nmis == 0)
        return;
    run->summary->spoils.nmis += nmis;
    report_eventf(run->report, "nmi", "%llu NMIs or machine checks came %s%s%s%s",
                  (unsigned long long)nmis, b ? "with " : "after the last row", b ? b->suite : "",
                  b ? "/" : "", b ? b->name : "");
}

static void tell_timer(const struct run *run, const struct row *row, const char *timer,
                       uint64_t times, const char *what)
{
    if (times == 0)
        return;
    report_eventf(run->report, "warning", "%s/%s on core %u: %s failed while the row ran: %llu %s",
                  row->out.bench->suite, row->out.bench->name, row->out.core, timer,
                  (unsigned long long)times, what);
}

void run_tell_unlike_steps(const struct run *run, const struct row *row)
{
    if (!is_known(row->stepped.by_counter) || !row->stepped.unlike[0])
        return;
    report_eventf(
        run->report, "warning",
        "%s/%s on core %u: the counter of retired instructions disagrees with the steps: %s",
        row->out.bench->suite, row->out.bench->name, row->out.core, row->stepped.unlike);
}

void run_tell_timers(const struct run *run, unsigned k, const struct row *row)
{
    const struct engine *e = &run->plan->core[k].engine;

    if (e->facts.clock.used)
        tell_timer(run, row, e->facts.clock.used->name, row->method.clock_failed,
                   "readings of this clock were given up");
    if (e->facts.cycle.counter.used && row_counter_failed(row))
        tell_timer(run, row, e->facts.cycle.counter.used->name, row->taken.unread,
                   "blocks have no reading of this counter");
}

void run_tell_one_round(const struct run *run)
{
    if (!run->plan->one_for_memory)
        return;
    report_eventf(
        run->report, "warning",
        "one round is made, not rounds=%u: between rounds the rows would take more than %u MiB "
        "of memory on this many cores",
        run->first->facts.o->rounds, PLAN_STORE >> 20);
}

/* Warns from twice the deadline on: the guess may be too long by a factor of 2. */
void run_warn_of_deadline(const struct run *run, const struct bench *b)
{
    const struct engine *e = run->first;
    const struct progress_sum *all = &run->progress.all;
    double ticks = duration_windows(e, b) * (all->guess > 0 ? all->taken / all->guess : 1);
    double seconds = run_has_hz(&e->facts) ? ticks / e->facts.tsc_hz : 0;

    if (!bench_has_windows(b))
        return; /* it limits its own time */
    if (e->facts.execution != EXEC_SILICON || seconds < 2.0 * e->facts.o->deadline)
        return;
    report_eventf(
        run->report, "warning",
        "%s/%s may take about %llu s and will be ended after deadline=%u; use a larger deadline=",
        b->suite, b->name, (unsigned long long)seconds, e->facts.o->deadline);
}

void run_tell_ended(const struct run *run, const struct outcome *out)
{
    if (!out->ended)
        return;
    report_eventf(run->report, "fault", "%s/%s on core %u: %s", out->bench->suite, out->bench->name,
                  out->core, out->why);
    report_failed(run->report, out->bench->suite, out->bench->name);
}

/* A run without figures must fail, so that a script does not take it for a success. */
void run_tell_nothing_measured(const struct run *run)
{
    if (run->measured || !run->not_measured[0])
        return;
    report_eventf(run->report, "warning", "no row could be measured, so the run has failed. %s",
                  run->not_measured);
    report_failed(run->report, "nothing was measured", NULL);
}

#define REST_BY_NAME 120 /* columns: the longest list of rows that a user would type */

/* Rows of a stopped run that the report has. */
struct shown {
    size_t rows, fewer; /* `fewer`: those without all rounds */
};

/* Shows a row that the current round has not reached, with the rounds that it has. */
static bool show_so_far(struct run *run, size_t index)
{
    struct plan *plan = run->plan;
    bool any = false, begun = index == run->at && run_is_last_round(run);

    for (unsigned k = begun ? run->cores_done : 0; k < plan->n; k++) {
        plan_end(plan, index, k);
        const struct row *row = plan_row(plan, k);
        any = any || row;
        if (row)
            run_show(run, &row->out, k);
    }
    return any;
}

/* Returns whether the report has nothing of a row. */
static bool is_missing(const struct run *run, size_t index)
{
    bool has = run_is_last_round(run) && index < run->at;

    if (!has && run->plan->rounds > 1 && plan_in_rounds(run->first->facts.o, run->rows[index]))
        for (unsigned k = 0; k < run->plan->n; k++)
            has = has || plan_gathered(run->plan, index, k);
    return !has;
}

static struct shown show_stopped(struct run *run)
{
    struct shown shown = {0};

    for (size_t i = 0; i < run->n; i++) {
        if (!registry_selects(run->first->facts.o, run->rows[i]) || is_missing(run, i))
            continue;
        shown.rows++;
        if (!run_is_last_round(run) || i >= run->at)
            shown.fewer += show_so_far(run, i);
    }
    return shown;
}

/* Writes the suites that have remaining rows, and these rows by name. False: too long to type. */
static bool say_rest_by_name(const struct run *run, struct sink *out)
{
    char suites[REST_BY_NAME], names[REST_BY_NAME];
    size_t a = 0, b = 0;
    const char *suite = "";

    for (size_t i = 0; i < run->n; i++) {
        const struct bench *row = run->rows[i];
        if (!registry_selects(run->first->facts.o, row) || !is_missing(run, i))
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

/* Writes the options that measure the remaining rows. */
static void say_rest(const struct run *run, struct sink *out)
{
    const struct options *o = run->first->facts.o;
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
    char message[OPTIONS_LIST_MAX * 2], *where = run->summary->stopped;
    struct sink_buf text;

    sink_buf_init(&text, where, sizeof run->summary->stopped);
    fmt(&text.sink, "after %zu of %zu rows", run->passed, run->selected);
    if (run->plan->rounds > 1)
        fmt(&text.sink, " of round %u of %u", run->plan->round + 1, run->plan->rounds);
    sink_buf_init(&text, message, sizeof message);
    fmt(&text.sink, "%s, as asked; %s/%s was ", where, b->suite, b->name);
    if (under_way && kind_of(b)->so_far)
        fmt(&text.sink, "under way; %s are in the report.", kind_of(b)->so_far);
    else
        fmt(&text.sink, "%s.",
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

void run_stop(struct run *run, bool under_way)
{
    struct shown shown = show_stopped(run);

    tell_stopped(run, &shown, under_way);
}
