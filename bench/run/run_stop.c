#include "bench/run/run_state.h"
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/kinds/kinds.h"
#include "bench/engine/plan_rows.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

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
