#include "bench/kinds/curve_point.h"
#include "bench/engine/points.h"

_Static_assert(POINT_VISITS <= VISITS_MOST && POINT_ROUNDS <= VISITS_ROUNDS_MOST, "visits fit");

struct curve_point point_of(const struct visits *v, uint64_t bytes, const struct engine *e)
{
    struct visits_figure f = points_figure(e, v, POINT_ROUNDS);

    return (struct curve_point){.bytes = bytes,
                                .visits = v->n,
                                .ticks = f.ticks,
                                .cycles = f.cycles,
                                .lo = f.lo,
                                .hi = f.hi,
                                .shared = f.shared};
}

/* Other loads, and strides, where prefetchers begin again, have a cost per lap, which smaller sizes
 * share between fewer operations. */
static bool may_fall(const struct bench_curve *kind)
{
    return !bench_is_chase(kind->load) || kind->stride;
}

void point_levels(struct curve *c)
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
    if (bench_by(&c->out.bench->curve) == BENCH_BY_SIZE)
        c->levels = levels_find(point, c->n, c->level);
    levels_match(c->level, c->levels, c->cache, c->caches);
    if (2 * shared > c->n)
        c->spoiled = CURVE_SHARED;
    else if (!may_fall(&c->out.bench->curve) && levels_fall(calm, c->n, &c->falls_at))
        c->spoiled = CURVE_FALLS;
}
