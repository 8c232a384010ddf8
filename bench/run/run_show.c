#include "bench/run/run_state.h"
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/kinds/team.h"
#include "bench/kinds/curve_visit.h"
#include "bench/kinds/kinds.h"
#include "bench/api/tsc.h"
#include "bench/output/across.h"
#include "bench/output/kinds_show.h"
#include "bench/output/per_op.h"
#include "bench/output/show.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/str.h"

#define DETAILS_UP_TO 8 /* most rows of a run that shows all statistics of each */
#define KEPT_BYTES    512
#define KEPT_DIGITS   8 /* of numbers that are not 0 */

/* Begins a suite in the table. A stopped run shows rows of several suites at once. */
static void enter_suite(struct run *run, const struct bench *b)
{
    if (str_eq(run->suite, b->suite))
        return;
    grouped_show(run->grouped, run->report);
    run->suite = b->suite;
    run->headed = false;
}

/* Counts the failure of a row; with several cores its name is "name @core". */
static void fail(struct run *run, const struct outcome *out)
{
    char name[40];

    fmt_buf(name, sizeof name, "%s @%u", out->bench->name, out->core);
    report_failed(run->report, out->bench->suite, run->plan->n > 1 ? name : out->bench->name);
}

/* Notes whether the row was measured; if not, why, for a run without any figure. */
static void note_measured(struct run *run, const struct outcome *out)
{
    if (out->status != ROW_UNSUPPORTED)
        run->measured++;
    else if (!run->not_measured[0])
        fmt_buf(run->not_measured, sizeof run->not_measured, "%s/%s: %s", out->bench->suite,
                out->bench->name, out->why);
}

/* Counts a result that is not a row of the report, but whose checks can fail. */
static void count_shown(struct run *run, const struct outcome *out, bool shared)
{
    bool measured = out->status != ROW_UNSUPPORTED;

    note_measured(run, out);
    run->report->curves += measured;
    run->summary->rows += measured;
    run->summary->spoils.shared += measured && shared;
    if (out->ended)
        run_tell_ended(run, out);
    else if (out->status == ROW_WRONG)
        fail(run, out);
    run->report->smis += out->smis;
    run_tell_interruptions(run, out->nmis, out->bench);
}

static void count_row(struct run *run, const struct row *row, const struct run_facts *facts)
{
    struct report *r = run->report;

    r->rows++;
    if (row->out.status == ROW_WRONG)
        fail(run, &row->out);
    r->smis += row->out.smis;
    r->unproven += row->work == WORK_NOT_JUDGED && row->out.status == ROW_OK;
    summary_row(run->summary, facts, row);
    note_measured(run, &row->out);
}

/* Returns the type of the plan's k-th core; NULL: the CPU has one. */
static const char *type_of(const struct run *run, unsigned k)
{
    const struct platform_cores *cores = run->plan->p->cores;

    return cores ? cores->facts[run->plan->list[k]].type : NULL;
}

/* Returns the bytes that the platform adds to each record, about. */
static unsigned kept_bytes(const struct run *run)
{
    static const uint64_t nothing[PLATFORM_KEPT];
    char text[KEPT_BYTES];
    struct sink_buf b;
    struct json j;

    if (!run->plan->p->kept.record)
        return 0;
    sink_buf_init(&b, text, sizeof text);
    json_line_begin(&j, &b.sink);
    run->plan->p->kept.record(nothing, &j);
    return (unsigned)b.used + KEPT_DIGITS;
}

static const struct run_facts *facts_of(const struct run *run, unsigned k)
{
    return &run->plan->core[k].engine.facts;
}

/* Returns about how many bytes the records of the selected curves and maps take, on all cores. */
static uint64_t bytes_of_all(const struct run *run);

/* --- forms of instructions -------------------------------------------------------------------- */

static const struct insn_table *table_of(const struct outcome *out)
{
    return (const struct insn_table *)(const void *)out;
}

static void show_plan(struct run *run, const struct outcome *out, unsigned k)
{
    insn_show_plan(facts_of(run, k), table_of(out), run->plan->n, bytes_of_all(run), run->report);
}

static void show_forms(struct run *run, const struct outcome *out, unsigned k)
{
    static struct insn_records before;
    const struct insn_table *t = table_of(out);

    if (k == 0)
        before.ran.n = before.left.n = 0; /* of another run */
    insn_show(facts_of(run, k), t, &before, run->report);
    for (unsigned i = t->links; i < t->rows; i++)
        run->report->forms += insn_was_run(&t->row[i]);
    run->summary->rows++;
    sheet_forms(&run->summary->sheet, facts_of(run, k), t, type_of(run, k));
    run->measured++;
}

/* --- several cores ---------------------------------------------------------------------------- */

/* Counts the events of a core that watched. */
static void count_watch(struct run *run, const struct watch *w)
{
    run->report->smis += w->out.smis;
    run_tell_interruptions(run, w->out.nmis, w->out.bench);
    if (!run->plan->poll->stopped)
        run_tell_ended(run, &w->out);
}

/* Shows the watches of all cores. The run has failed if a core was aborted or did not answer, and
 * if gaps_max= is exceeded. */
static void show_watch(struct run *run, const struct outcome *out, unsigned k)
{
    const struct quiet *q = (const struct quiet *)(const void *)out;
    bool ended = false;

    (void)k;
    for (unsigned i = 0; i < q->cores->all; i++) {
        count_watch(run, &q->watch[i]);
        ended = ended || q->watch[i].out.ended;
    }
    if (out->status == ROW_WRONG && !ended)
        fail(run, out);
    if (quiet_show(q, run->report) == QUIET_FAIL)
        report_failed(run->report, q->out.bench->suite, q->out.bench->name);
    note_measured(run, out);
}

static void show_team(struct run *run, const struct outcome *out, unsigned k)
{
    const struct team_result *met = (const struct team_result *)(const void *)out;

    team_show(met, run->report);
    count_row(run, &met->row, facts_of(run, k));
}

/* --- curves and maps: not rows of the report, but their checks can fail ----------------------- */

static void show_series(struct run *run, const struct outcome *out, unsigned k)
{
    const struct series *s = (const struct series *)(const void *)out;

    series_show(facts_of(run, k), s, run->report);
    sheet_series(&run->summary->sheet, facts_of(run, k), s, type_of(run, k));
    count_shown(run, out, s->spoiled == SERIES_SHARED);
}

static void show_forward(struct run *run, const struct outcome *out, unsigned k)
{
    const struct forward_map *m = (const struct forward_map *)(const void *)out;

    forward_show(facts_of(run, k), m, run->report);
    sheet_forward(&run->summary->sheet, facts_of(run, k), m, type_of(run, k));
    count_shown(run, out, m->shared);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void show_windows(struct run *run, const struct outcome *out, unsigned k)
{
    const struct row *row = (const struct row *)(const void *)out;
    bool details = run->selected * run->plan->n <= DETAILS_UP_TO;
    uint64_t from = tsc_now();
    const struct run_facts *facts = facts_of(run, k);

    enter_suite(run, out->bench);
    bool full = !grouped_take(run->grouped, facts, row, show_has_trouble(run->report, facts, row));
    if (full)
        run_show_suite(run, out->bench);
    show_row(run->report, facts, row, !full ? SHOW_RECORD : details ? SHOW_DETAILS : SHOW_LINE);
    run_tell_interruptions(run, out->nmis, out->bench);
    run_tell_timers(run, k, row);
    run_tell_unlike_steps(run, row);
    count_row(run, row, facts);
    progress_shown(&run->progress, 1, (double)(tsc_now() - from));
}

/* --- by kind ---------------------------------------------------------------------------------- */

/* How the results of a kind are shown. A kind of points that is not listed has that of a series. */
static const struct view {
    const struct kind *kind;
    void (*heading)(struct report *r, const struct run_facts *run, const char *suite);
    void (*show)(struct run *run, const struct outcome *out, unsigned k);
    void (*plan)(struct run *run, const struct outcome *out, unsigned k); /* of kind->begin() */
    enum record_size size;                                                /* of a row's records */
} views[] = {
    {&kind_shared_curve, NULL, show_series, NULL, SIZE_SHARED},
    {&kind_forward, NULL, show_forward, NULL, SIZE_MAP},
    {&kind_limit, NULL, show_series, NULL, SIZE_LIMIT},
    {&kind_forms, NULL, show_forms, show_plan, SIZE_NOTHING},
    {&kind_team, team_heading, show_team, NULL, SIZE_MATRIX},
    {&kind_watch, quiet_heading, show_watch, NULL, SIZE_NOTHING},
    {&kind_windows, show_heading, show_windows, NULL, SIZE_NOTHING},
};

static void say_not_shown(struct run *run, const struct outcome *out, unsigned k)
{
    (void)k;
    report_eventf(run->report, "warning", "%s/%s: its kind is not in views[] of run_show.c",
                  out->bench->suite, out->bench->name);
    fail(run, out);
}

static const struct view *view_of(const struct bench *b)
{
    static const struct view series = {NULL, NULL, show_series, NULL, SIZE_CURVE},
                             not_listed = {NULL, NULL, say_not_shown, say_not_shown, SIZE_NOTHING};

    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (views[i].kind == kind_of(b))
            return &views[i];
    return kind_of(b)->steps ? &series : &not_listed;
}

static void show_heading_of(struct report *r, const struct run_facts *run, const struct bench *b)
{
    const char *text = kind_of(b)->heading ? kind_of(b)->heading : "";

    if (view_of(b)->heading) {
        view_of(b)->heading(r, run, b->suite);
        return;
    }
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n%-24s %s%s\r\n", b->suite, text[0] == ' ' ? units_per_op(run) : "", text);
}

static uint64_t bytes_of_all(const struct run *run)
{
    struct curve_bytes of = {.pairs = (unsigned)team_pairs_most(run->plan->all),
                             .cores = run->plan->n,
                             .sizes = needs_sizes(run->plan->p),
                             .kept = kept_bytes(run)};

    for (size_t i = 0; i < run->n; i++)
        of.rows[view_of(run->rows[i])->size] += registry_selects(run->first->facts.o, run->rows[i]);
    return curve_bytes(&of);
}

void run_show_suite(struct run *run, const struct bench *b)
{
    enter_suite(run, b);
    if (run->headed)
        return;
    run->headed = true;
    show_heading_of(run->report, &run->first->facts, b);
}

void run_show_plan(struct run *run, const struct outcome *out, unsigned k)
{
    view_of(out->bench)->plan(run, out, k);
}

void run_show(struct run *run, const struct outcome *out, unsigned k)
{
    uint64_t from = tsc_now();

    view_of(out->bench)->show(run, out, k);
    run->showing += tsc_now() - from;
}
