#include "bench/run.h"
#include "bench/api/registry.h"
#include "bench/cores/plan_rows.h"
#include "bench/method/ahead.h"
#include "bench/sample/cycle.h"
#include "bench/measure/probe.h"
#include "bench/api/tsc.h"
#include "bench/objects/objects.h"
#include "bench/run_state.h"
#include "bench/show/compare.h"
#include "bench/across/across.h"
#include "bench/head/head.h"
#include "bench/show/method_show.h"
#include "bench/show/show.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

static struct run begin(const struct engine *boot, struct report *r, struct shown *shown)
{
    struct run run = {.plan = plan_make(boot),
                      .report = r,
                      .essence = &shown->essence,
                      .grouped = &shown->grouped,
                      .suite = ""};

    run.first = &run.plan->core[0].engine;
    run.rows = registry(&run.n);
    for (size_t i = 0; i < run.n; i++)
        run.selected += registry_selects(boot->facts.o, run.rows[i]);
    r->counts_smis = boot->p->smis != NULL;
    return run;
}

/* Guesses the ticks of one turn of a row, on all cores. */
static double guess(const struct run *run, const struct bench *b)
{
    double cores = run->plan->n;

    if (b->form == FORM_WATCH)
        cores = 1; /* all at once */
    else if (b->form == FORM_CORES || (b->form == FORM_CURVE && b->curve.crowd != BENCH_ALONE))
        cores = run->plan->all > 1; /* needs several cores */
    else if (run->plan->together && form_has_windows(b->form))
        cores++; /* each alone, then all at once */
    if (plan_in_rounds(run->first->facts.o, b))
        cores /= run->plan->rounds;
    return progress_guess(run->first, b) * cores;
}

/* Guesses the ticks of stepping a row, on all cores, after its last window. */
static double guess_steps(const struct run *run, size_t index)
{
    const struct gathered *g = plan_gathered(run->plan, index, 0);

    return progress_guess_steps(run->first, run->rows[index], g) * run->plan->n;
}

/* Returns the ticks of the current row so far, without showing. */
static double taken(const struct run *run)
{
    return (double)(tsc_now() - run->row_began - run->told);
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

/* Returns the number of turns of a row after the current one. */
static unsigned turns_left(const struct run *run, size_t index)
{
    unsigned later = run->plan->rounds - 1 - run->plan->round;
    bool in_rounds = plan_in_rounds(run->first->facts.o, run->rows[index]);

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
        if (!registry_selects(run->first->facts.o, b))
            continue;
        unsigned turns = turns_left(run, i);
        double known = (double)run->plan->took[i];
        rest.shown += turns > 0 || i == run->at;
        rest.steps += turns > 0 || i == run->at ? guess_steps(run, i) : 0;
        if (known > 0)
            *(i < run->at ? &rest.fresh : &rest.known) += turns * known;
        else
            *(str_eq(b->suite, suite) ? &rest.suite : &rest.other) += turns * guess(run, b);
    }
    rest.shown *= run->plan->n;
    return rest;
}

/* Writes "round 2 of 4, 12 of 58 rows, 40% of the next, about 14 s left, q or Esc stops". part: the
 * fraction of the current row that is done. */
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
    if (run_has_hz(&e->facts) && progress_is_known(&run->progress, &turn)) {
        struct progress_rest rest = rest_of(run);
        used +=
            fmt_buf(line + used, sizeof line - used, ", about %u s %sleft",
                    (unsigned)(progress_left(&run->progress, &rest, &turn) / e->facts.tsc_hz + 0.5),
                    e->facts.execution == EXEC_SILICON ? "" : "of virtual time ");
    }
    fmt_buf(line + used, sizeof line - used, ", %s stops", e->p->stop_keys);
    uint64_t from = tsc_now();
    report_progress(run->report, line);
    progress_line(&run->progress, sizeof line, (double)(tsc_now() - from));
}

/* Shows the progress within a row, between two parts, on the core that measures it. */
static void show_part(void *ctx, double part)
{
    struct run *run = ctx;
    enum form form = run->rows[run->at]->form;
    bool together = run->plan->together && (form_has_windows(form) || form == FORM_CORES);
    unsigned stages = form == FORM_WATCH ? 1 : run->plan->n + together;

    show_progress(run, (run->plan->stage + part) / stages);
    run->first->p->show(run->first->p);
}

/* --- the rows, round after round -------------------------------------------------------------- */

/* Records the time of the current row's turn, and separately that of its stepping. */
static void note_turn(struct run *run, double known)
{
    const struct bench *b = run->rows[run->at];
    double stepped = run_is_last_round(run) ? (double)plan_stepped(run->plan) : 0;
    double turn = taken(run) - stepped, guessed = guess_steps(run, run->at);

    if (known == 0)
        progress_first(&run->progress, guess(run, b), turn);
    else
        progress_again(&run->progress, known, turn);
    if (stepped > 0)
        progress_stepped(&run->progress, guessed, stepped);
    run->plan->took[run->at] = (uint64_t)(turn > 0 ? turn : 0) + 1;
}

/* Runs one turn of the current row. False: the run was stopped before it was done. */
static bool pass_row(struct run *run)
{
    const struct bench *b = run->rows[run->at];

    run->cores_done = 0;
    run->told = 0;
    if (run->plan->took[run->at] == 0)
        run_warn_of_deadline(run, b);
    run->row_began = tsc_now();
    show_progress(run, 0);
    run_row(run);
    if (run->plan->pace->stopped)
        return false;
    note_turn(run, (double)run->plan->took[run->at]);
    run->passed++;
    return true;
}

static bool is_due(const struct run *run, const struct bench *b)
{
    return registry_selects(run->first->facts.o, b) &&
           (run_is_last_round(run) || plan_in_rounds(run->first->facts.o, b));
}

/* Runs one round. False: the user stopped it; `under_way`: while a row was being measured. */
static bool run_round(struct run *run, bool *under_way)
{
    const char *suite = "";

    run->passed = 0;
    progress_round(&run->progress);
    for (run->at = 0; run->at < run->n; run->at++) {
        const struct bench *b = run->rows[run->at];
        if (!is_due(run, b))
            continue;
        *under_way = false;
        if (!pace_look(run->plan->pace))
            return false;
        if (!str_eq(suite, b->suite)) {
            grouped_show(run->grouped, run->report); /* the previous suite: a row may fault */
            progress_suite(&run->progress);
        }
        suite = b->suite;
        *under_way = true;
        if (!pass_row(run))
            return false;
    }
    return true;
}

/* Runs all rounds. False: the user stopped the run. */
static bool run_rows(struct run *run)
{
    bool under_way;

    for (run->plan->round = 0; run->plan->round < run->plan->rounds; run->plan->round++)
        if (!run_round(run, &under_way)) {
            run_stop(run, under_way);
            return false;
        }
    return true;
}

/* Measures all rows and writes their report. True: the user stopped it before the last row. */
static bool measure(const struct engine *boot, struct report *r, struct shown *shown)
{
    struct run run = begin(boot, r, shown);
    const struct run_facts *first = &run.first->facts;

    objects_tell(r);
    run.plan->pace->show = show_part;
    run.plan->pace->ctx = &run;
    probe_other_cores(&run);
    cores_show(&run.plan->cores, r);
    essence_begin(run.essence, first);
    grouped_begin(run.grouped, first, run.selected);
    look_at_bare_windows(&run);
    run_c_program(&run);
    run_tell_one_round(&run);
    bool stopped = !run_rows(&run);
    grouped_show(run.grouped, r);
    if (!stopped)
        run_tell_nothing_measured(&run);
    for (unsigned k = 0; k < run.plan->n; k++)
        witness_show_end(&run.plan->core[k].engine.facts, r);
    for (unsigned k = 0; k < run.plan->n; k++)
        selftests_steps(&run.plan->core[k].engine.facts, r);
    compare_rows(r, first, run.first->figures, run.grouped);
    even_show(r, first, run.first->figures);
    growth_show(r, first, run.first->figures);
    cores_compare(&run.plan->cores, run.grouped, r);
    run_tell_interruptions(&run, plan_interruptions(run.plan), NULL);
    essence_end(run.essence, first, r->smis);
    plan_release(run.plan);
    return stopped;
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

/* essence NULL: no essence. */
static void finish(const struct run_end *end, struct report *r, const struct essence *essence,
                   bool stopped)
{
    if (end->first)
        end->first(end->ctx);
    if (essence)
        essence_show(essence, r);
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
    bool stopped = measure(e, r, shown);
    engine_release(e);
    steps->left(steps->ctx, &e->facts);
    finish(&steps->end, r, &shown->essence, stopped);
    return status_of(r, stopped);
}
