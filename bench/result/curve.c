#include "bench/result/curve.h"
#include "lib/stats/mathx.h"

/* Other loads, and strides, where prefetchers begin again, have a cost per lap, which smaller sizes
 * share between fewer operations. */
static bool may_fall(const struct bench_curve *kind)
{
    return !bench_is_chase(kind->load) || kind->stride;
}

void curve_judge(struct curve *c)
{
    struct level_point point[SIZES_MOST] = {{0}}, calm[SIZES_MOST];
    unsigned shared = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct curve_point *p = &c->point[i];
        bool cycles = is_known(p->cycles);
        point[i] = (struct level_point){p->bytes, cycles ? p->cycles : p->ticks, p->lo, p->hi};
        calm[i] = point[i];
        if (p->shared) /* it is marked; another size that is faster says nothing */
            calm[i].value = UNKNOWN;
        shared += p->shared;
    }
    c->spoiled = CURVE_CLEAN;
    c->levels = 0;
    if (bench_by(bench_curve(c->out.bench)) == BENCH_BY_SIZE)
        c->levels = levels_find(point, c->n, c->cache, c->caches, c->level);
    if (2 * shared > c->n)
        c->spoiled = CURVE_SHARED;
    else if (!may_fall(bench_curve(c->out.bench)) && levels_fall(calm, c->n, &c->falls_at))
        c->spoiled = CURVE_FALLS;
}
