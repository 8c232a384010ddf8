#include "bench/kinds/curve_visit.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/flush.h"
#include "bench/kinds/jumps.h"
#include "bench/kinds/near.h"
#include "bench/kinds/stream.h"

_Static_assert(PAIRS_MOST <= CHASE_WALKS, "a chase has fewer walks than pairs are taken");

#define NEAR_STEPS 2048 /* operations of a walk at one offset */

/* The structure that is walked: one of these. */
struct load {
    const struct bench_curve *kind;
    struct chase chase;
    struct flush flush;
    struct jumps jumps;
    struct stream stream;
    struct near_place near;
};

static bool time_jumps(const struct jumps *j, struct pair_ticks *t)
{
    struct jumps_ticks taken;
    bool right = jumps_time(j, &taken);

    *t = (struct pair_ticks){taken.once, taken.twice, taken.jumps};
    return right;
}

/* A pair_walks of a load. */
static bool time_walks(void *ctx, unsigned i, struct pair_ticks *t)
{
    const struct load *l = ctx;

    if (bench_is_near(l->kind->load)) {
        t->once = near_time(&l->near, NEAR_STEPS);
        t->twice = near_time(&l->near, 2 * NEAR_STEPS);
        t->operations = NEAR_STEPS;
        return true;
    }
    if (bench_is_flush(l->kind->load)) {
        t->once = flush_time(&l->flush, FLUSH_LINES);
        t->twice = flush_time(&l->flush, 2 * FLUSH_LINES);
        t->operations = FLUSH_LINES;
        return true;
    }
    if (!bench_is_chase(l->kind->load)) {
        struct stream_ticks s = stream_time(&l->stream, i);
        *t = (struct pair_ticks){s.once, s.twice, s.lines};
        return true;
    }
    if (l->kind->load == BENCH_CODE)
        return time_jumps(&l->jumps, t);
    struct chase_walks w = chase_walks(&l->chase, i);
    struct chase_ticks taken;
    chase_warm(&l->chase); /* or the first walk alone would miss what others have evicted */
    bool right = chase_time(&l->chase, &w, &taken);
    *t = (struct pair_ticks){taken.once, taken.twice, w.steps};
    return right;
}

static void prepare_chase(const struct visit_set *set, struct chase *c, struct visit *v)
{
    chase_build(c, set->at, set->bytes, set->map, set->kind, set->seed);
    v->elements = chase_check(c);
    if (v->elements < c->n)
        v->wrong = "the chase did not visit every element once";
}

static void prepare_stream(const struct visit_set *set, struct stream *s, struct visit *v)
{
    stream_build(s, set->kind->load, set->at, set->bytes);
    v->elements = stream_check(s);
    if (v->elements < s->lines)
        v->wrong = "not every word was read, or has the value that was written";
}

static void prepare_near(const struct visit_set *set, struct near_place *p, struct visit *v)
{
    near_build(p, set->kind->load, set->at, (int32_t)set->bytes);
    v->elements = near_check(p);
    if (v->elements == 0)
        v->wrong = "a load or store at this offset did not leave what it should";
}

static void prepare_flush(const struct visit_set *set, struct flush *f, struct visit *v)
{
    flush_build(f, set->kind, (enum line_state)set->bytes, set->at, set->evict);
    v->elements = flush_check(f);
    if (v->elements < 2 * FLUSH_LINES)
        v->wrong = "a flushed line does not have what was written";
}

/* Writes the code and makes it executable. */
static void prepare_jumps(const struct platform *p, const struct visit_set *set, struct jumps *j,
                          struct visit *v)
{
    if (!p->areas.execute(p, set->area, false, &v->lacks))
        return;
    jumps_build(j, set->at, set->area->code + (set->at - set->area->at), set->bytes,
                set->area->page, set->seed);
    if (!p->areas.execute(p, set->area, true, &v->lacks))
        return;
    v->lacks = NULL;
    v->elements = jumps_check(j);
    if (v->elements < j->n)
        v->wrong = "the jumps did not visit every element once";
}

void visit_take(struct engine *e, const struct visit_set *set, unsigned pairs, struct visit *v)
{
    struct load l = {.kind = set->kind};

    *v = (struct visit){0};
    if (set->kind->load == BENCH_CODE)
        prepare_jumps(e->p, set, &l.jumps, v);
    else if (bench_is_chase(set->kind->load))
        prepare_chase(set, &l.chase, v);
    else if (bench_is_near(set->kind->load))
        prepare_near(set, &l.near, v);
    else if (bench_is_flush(set->kind->load))
        prepare_flush(set, &l.flush, v);
    else
        prepare_stream(set, &l.stream, v);
    if (!v->wrong && !v->lacks && !pairs_take(e, pairs, time_walks, &l, &v->exclusive, &v->all))
        v->wrong = "a timed walk did not end at the element where the order has its end";
}
