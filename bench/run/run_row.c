#include "bench/run/run_state.h"
#include "bench/output/across.h"
#include "bench/output/insn_show.h"
#include "bench/kinds/crowd_run.h"
#include "bench/kinds/forms_kind.h"
#include "bench/kinds/plan_rows.h"
#include "bench/kinds/quiet.h"
#include "bench/kinds/limit_kind.h"
#include "bench/kinds/curve_kind.h"
#include "bench/kinds/forward_kind.h"
#include "bench/kinds/shared_curve.h"

/* Measures a row on the plan's k-th core and shows it. */
typedef void on_core(struct run *run, const struct bench *b, unsigned k);

static void windows_on(struct run *run, const struct bench *b, unsigned k)
{
    struct plan *plan = run->plan;

    if (!plan->together)
        plan_measure(plan, b, run->at, k);
    if (run_is_last_round(run) && !plan->pace->stopped)
        run_show_row(run, k);
}

static void curve_on(struct run *run, const struct bench *b, unsigned k)
{
    const struct curve *c = curve_measure(run->plan, b, k);

    if (c)
        run_show_curve(run, c, k);
}

static void forward_on(struct run *run, const struct bench *b, unsigned k)
{
    const struct forward_map *m = forward_measure(run->plan, b, k);

    if (m)
        run_show_forward(run, m, k);
}

static void limit_on(struct run *run, const struct bench *b, unsigned k)
{
    const struct limit *l = limit_measure(run->plan, b, k);

    if (l)
        run_show_limit(run, l, k);
}

/* Measures the table of forms. If the user stops it, shows the forms that are measured. */
static void forms_on(struct run *run, const struct bench *b, unsigned k)
{
    const struct insn_table *t = forms_plan(run->plan, b, k);

    if (t)
        insn_show_plan(&run->plan->core[k].engine.facts, t, run->plan->n, run_curve_bytes(run),
                       run->report);
    if (t && forms_measure(run->plan, k))
        run_show_forms(run, t, k);
}

static void on_each_core(struct run *run, const struct bench *b, on_core *measure)
{
    for (unsigned k = 0; k < run->plan->n && !run->plan->pace->stopped; k++) {
        run->cores_done = k;
        measure(run, b, k);
        run_tell_gone(run, k, b->name);
    }
}

/* Tells which cores are gone after all of them measured the row. */
static void after_all_cores(struct run *run, const struct bench *b)
{
    for (unsigned k = 0; k < run->plan->all; k++)
        run_tell_gone(run, k, b->name);
}

static void crowd(struct run *run, const struct bench *b)
{
    const struct meeting *c = crowd_run(run->plan, b);

    if (!run->plan->pace->stopped) {
        crowd_show(c, run->report);
        run_count(run, &c->row, &run->first->facts);
    }
    after_all_cores(run, b);
}

static void curve(struct run *run, const struct bench *b)
{
    if (b->curve.crowd == BENCH_ALONE) {
        on_each_core(run, b, curve_on);
        return;
    }
    const struct curve *c = together_measure(run->plan, b);
    if (c)
        run_show_curve(run, c, 0);
    after_all_cores(run, b);
}

/* Watches for gaps. A stopped watch is shown as far as it is. */
static void watch(struct run *run, const struct bench *b)
{
    run_show_quiet(run, quiet_watch(run->plan, b));
    after_all_cores(run, b);
}

void run_row(struct run *run)
{
    const struct bench *b = run->rows[run->at];

    if (!form_has_windows(b->form))
        run_show_suite(run, b);
    switch (b->form) {
    case FORM_CORES:
        crowd(run, b);
        break;
    case FORM_WATCH:
        watch(run, b);
        break;
    case FORM_CURVE:
        curve(run, b);
        break;
    case FORM_FORWARD:
        on_each_core(run, b, forward_on);
        break;
    case FORM_LIMIT:
        on_each_core(run, b, limit_on);
        break;
    case FORM_INSN:
        on_each_core(run, b, forms_on);
        break;
    case FORM_EMPTY:
    case FORM_LOOP:
    case FORM_STRAIGHT:
    case FORM_FUNCTION:
        if (run->plan->together)
            plan_measure_together(run->plan, b, run->at);
        on_each_core(run, b, windows_on);
        break;
    }
}
