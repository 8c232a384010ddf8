#include "bench/engine/loop.h"
#include "bench/api/kind.h"
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "bench/engine/guard.h"
#include "bench/engine/plan.h"
#include "bench/engine/poll.h"

#define STEPS_LEAST 1e3  /* core cycles of a walk */
#define NARROW      0.02 /* an interval's longer side, as a part of the figure */
#define NO_INTERVAL 1e6  /* wider than any interval, with any number of visits */

bool loop_add(struct loop *w, int64_t x)
{
    size_t i = w->n;

    if (w->n == SERIES_POINTS)
        return false;
    for (w->n++; i > 0 && w->point[i - 1].x > x; i--)
        w->point[i] = w->point[i - 1];
    w->point[i] = (struct loop_point){.x = x, .first = UNKNOWN, .due = true};
    return true;
}

/* Removes the points that no first visit has reached. */
static void drop_unvisited(struct loop *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++)
        if (is_known(w->point[i].first))
            w->point[n++] = w->point[i];
    w->n = n;
}

/* Returns the number of rounds that the visits belong to. */
static unsigned rounds_of(const struct loop *w)
{
    return w->steps->keep_first + w->passes;
}

/* Returns the figure of a point's visits so far. */
static struct visits_figure figure_of(const struct loop *w, size_t i)
{
    return visits_figure(&w->point[i].visits, rounds_of(w), (double)w->e->step_cycles / STEPS_LEAST,
                         run_has_cycles(&w->e->facts));
}

/* --- a visit ---------------------------------------------------------------------------------- */

struct visiting {
    struct loop *w;
    int64_t x;
    struct loop_visit v;
};

static void visit_here(void *ctx)
{
    struct visiting *visiting = ctx;

    visiting->w->steps->visit(visiting->w, visiting->x, &visiting->v);
}

/* Visits a point. False: the row has ended, and says why, or the user stopped the run. */
static bool visit(struct loop *w, size_t i, struct loop_visit *v)
{
    struct visiting visiting = {.w = w, .x = w->point[i].x};

    w->seed++;
    if (!poll_go_on(w->e) || !guard_run(w->e, &w->series.out, visit_here, &visiting))
        return false;
    *v = visiting.v;
    outcome_fail(&w->series.out, ROW_WRONG, v->wrong);
    outcome_fail(&w->series.out, ROW_UNSUPPORTED, v->lacks);
    return !v->wrong && !v->lacks;
}

/* --- the first visits ------------------------------------------------------------------------- */

/* Takes the least of several first visits: what disturbs only adds to the time, and a disturbed
 * point would draw more points to it. */
static bool visit_first(struct loop *w, struct loop_point *p, size_t i)
{
    uint64_t from = tsc_now();
    bool again = is_known(p->first);
    struct loop_visit v;

    p->due = false;
    if (!visit(w, i, &v))
        return false;
    double value = is_known(v.all.cycles) ? v.all.cycles : v.all.ticks;
    if (!(p->first <= value))
        p->first = value;
    if (again)
        return true;
    p->cost = budget_since(&w->budget, from);
    if (w->steps->keep_first)
        visits_add(&p->visits, 0, &v.exclusive, &v.all);
    return true;
}

static bool is_late(const struct loop *w, size_t i)
{
    if (w->steps->is_late)
        return w->steps->is_late(w, i);
    return i >= LOOP_LEAST && budget_used(&w->budget) > w->steps->first_share;
}

/* Visits the points that are due. *late: the time for first visits is over. False: the row has
 * ended. */
static bool visit_due(struct loop *w, bool *late)
{
    for (size_t i = 0; i < w->n; i++) {
        if (!w->point[i].due)
            continue;
        *late = !loop_is_proof(w) && is_late(w, i);
        if (*late)
            return true;
        if (!visit_first(w, &w->point[i], i))
            return false;
        double used = budget_used(&w->budget), share = w->steps->first_share;
        poll_show(w->e, used < share ? used : share);
    }
    return true;
}

static bool make_first_visits(struct loop *w)
{
    bool late = false;

    if (!visit_due(w, &late))
        return false;
    if (late) {
        w->series.less_time = true;
        drop_unvisited(w);
    }
    while (!late && !loop_is_proof(w) && w->steps->refine && w->steps->refine(w))
        if (!visit_due(w, &late))
            return false;
    return true;
}

/* --- the passes ------------------------------------------------------------------------------- */

static double cost_of(const struct loop *w)
{
    double sum = 0;

    for (size_t i = 0; i < w->n; i++)
        sum += w->point[i].cost;
    return sum;
}

/* Plans passes that fit the rest of the time: fewer visits, then fewer passes, then fewer
 * points. */
static void plan_passes(struct loop *w)
{
    const struct loop_steps *s = w->steps;
    double left = budget_left(&w->budget);

    drop_unvisited(w);
    w->passes = w->per_pass = 1;
    if (loop_is_proof(w))
        return;
    for (; w->n > LOOP_LEAST && s->passes_least * cost_of(w) > left; w->n--)
        w->series.less_time = true;
    double passes = left / cost_of(w);
    w->passes = passes >= s->passes ? s->passes : s->passes_least;
    while (w->per_pass < s->per_pass && passes >= (w->per_pass + 1) * s->passes)
        w->per_pass++;
}

static unsigned times(const struct loop *w, unsigned k, size_t i)
{
    return w->steps->times ? w->steps->times(w, k, i) : w->per_pass;
}

/* Makes a pass: forward in even rounds, backward in odd ones. False: the row has ended. */
static bool pass(struct loop *w, unsigned k)
{
    unsigned round = w->steps->keep_first + k;
    double share = w->steps->first_share;
    struct loop_visit v;

    for (size_t i = 0; i < w->n; i++) {
        size_t at = round % 2 ? w->n - 1 - i : i;
        for (unsigned left = times(w, k, at); left > 0; left--) {
            if (!visit(w, at, &v))
                return false;
            visits_add(&w->point[at].visits, round, &v.exclusive, &v.all);
        }
        double done = (k + (double)(i + 1) / (double)w->n) / w->passes;
        poll_show(w->e, share + (1 - share) * done);
    }
    return true;
}

static bool make_passes(struct loop *w)
{
    for (unsigned k = 0; k < w->passes; k++) {
        if (k >= w->steps->passes_least && budget_left(&w->budget) < 0)
            w->passes = k;
        else if (!pass(w, k))
            return false;
    }
    return true;
}

/* --- the time that is left -------------------------------------------------------------------- */

/* Repeats a disturbed visit of each point most of whose pairs were shared. *any: a visit was
 * repeated. False: the row has ended. */
static bool repeat(struct loop *w, bool *any)
{
    *any = false;
    for (size_t i = 0; i < w->n; i++) {
        struct visits *visits = &w->point[i].visits;
        unsigned k = visits_disturbed(visits);
        struct loop_visit v;
        if (k == visits->n || !visits_are_shared(visits) ||
            w->point[i].cost > budget_left(&w->budget))
            continue;
        if (!visit(w, i, &v))
            return false;
        visits_repeat(visits, k, &v.exclusive, &v.all);
        *any = true;
    }
    return true;
}

/* Returns how wide a point's interval is, with its weight; 0: it cannot have another visit. Points
 * without an interval come first, those with fewer visits before others. */
static double need_of(const struct loop *w, size_t i)
{
    const struct visits *v = &w->point[i].visits;
    double weight = w->steps->weight ? w->steps->weight(w, i) : 1;

    if (v->n == VISITS_MOST || w->point[i].cost > budget_left(&w->budget))
        return 0;
    struct visits_figure f = figure_of(w, i);
    if (!is_known(f.lo))
        return weight * NO_INTERVAL / v->n;
    return weight * estimate_longer_of(f.cycles, f.lo, f.hi) / f.cycles;
}

/* Visits the point that needs it most, in the last round. *any: there was one. False: the row has
 * ended. */
static bool visit_widest(struct loop *w, bool *any)
{
    struct loop_visit v;
    double most = NARROW;
    size_t widest = w->n;

    for (size_t i = 0; i < w->n; i++) {
        double need = need_of(w, i);
        if (!(need > most))
            continue;
        most = need;
        widest = i;
    }
    if (widest == w->n)
        return true;
    *any = true;
    if (!visit(w, widest, &v))
        return false;
    visits_add(&w->point[widest].visits, rounds_of(w) - 1, &v.exclusive, &v.all);
    return true;
}

/* Returns what holds for every kind. */
static enum series_spoiled spoiled_by(const struct loop *w)
{
    unsigned shared = 0;

    for (size_t i = 0; i < w->series.n; i++)
        shared += w->series.point[i].shared;
    if (w->e->facts.execution == EXEC_EMULATED)
        return SERIES_EMULATED;
    return 2 * shared > w->series.n ? SERIES_SHARED : SERIES_CLEAN;
}

/* Makes the series of the visits so far. */
static void conclude(struct loop *w)
{
    struct series *s = &w->series;

    s->rounds = loop_is_proof(w) ? 1 : rounds_of(w);
    s->n = w->n;
    for (size_t i = 0; i < s->n; i++) {
        struct visits_figure f = figure_of(w, i);
        s->point[i] = (struct point){.x = w->point[i].x,
                                     .visits = w->point[i].visits.n,
                                     .ticks = f.ticks,
                                     .cycles = f.cycles,
                                     .lo = f.lo,
                                     .hi = f.hi,
                                     .shared = f.shared};
    }
    s->spoiled = spoiled_by(w);
    if (!w->steps->judge && s->spoiled == SERIES_CLEAN)
        s->spoiled = SERIES_NOT_JUDGED;
    if (w->steps->judge)
        w->steps->judge(s, w->e->facts.execution);
}

/* Draws the conclusions, and again after the time that is left was used: the weight of points may
 * depend on them. False: the row has ended. */
static bool spend_rest(struct loop *w)
{
    uint64_t visited;

    do {
        bool any = !loop_is_proof(w);
        visited = w->seed;
        conclude(w);
        while (any && budget_left(&w->budget) > 0)
            if (!repeat(w, &any) || !visit_widest(w, &any))
                return false;
    } while (w->seed != visited);
    return true;
}

/* --- the row ---------------------------------------------------------------------------------- */

/* Measures the points. False: the row has ended, and says why, or the user stopped the run. */
static bool measure_points(struct loop *w)
{
    if (!make_first_visits(w))
        return false;
    if (w->steps->plan)
        w->steps->plan(w);
    else
        plan_passes(w);
    return make_passes(w) && spend_rest(w);
}

static void measure_open(struct loop *w)
{
    w->steps->points(w);
    if (w->n == 0)
        outcome_fail(&w->series.out, ROW_UNSUPPORTED, "it has no points here");
    else if (!measure_points(w))
        w->series.n = w->series.levels = w->series.steps = 0;
}

static void measure_here(struct engine *e, void *memory)
{
    struct loop *w = memory;
    const struct bench *b = w->series.out.bench;
    const char *why = b->kind->steps->lacks(e->p, b);

    w->e = e;
    w->steps = b->kind->steps;
    w->budget = budget_begin(&e->facts, e->spare.row);
    w->seed = (uint64_t)e->facts.o->seed << 20;
    outcome_fail(&w->series.out, ROW_UNSUPPORTED, why);
    if (why || (w->steps->open && !w->steps->open(w)))
        return;
    measure_open(w);
    if (w->steps->close)
        w->steps->close(w);
}

const struct outcome *loop_measure(struct plan *plan, const struct bench *b, unsigned k)
{
    const struct one_core s = {measure_here, b->kind->steps->bytes};
    const struct loop *w = one_core_measure(plan, b, k, &s);

    return w ? &w->series.out : NULL;
}
