#include "bench/engine/loop.h"
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "bench/engine/guard.h"
#include "bench/engine/poll.h"

void visits_add(struct visits *v, unsigned round, const struct pairs_figure *exclusive,
                const struct pairs_figure *all)
{
    v->round[v->n] = (uint8_t)round;
    v->exclusive[v->n] = *exclusive;
    v->all[v->n++] = *all;
}

/* Returns the estimate over the visits, from their pairs without a neighbour or from all. */
static struct estimate estimate_of(const struct visits *v, unsigned rounds, bool shared_too,
                                   double finest)
{
    struct estimate_taken part[VISITS_MOST];
    double theta[VISITS_MOST], round[VISITS_ROUNDS_MOST], scratch[VISITS_MOST];

    for (unsigned i = 0; i < v->n; i++) {
        const struct pairs_figure *f = shared_too ? &v->all[i] : &v->exclusive[i];
        part[i] = (struct estimate_taken){i, v->round[i], f->pairs, f->cycles, f->se};
    }
    struct estimate_found found = {.theta = theta,
                                   .placements = v->n,
                                   .round = round,
                                   .rounds = rounds,
                                   .finest = finest,
                                   .rounds_differ = estimate_rounds_differ(part, v->n)};
    estimate_by_round(part, v->n, round, rounds);
    estimate_by_placement(part, v->n, theta, v->n);
    found.se = estimate_placement_se(part, v->n, &found.m);
    return estimate_over(&found, scratch);
}

static double ticks_of(const struct visits *v)
{
    double ticks[VISITS_MOST];
    size_t n = 0;

    for (unsigned i = 0; i < v->n; i++) {
        const struct pairs_figure *f = v->exclusive[i].pairs ? &v->exclusive[i] : &v->all[i];
        if (is_known(f->ticks))
            ticks[n++] = f->ticks;
    }
    return n ? median(ticks, n) : UNKNOWN;
}

bool visits_are_shared(const struct visits *v)
{
    unsigned exclusive = 0, all = 0;

    for (unsigned i = 0; i < v->n; i++) {
        exclusive += v->exclusive[i].pairs;
        all += v->all[i].pairs;
    }
    return 2 * exclusive < all;
}

unsigned visits_disturbed(const struct visits *v)
{
    unsigned i = 0;

    while (i < v->n && 2 * v->exclusive[i].pairs >= v->all[i].pairs)
        i++;
    return i;
}

void visits_repeat(struct visits *v, unsigned i, const struct pairs_figure *exclusive,
                   const struct pairs_figure *all)
{
    if (exclusive->pairs <= v->exclusive[i].pairs)
        return;
    v->exclusive[i] = *exclusive;
    v->all[i] = *all;
}

static void hold(struct visits_figure *f, const struct estimate *also)
{
    if (!(f->lo <= also->lo))
        f->lo = also->lo;
    if (!(f->hi >= also->hi))
        f->hi = also->hi;
}

struct visits_figure visits_figure(const struct visits *v, unsigned rounds, double finest,
                                   bool has_cycles)
{
    struct visits_figure f = {ticks_of(v), UNKNOWN, UNKNOWN, UNKNOWN, visits_are_shared(v)};

    if (!has_cycles)
        return f;
    struct estimate all = estimate_of(v, rounds, true, finest);
    struct estimate used = f.shared ? all : estimate_of(v, rounds, false, finest);
    f.cycles = used.theta;
    if (used.placements < VISITS_LEAST || !(used.lo > 0))
        return f;
    f.lo = used.lo;
    f.hi = used.hi;
    if (f.shared)
        hold(&f, &all);
    return f;
}

#define STEPS_LEAST 1e3  /* core cycles of a walk */
#define NARROW      0.02 /* an interval's longer side, as a part of the figure */
#define NO_INTERVAL 1e6  /* wider than any interval, with any number of visits */

void loop_begin(struct loop *w, struct engine *e, struct outcome *out,
                const struct loop_steps *steps, void *ctx)
{
    w->e = e;
    w->out = out;
    w->steps = steps;
    w->ctx = ctx;
    w->budget = budget_begin(&e->facts, e->spare.row);
    w->seed = (uint64_t)e->facts.o->seed << 20;
}

bool loop_add(struct loop *w, int64_t x)
{
    size_t i = w->n;

    if (w->n == LOOP_POINTS)
        return false;
    for (w->n++; i > 0 && w->point[i - 1].x > x; i--)
        w->point[i] = w->point[i - 1];
    w->point[i] = (struct loop_point){.x = x, .first = UNKNOWN, .due = true};
    return true;
}

void loop_drop_unvisited(struct loop *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++)
        if (is_known(w->point[i].first))
            w->point[n++] = w->point[i];
    w->n = n;
}

unsigned loop_rounds(const struct loop *w)
{
    return w->steps->keep_first + w->passes;
}

struct visits_figure loop_figure(const struct loop *w, size_t i)
{
    return visits_figure(&w->point[i].visits, loop_rounds(w),
                         (double)w->e->step_cycles / STEPS_LEAST, run_has_cycles(&w->e->facts));
}

/* --- a visit ---------------------------------------------------------------------------------- */

struct visiting {
    const struct loop *w;
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
    if (!poll_go_on(w->e) || !guard_run(w->e, w->out, visit_here, &visiting))
        return false;
    *v = visiting.v;
    outcome_fail(w->out, ROW_WRONG, v->wrong);
    outcome_fail(w->out, ROW_UNSUPPORTED, v->lacks);
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

/* Visits the points that are due. *late: the time for first visits is over. False: the row has
 * ended. */
static bool visit_due(struct loop *w, bool *late)
{
    for (size_t i = 0; i < w->n; i++) {
        if (!w->point[i].due)
            continue;
        *late = !loop_is_proof(w) && w->steps->is_late(w, i);
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
        w->less_time = true;
        loop_drop_unvisited(w);
    }
    while (!late && !loop_is_proof(w) && w->steps->refine(w))
        if (!visit_due(w, &late))
            return false;
    return true;
}

/* --- the passes ------------------------------------------------------------------------------- */

/* Makes a pass: forward in even rounds, backward in odd ones. False: the row has ended. */
static bool pass(struct loop *w, unsigned k)
{
    unsigned round = w->steps->keep_first + k;
    double share = w->steps->first_share;
    struct loop_visit v;

    for (size_t i = 0; i < w->n; i++) {
        size_t at = round % 2 ? w->n - 1 - i : i;
        for (unsigned times = w->steps->times(w, k, at); times > 0; times--) {
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

    if (v->n == VISITS_MOST || w->point[i].cost > budget_left(&w->budget))
        return 0;
    struct visits_figure f = loop_figure(w, i);
    if (!is_known(f.lo))
        return w->steps->weight(w, i) * NO_INTERVAL / v->n;
    return w->steps->weight(w, i) * estimate_longer_of(f.cycles, f.lo, f.hi) / f.cycles;
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
    visits_add(&w->point[widest].visits, loop_rounds(w) - 1, &v.exclusive, &v.all);
    return true;
}

/* Draws the conclusions, and again after the time that is left was used: the weight of points may
 * depend on them. False: the row has ended. */
static bool spend_rest(struct loop *w)
{
    uint64_t visited;

    do {
        bool any = !loop_is_proof(w);
        visited = w->seed;
        w->steps->conclude(w);
        while (any && budget_left(&w->budget) > 0)
            if (!repeat(w, &any) || !visit_widest(w, &any))
                return false;
    } while (w->seed != visited);
    return true;
}

bool loop_run(struct loop *w)
{
    if (!make_first_visits(w))
        return false;
    w->steps->plan(w);
    return make_passes(w) && spend_rest(w);
}
