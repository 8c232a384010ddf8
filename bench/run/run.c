#include "bench/run/run.h"
#include "bench/api/registry.h"
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/engine/ahead.h"
#include "bench/engine/cycle.h"
#include "bench/engine/probe_run.h"
#include "bench/api/tsc.h"
#include "bench/objects/objects.h"
#include "bench/run/run_state.h"
#include "bench/output/compare.h"
#include "bench/output/across.h"
#include "bench/output/head.h"
#include "bench/output/method_show.h"
#include "bench/output/show.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

static struct run begin(const struct engine *boot, struct report *r, struct shown *shown)
{
    struct run run = {.plan = plan_make(boot),
                      .report = r,
                      .summary = &shown->summary,
                      .grouped = &shown->grouped,
                      .suite = ""};

    run.first = &run.plan->core[0].engine;
    run.rows = registry(&run.n);
    for (size_t i = 0; i < run.n; i++)
        run.selected += registry_selects(boot->facts.o, run.rows[i]);
    r->counts_smis = boot->p->events.smis != NULL;
    return run;
}

/* --- the steps -------------------------------------------------------------------------------- */

/* Does Paoloni's first step: checks whether bare windows are suitable for measuring. */
static void look_at_bare_windows(const struct run *run)
{
    static struct bare_window window[RECIPE_COUNT];

    if (run->first->facts.o->method != METHOD_ENSEMBLES)
        return;
    bare_windows(run->first, window);
    method_bare(run->report, &run->first->facts, window);
}

/* Runs the small C program, for users who know its table. */
static void run_c_program(const struct run *run)
{
    static struct c_program c;
    struct engine *e = &run->plan->core[0].engine;

    if (e->facts.o->method != METHOD_PLAIN)
        return;
    c_program(e, &c);
    c_program_show(run->report, &e->facts, &c);
}

/* Measures each other core's step, ruler and linearity. */
static void probe_other_cores(const struct run *run)
{
    struct plan *plan = run->plan;
    char core[16];

    for (unsigned k = 0; k < plan->n; k++) {
        if (plan->list[k] == 0)
            continue;
        fmt_buf(core, sizeof core, "core %u", plan->list[k]);
        if (plan_probe(plan, k)) {
            const struct engine *e = &plan->core[k].engine;
            struct probe_check linearity = probe_judge(e, plan->probe);
            selftests_core(&e->facts, &linearity, plan->counter, run->report);
        } else {
            report_failed(run->report, "the probe", core);
        }
        run_tell_unlike(run, k);
        run_tell_gone(run, k, "its probe");
    }
}

/* --- the rows, round after round -------------------------------------------------------------- */

/* Measures this round's part of the current row, on each core in turn or on all at once, and shows
 * the result if there is one. */
static void run_row(struct run *run)
{
    const struct bench *b = run->rows[run->at];
    const struct kind *kind = kind_of(b);
    struct plan *plan = run->plan;
    unsigned turns = kind->conducted ? 1 : plan->n;

    if (!bench_has_windows(b))
        run_show_suite(run, b);
    for (unsigned k = 0; k < turns && !plan->poll->stopped; k++) {
        run->cores_done = k;
        const struct outcome *out = kind->begin ? kind->begin(plan, b, k) : NULL;
        if (out)
            run_show_plan(run, out, k);
        if (out || !kind->begin)
            out = kind->measure(plan, b, k);
        if (out)
            run_show(run, out, k);
        run_tell_gone(run, k, b->name);
    }
    for (unsigned k = 0; k < plan->all && kind->conducted; k++)
        run_tell_gone(run, k, b->name);
}

static bool is_due(const struct run *run, const struct bench *b)
{
    return registry_selects(run->first->facts.o, b) &&
           (run_is_last_round(run) || plan_in_rounds(run->first->facts.o, b));
}

/* Shows that a turn of the current row begins. suite: of the turn before; "": the first turn of the
 * round. */
static void begin_turn(struct run *run, const char *suite)
{
    const struct bench *b = run->rows[run->at];

    if (!str_eq(suite, b->suite)) {
        grouped_show(run->grouped, run->report); /* the previous suite: a row may fault */
        run_progress_suite(run);
    }
    run->cores_done = 0;
    run->showing = 0;
    if (run->plan->took[run->at] == 0)
        run_warn_of_deadline(run, b);
    run->row_began = tsc_now();
    run_progress_show(run, 0);
    run->plan->index = run->at;
}

/* Runs all rounds: in each, a turn of each row that is due. False: the user stopped the run. */
static bool run_rows(struct run *run)
{
    for (run->plan->round = 0; run->plan->round < run->plan->rounds; run->plan->round++) {
        const char *suite = "";
        run->passed = 0;
        progress_round(&run->progress);
        for (run->at = 0; run->at < run->n; run->at++) {
            if (!is_due(run, run->rows[run->at]))
                continue;
            if (!poll_now(run->plan->poll)) {
                run_stop(run, false);
                return false;
            }
            begin_turn(run, suite);
            suite = run->rows[run->at]->suite;
            run_row(run);
            if (run->plan->poll->stopped) {
                run_stop(run, true);
                return false;
            }
            run_progress_turn(run);
            run->passed++;
        }
    }
    return true;
}

/* Begins the report of the rows. */
static void begin_rows(struct run *run)
{
    objects_tell(run->report);
    run_progress_begin(run);
    probe_other_cores(run);
    cores_show(&run->plan->cores, run->report);
    summary_begin(run->summary, &run->first->facts);
    grouped_begin(run->grouped, &run->first->facts, run->selected);
    look_at_bare_windows(run);
    run_c_program(run);
    run_tell_one_round(run);
}

/* Writes what follows the rows: about all of them. */
static void end_rows(struct run *run, bool stopped)
{
    const struct run_facts *first = &run->first->facts;
    struct report *r = run->report;

    grouped_show(run->grouped, r);
    if (!stopped)
        run_tell_nothing_measured(run);
    for (unsigned k = 0; k < run->plan->n; k++)
        witness_show_end(&run->plan->core[k].engine.facts, r);
    for (unsigned k = 0; k < run->plan->n; k++)
        selftests_steps(&run->plan->core[k].engine.facts, r);
    compare_rows(r, first, run->first->figures, run->grouped);
    even_show(r, first, run->first->figures);
    growth_show(r, first, run->first->figures);
    exits_show(r, first, run->first->figures);
    cores_compare(&run->plan->cores, run->grouped, r);
    run_tell_interruptions(run, plan_interruptions(run->plan), NULL);
    summary_end(run->summary, first, r->smis);
    plan_release(run->plan);
}

/* Finds the execution, the timers and the core cycle, which every row needs. */
static bool open_engine(struct engine *e, const struct run_steps *steps, struct probe *probe,
                        struct sink *refused)
{
    probe_run(e, probe);
    if (steps->probed)
        steps->probed(steps->ctx, &e->facts);
    engine_timers(e);
    return engine_check(e, refused);
}

static void report_head(struct engine *e, const struct run_steps *steps, const struct probe *probe,
                        struct report *r)
{
    steps->head(steps->ctx, &e->facts, probe);
    struct probe_check linearity = probe_judge(e, probe);
    struct cycle_check counter = cycle_judge(e);
    selftests_core(&e->facts, &linearity, &counter, r);
    linearity_show(&e->facts, probe, r);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* summary NULL: no summary. */
static void finish(const struct run_end *end, struct report *r, const struct summary *summary,
                   bool stopped)
{
    if (end->first)
        end->first(end->ctx);
    if (summary)
        summary_show(summary, r);
    if (end->hint)
        end->hint(end->ctx);
    report_end(r, stopped);
}

void run_end_failed(const struct run_end *end, struct report *r, struct shown *shown,
                    const char *type, const char *why)
{
    grouped_show(&shown->grouped, r);
    report_event(r, type, why);
    report_failed(r, type, NULL);
    finish(end, r, NULL, false);
}

/* Returns the exit status of a run that measured. */
static enum status status_of(const struct report *r, bool stopped)
{
    if (r->faulted)
        return STATUS_FAULTED;
    if (r->failures)
        return STATUS_CHECK_FAILED;
    return stopped ? STATUS_STOPPED : STATUS_SUCCESS;
}

enum status bench_run(struct engine *e, const struct platform *p, const struct options *o,
                      const struct run_steps *steps, struct report *r, struct shown *shown,
                      struct sink *refused)
{
    static struct probe probe;

    if (!plan_check(p, o, refused))
        return STATUS_BAD_OPTIONS;
    engine_init(e, p, o);
    if (!open_engine(e, steps, &probe, refused))
        return STATUS_BAD_OPTIONS;
    report_head(e, steps, &probe, r);
    if (steps->rows)
        steps->rows(steps->ctx);
    struct run run = begin(e, r, shown);
    begin_rows(&run);
    bool stopped = !run_rows(&run);
    end_rows(&run, stopped);
    engine_release(e);
    steps->left(steps->ctx, &e->facts);
    finish(&steps->end, r, &shown->summary, stopped);
    return status_of(r, stopped);
}
