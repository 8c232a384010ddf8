#include "bench/engine/method.h"
#include "bench/engine/ahead.h"
#include "bench/api/tsc.h"
#include "bench/engine/cycle.h"
#include "bench/engine/witness.h"
#include "bench/engine/poll.h"
#include "lib/stats/mathx.h"
#include "lib/text/mem.h"

#define STREAMS 4 /* the empty window, the rulers, the body */

static bool is_ruler(enum window_kind k)
{
    return k == KIND_RULER || k == KIND_RULER2;
}

bool stream_window(struct taking *t, enum window_kind k, uint64_t iterations,
                   struct window_result *w)
{
    const struct bench *b = t->row->out.bench;
    const struct placed_kind *placed = &t->p->kind[k];
    /* The rulers are not part of the author's method: dithered, to resolve less than a step. */
    uint64_t delay = is_ruler(k) ? dither(t->e, t->row->taken.windows) : 0;

    if (run_is_cold(&t->e->facts, b))
        place_cool(t->p);
    t->before = compensate_before(t->e);
    *w = placed->fn(t->p->object, placed->function, iterations, delay, WINDOW_STACK);
    t->row->taken.windows++;
    if (!is_ruler(k))
        t->changed |= w->changed;
    t->row->taken.errors_subtracted += place_failed_empty(placed, k, w);
    if (k != KIND_BODY)
        return true;
    t->operations += bench_takes_count(b) ? iterations : b->ops;
    return !bench_is_function(b) || w->failed == 0;
}

void stream_warm_wide(struct taking *t)
{
    struct window_result w;

    if (!wide_is_cold(&t->wide))
        return;
    wide_warm_begin(&t->wide);
    do
        t->row->taken.errors_outside +=
            !stream_window(t, KIND_BODY, t->p->kind[KIND_BODY].iterations, &w);
    while (wide_warm_goes_on(&t->wide));
}

/* Takes one window with the row's number of operations. */
static bool take_window(struct taking *t, struct stream *s, uint64_t *ticks)
{
    struct window_result w;
    bool good = stream_window(t, s->kind, t->p->kind[s->kind].iterations, &w);

    s->as_read = w.ticks;
    *ticks = compensate_window(t->e, t->before, w.ticks, &s->shortest, &s->side->interrupts);
    return good;
}

/* Returns the ticks above which a window is disturbed, judged from these. */
static double usual_end(const struct engine *e, uint64_t ticks[2 * ENGINE_BLOCK])
{
    stats_sort(ticks, ENGINE_BLOCK);
    struct statistics usual = stats_of(ticks, ENGINE_BLOCK, ticks + ENGINE_BLOCK);
    return stats_disturbed_above(&usual, e->facts.step);
}

static void note_calm(struct stream *s, uint64_t ticks)
{
    if ((double)ticks <= s->above)
        moments_add(&s->side->calm, (double)ticks);
    else
        s->longer++;
}

/* Keeps a sample until there are enough to find `above`. */
static void judge_early(const struct engine *e, struct stream *s, uint64_t ticks)
{
    uint64_t sorted[2 * ENGINE_BLOCK];

    s->early[s->n_early++] = ticks;
    if (s->n_early < ENGINE_BLOCK)
        return;
    memcpy(sorted, s->early, sizeof s->early);
    s->above = usual_end(e, sorted);
    s->judges_early = false;
    for (unsigned i = 0; i < ENGINE_BLOCK; i++)
        note_calm(s, s->early[i]);
}

static void feed(const struct engine *e, struct stream *s, uint64_t ticks)
{
    struct method_side *side = s->side;

    moments_add(&side->all, (double)ticks);
    if (s->judges_early)
        judge_early(e, s, ticks);
    else
        note_calm(s, ticks);
    side->least = ticks < side->least ? ticks : side->least;
    side->greatest = ticks > side->greatest ? ticks : side->greatest;
    side->least_as_read = s->as_read < side->least_as_read ? s->as_read : side->least_as_read;
    if (is_ruler(s->kind))
        return;
    if (e->facts.o->method == METHOD_KBEST)
        kbest_add(&side->kbest, ticks);
    else if (e->facts.o->method == METHOD_ENSEMBLES)
        ensemble_add(&s->ensemble, ticks);
}

static bool goes_through_kbest(const struct engine *e, const struct stream *s)
{
    return e->facts.o->method == METHOD_KBEST && !is_ruler(s->kind);
}

/* Returns whether a direction is complete. K-best takes at least K windows in each direction, even
 * if the first ones agree at once. */
static bool way_is_over(const struct engine *e, const struct stream *s, uint32_t windows)
{
    const struct kbest *k = &s->side->kbest;

    if (s->left == 0 || !goes_through_kbest(e, s))
        return s->left == 0;
    return k->taken == k->max || (k->converged && windows >= k->k);
}

/* Ends the streams that need no further round. Called after the way back. */
static void end_round(const struct engine *e, struct stream *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct kbest *k = &s[i].side->kbest;
        if (goes_through_kbest(e, &s[i]) && (k->converged || k->taken == k->max))
            s[i].left = 0;
    }
}

/* Records the counter's rate of a block. */
static void note_rate(struct taking *t, struct stream *s, const struct cycle_mark *from,
                      const struct cycle_mark *to)
{
    double rate = cycle_ratio(t->e, from, to);

    if (is_known(rate))
        moments_add(&s->side->rate, rate);
    else
        t->row->taken.unread += t->e->facts.cycle.counter.used != NULL;
}

void stream_block(struct taking *t, struct stream *s, uint64_t n)
{
    struct moments block = {0};
    uint64_t spoils = engine_spoils(t->e), ticks;
    uint32_t windows = 0;

    if (s->left == 0) {
        s->mean = UNKNOWN;
        return;
    }
    s->longer = 0;
    if (s->kind == KIND_BODY)
        stream_warm_wide(t);
    double before = witness_read_before(t->e);
    uint64_t began = tsc_now();
    struct cycle_mark from = cycle_begin(t->e);
    for (; n && !way_is_over(t->e, s, windows); n--, windows++) {
        s->left--;
        if (!take_window(t, s, &ticks)) {
            t->row->taken.errors++;
            continue;
        }
        moments_add(&block, (double)ticks);
        feed(t->e, s, ticks);
    }
    struct cycle_mark to = cycle_end(t->e);
    bool paused = wide_paused(&t->wide, began, block.n, s->side->least, s->kind == KIND_BODY);
    witness_note(t->e, before, witness_read(t->e), t->row);
    note_rate(t, s, &from, &to);
    if (s->kind == KIND_BODY)
        t->row->taken.disturbed += paused || engine_spoils(t->e) != spoils ? windows : s->longer;
    s->mean = block.n ? block.mean : UNKNOWN;
}

/* Returns whether a kind is warmed up by readings; rulers are not, as with every method. */
static bool warms_by_readings(const struct engine *e, enum window_kind k)
{
    return c_program_warms(e) && !is_ruler(k);
}

static uint64_t warm_windows(const struct engine *e, enum window_kind k)
{
    bool asked = e->facts.o->method == METHOD_PLAIN && !is_ruler(k);

    return (asked ? e->facts.o->warmup : 1) * (uint64_t)ENGINE_BLOCK;
}

void stream_open(struct taking *t, struct stream *s, enum window_kind k, struct method_side *side,
                 uint64_t left)
{
    const struct options *o = t->e->facts.o;
    uint64_t ticks[2 * ENGINE_BLOCK];

    *s = (struct stream){.kind = k, .side = side, .left = left, .shortest = UINT64_MAX};
    side->least = side->least_as_read = UINT64_MAX;
    ensemble_start(&s->ensemble, t->e->facts.size);
    kbest_start(&side->kbest, o->k, o->epsilon / (double)OPTION_ONE, o->most);
    if (warms_by_readings(t->e, k)) {
        c_program_readings(t->e);
        s->judges_early = true;
        return;
    }
    if (k == KIND_BODY)
        stream_warm_wide(t);
    for (uint64_t i = 0; i < warm_windows(t->e, k); i++) /* discarded */
        t->row->taken.errors_outside += !take_window(t, s, ticks);
    for (unsigned i = 0; i < ENGINE_BLOCK; i++)
        t->row->taken.errors_outside += !take_window(t, s, &ticks[i]);
    s->above = usual_end(t->e, ticks);
}

/* Returns the windows of a kind in one direction: a block, or half of all if below two blocks. */
static uint64_t windows_a_way(const struct engine *e, uint64_t left)
{
    uint64_t all = e->facts.o->method == METHOD_KBEST ? e->facts.o->most : left;

    return all < 2 * ENGINE_BLOCK ? (all + 1) / 2 : ENGINE_BLOCK;
}

/* Returns the most windows of a kind. K-best normally ends earlier, but it does not see failed
 * operations, so they need a limit. */
static uint64_t windows_at_most(const struct engine *e)
{
    const struct options *o = e->facts.o;

    if (o->method == METHOD_ENSEMBLES)
        return (uint64_t)e->facts.ensembles * e->facts.size;
    return o->method == METHOD_KBEST ? 2ull * o->most : e->facts.samples;
}

/* Opens every kind that the row has, in forward order. */
static unsigned open_all(struct taking *t, struct stream *s, uint64_t left)
{
    struct method_result *m = &t->row->method;

    const struct {
        enum window_kind kind;
        struct method_side *side;
    } all[STREAMS] = {{KIND_EMPTY, &m->empty},
                      {KIND_RULER, &m->ruler},
                      {KIND_RULER2, &m->ruler2},
                      {KIND_BODY, &m->body}};
    unsigned n = 0;
    for (unsigned i = 0; i < STREAMS; i++)
        if (t->p->kind[all[i].kind].fn)
            stream_open(t, &s[n++], all[i].kind, all[i].side, left);
    return n;
}

/* Adds the difference of one direction: the body is last, the empty window first. */
static void note_difference(struct taking *t, const struct stream *s, unsigned n)
{
    double difference = s[n - 1].mean - s[0].mean;

    if (n > 1 && is_known(difference))
        lag1_add(&t->row->method.difference, difference);
}

static bool all_have_enough(const struct stream *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (s[i].left)
            return false;
    return true;
}

void stream_take(struct taking *t)
{
    struct stream s[STREAMS];
    uint64_t left = windows_at_most(t->e);
    uint64_t block = windows_a_way(t->e, left);
    unsigned n = open_all(t, s, left);

    while (!all_have_enough(s, n) && poll_go_on(t->e)) {
        for (unsigned i = 0; i < n; i++)
            stream_block(t, &s[i], block);
        note_difference(t, s, n);
        for (unsigned i = n; i-- > 0;)
            stream_block(t, &s[i], block);
        note_difference(t, s, n);
        end_round(t->e, s, n);
    }
    for (unsigned i = 0; i < n && t->e->facts.o->method == METHOD_ENSEMBLES; i++)
        s[i].side->ensemble = ensemble_judge(&s[i].ensemble, t->e->facts.step);
}
