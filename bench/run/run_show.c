#include "bench/run/run_state.h"
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/kinds/crowd.h"
#include "bench/kinds/plan_rows.h"
#include "bench/kinds/curve_needs.h"
#include "bench/api/tsc.h"
#include "bench/output/across.h"
#include "bench/output/curve_bytes.h"
#include "bench/output/curve_show.h"
#include "bench/output/forward_show.h"
#include "bench/output/insn_show.h"
#include "bench/output/limit_show.h"
#include "bench/output/quiet_show.h"
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

void run_show_suite(struct run *run, const struct bench *b)
{
    enter_suite(run, b);
    if (run->headed)
        return;
    run->headed = true;
    switch (b->form) {
    case FORM_CORES:
        crowd_heading(run->report, &run->first->facts, b->suite);
        break;
    case FORM_WATCH:
        quiet_heading(run->report, b->suite);
        break;
    case FORM_CURVE:
        curve_heading(run->report, &run->first->facts, b->suite);
        break;
    case FORM_FORWARD:
        forward_heading(run->report, &run->first->facts, b->suite);
        break;
    case FORM_LIMIT:
        limit_heading(run->report, b->suite);
        break;
    case FORM_INSN:
        insn_heading(run->report, b->suite);
        break;
    case FORM_EMPTY:
    case FORM_LOOP:
    case FORM_STRAIGHT:
    case FORM_FUNCTION:
        show_heading(run->report, &run->first->facts, b->suite);
        break;
    }
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

/* Counts a result that is not a row of the report, but whose checks can fail. `from`: the TSC
 * before it was shown. */
static void count_shown(struct run *run, const struct outcome *out, bool shared, uint64_t from)
{
    bool measured = out->status != ROW_UNSUPPORTED;

    note_measured(run, out);
    run->report->curves += measured;
    run->essence->rows += measured;
    run->essence->spoils.shared += measured && shared;
    if (out->ended)
        run_tell_ended(run, out);
    else if (out->status == ROW_WRONG)
        fail(run, out);
    run->report->smis += out->smis;
    run_tell_interruptions(run, out->nmis, out->bench);
    run->told += tsc_now() - from;
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

uint64_t run_curve_bytes(const struct run *run)
{
    struct curve_bytes of = {.pairs = (unsigned)crowd_pairs(run->plan->all),
                             .cores = run->plan->n,
                             .sizes = needs_sizes(run->plan->p),
                             .kept = kept_bytes(run)};

    for (size_t i = 0; i < run->n; i++) {
        const struct bench *b = run->rows[i];
        if (!registry_selects(run->first->facts.o, b))
            continue;
        bool alone = b->curve.crowd == BENCH_ALONE;
        of.curves += b->form == FORM_CURVE && alone;
        of.together += b->form == FORM_CURVE && !alone;
        of.limits += b->form == FORM_LIMIT;
        of.maps += b->form == FORM_FORWARD;
        of.matrices += b->form == FORM_CORES;
    }
    return curve_bytes(&of);
}

void run_show_forms(struct run *run, const struct insn_table *t, unsigned k)
{
    static struct insn_records before;
    const struct run_facts *facts = &run->plan->core[k].engine.facts;

    if (k == 0)
        before.ran.n = before.left.n = 0; /* of another run */
    insn_show(facts, t, &before, run->report);
    for (unsigned i = t->links; i < t->rows; i++)
        run->report->forms += insn_was_run(&t->row[i]);
    run->essence->rows++;
    sheet_forms(&run->essence->sheet, facts, t, type_of(run, k));
    run->measured++;
}

/* Counts the events of a core that watched. */
static void count_watch(struct run *run, const struct watch *w)
{
    run->report->smis += w->out.smis;
    run_tell_interruptions(run, w->out.nmis, w->out.bench);
    if (!run->plan->pace->stopped)
        run_tell_ended(run, &w->out);
}

void run_show_quiet(struct run *run, const struct quiet *q)
{
    uint64_t from = tsc_now();
    bool ended = false;

    for (unsigned k = 0; k < q->cores->all; k++) {
        count_watch(run, &q->watch[k]);
        ended = ended || q->watch[k].out.ended;
    }
    if (q->out.status == ROW_WRONG && !ended)
        fail(run, &q->out);
    if (quiet_show(q, run->report) == QUIET_FAIL)
        report_failed(run->report, q->bench->suite, q->bench->name);
    note_measured(run, &q->out);
    run->told += tsc_now() - from;
}

void run_show_curve(struct run *run, const struct curve *c, unsigned k)
{
    uint64_t from = tsc_now();

    curve_show(&run->plan->core[k].engine.facts, c, run->report);
    sheet_curve(&run->essence->sheet, &run->plan->core[k].engine.facts, c, type_of(run, k));
    count_shown(run, &c->out, c->spoiled == CURVE_SHARED, from);
}

void run_show_forward(struct run *run, const struct forward_map *m, unsigned k)
{
    uint64_t from = tsc_now();

    forward_show(&run->plan->core[k].engine.facts, m, run->report);
    sheet_forward(&run->essence->sheet, &run->plan->core[k].engine.facts, m, type_of(run, k));
    count_shown(run, &m->out, m->shared, from);
}

void run_show_limit(struct run *run, const struct limit *l, unsigned k)
{
    uint64_t from = tsc_now();

    limit_show(&run->plan->core[k].engine.facts, l, run->report);
    sheet_limit(&run->essence->sheet, &run->plan->core[k].engine.facts, l, type_of(run, k));
    count_shown(run, &l->out, l->spoiled == LIMIT_SHARED, from);
}

void run_count(struct run *run, const struct row *row, const struct run_facts *facts)
{
    struct report *r = run->report;

    r->rows++;
    if (row->out.status == ROW_WRONG)
        fail(run, &row->out);
    r->smis += row->out.smis;
    r->unproven += row->work == WORK_NOT_JUDGED && row->out.status == ROW_OK;
    essence_row(run->essence, facts, row);
    note_measured(run, &row->out);
}

void run_show_row(struct run *run, unsigned k)
{
    const struct row *row = plan_row(run->plan, k);
    bool details = run->selected * run->plan->n <= DETAILS_UP_TO;

    if (!row)
        return;
    uint64_t from = tsc_now();
    const struct run_facts *facts = &run->plan->core[k].engine.facts;
    enter_suite(run, row->out.bench);
    bool full = !grouped_take(run->grouped, facts, row, show_has_trouble(run->report, facts, row));
    if (full)
        run_show_suite(run, row->out.bench);
    show_row(run->report, facts, row, !full ? SHOW_RECORD : details ? SHOW_DETAILS : SHOW_LINE);
    run_tell_interruptions(run, row->out.nmis, row->out.bench);
    run_tell_timers(run, k, row);
    run_tell_unlike_steps(run, row);
    run_count(run, row, facts);
    run->told += tsc_now() - from;
    progress_told(&run->progress, 1, (double)(tsc_now() - from));
}
