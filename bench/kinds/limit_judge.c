#include "bench/kinds/limit_judge.h"
#include "lib/stats/known.h"

static enum limit_spoiled spoiled_by(const struct limit *l, enum execution execution)
{
    unsigned shared = 0;

    for (size_t i = 0; i < l->n; i++)
        shared += l->point[i].shared;
    if (execution == EXEC_EMULATED)
        return LIMIT_EMULATED;
    if (execution == EXEC_INSTRUCTIONS)
        return LIMIT_COUNTED;
    return 2 * shared > l->n ? LIMIT_SHARED : LIMIT_CLEAN;
}

static size_t find(const struct bench_limit *kind, const struct step_point *point, size_t n,
                   struct curve_step step[CURVE_STEPS_MOST])
{
    const struct curve_rule rule = {kind->within, kind->rise > 0 ? kind->rise : CURVE_STEPS_RISE};

    return kind->leaves > 0 ? curve_steps_leave(point, n, kind->leaves, step)
                            : curve_steps_find(point, n, &rule, step);
}

/* Finds the steps between counts with certain figures. If there are no such steps, but some with
 * uncertain figures, the curve is not judged. */
static void find_steps(struct limit *l)
{
    const struct bench_limit *kind = l->out.bench->limit;
    struct step_point point[CURVE_POINTS_MOST], every[CURVE_POINTS_MOST];
    struct curve_step uncertain[CURVE_STEPS_MOST];

    for (size_t i = 0; i < l->n; i++) {
        const struct limit_point *p = &l->point[i];
        double value = is_known(p->cycles) ? p->cycles : p->ticks;
        bool vague = p->shared || (is_known(p->cycles) && !is_known(p->lo)); /* few visits */
        point[i] = (struct step_point){p->count, vague ? UNKNOWN : value, p->lo, p->hi};
        every[i] = (struct step_point){p->count, value, UNKNOWN, UNKNOWN};
    }
    /* A predictor or a cache may do better with more; a window cannot be shorter. */
    if (kind->kind == LIMITS_WINDOW && curve_steps_fall(point, l->n, &l->falls_at)) {
        l->spoiled = LIMIT_FALLS;
        return;
    }
    l->steps = find(kind, point, l->n, l->step);
    if (l->steps == 0 && find(kind, every, l->n, uncertain))
        l->spoiled = LIMIT_UNCERTAIN;
}

void limit_judge(struct limit *l, enum execution execution)
{
    l->steps = 0;
    l->spoiled = spoiled_by(l, execution);
    if (l->spoiled == LIMIT_CLEAN)
        find_steps(l);
}
