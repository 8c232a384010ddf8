#include "bench/measure/method.h"
#include "bench/measure/check.h"
#include "bench/measure/cycle.h"
#include "bench/measure/gate.h"
#include "lib/stats/known.h"
#include "lib/stats/clock.h"

/* n of the empty loop's stretches that its line is fitted through. */
#define OVERHEAD_STRETCHES 12
#define ADAPTIVE_TURNS     (1ull << 40)

static struct window_result run_window(const struct placed *p, enum kind k, uint64_t turns)
{
    const struct placed_kind *w = &p->kind[k];
    return w->fn(p->object, w->function, turns, 0, WINDOW_STACK);
}

/* Counts a window's operations; false where its operation failed. */
static bool account(const struct bench *b, enum kind k, uint64_t turns,
                    const struct window_result *r, uint64_t *operations)
{
    if (k == KIND_BODY)
        *operations += b->form == FORM_LOOP || b->form == FORM_FUNCTION ? turns : b->ops;
    return !(k == KIND_BODY && b->form == FORM_FUNCTION && (uint32_t)r->failed);
}

/* One window of a kind; false where its operation failed. */
static bool take(const struct engine *e, const struct bench *b, const struct placed *p, enum kind k,
                 uint64_t turns, uint64_t *ticks, uint64_t *operations)
{
    if (place_is_cold(e, b))
        place_cool(p);
    struct window_result r = run_window(p, k, turns);
    *ticks = r.ticks;
    return account(b, k, turns, &r, operations);
}

/* Windows of a side at the most. K-best ends by itself; operations that fail are not handed to it,
 * and must not go on for ever. */
static uint64_t windows_at_most(const struct engine *e)
{
    const struct options *o = e->o;
    if (o->method == METHOD_ENSEMBLES)
        return (uint64_t)o->ensembles * o->size;
    return o->method == METHOD_KBEST ? 2ull * o->most : e->samples;
}

/* Feeds one side's samples to its method until that has enough. */
static void run_side(struct engine *e, const struct bench *b, const struct placed *p, enum kind k,
                     struct method_side *side, struct row *row, uint64_t *operations)
{
    const struct options *o = e->o;
    struct ensemble ensemble;
    uint64_t ticks;
    bool enough = false;

    side->least = UINT64_MAX;
    ensemble_start(&ensemble, o->size);
    kbest_start(&side->kbest, o->k, o->epsilon / 1000.0, o->most);
    for (unsigned i = 0; i < ENGINE_BLOCK; i++) /* warm-up */
        take(e, b, p, k, b->ops, &ticks, operations);
    for (uint64_t left = windows_at_most(e); left && !enough; left--) {
        if (!take(e, b, p, k, b->ops, &ticks, operations)) {
            row->errors++;
            continue;
        }
        moments_add(&side->all, (double)ticks);
        side->least = ticks < side->least ? ticks : side->least;
        side->greatest = ticks > side->greatest ? ticks : side->greatest;
        if (o->method == METHOD_KBEST)
            enough = !kbest_add(&side->kbest, ticks);
        else if (o->method == METHOD_ENSEMBLES)
            ensemble_add(&ensemble, ticks);
    }
    if (o->method == METHOD_ENSEMBLES)
        side->ensemble = ensemble_judge(&ensemble, e->step);
}

/* What one side is worth, by its method. */
static double side_ticks(const struct method_result *m, const struct method_side *side)
{
    switch (m->method) {
    case METHOD_PLAIN:
        return side->all.mean;
    case METHOD_KBEST:
        return (double)side->kbest.smallest[0];
    case METHOD_ENSEMBLES:
        return (double)side->ensemble.least;
    case METHOD_COUNT:
    case METHOD_DOUBLED:  /* has no sides; */
    case METHOD_ADAPTIVE: /* nor has this: it has stretches */
        break;
    }
    return UNKNOWN;
}

/* Seconds between two readings of the clock; the window's ticks say how often it went round. */
static bool seconds_between(const struct timer *t, uint64_t from, uint64_t to, uint64_t ticks,
                            double *seconds)
{
    double steps, hz = (double)t->hz / t->hz_per;
    bool known = clock_steps(from, to, t->bits, (double)ticks / (double)t->tsc_hz * hz, &steps);
    *seconds = steps / hz;
    return known;
}

/* A stretch of so many turns in one window, timed by clock= from outside: between its readings the
 * body and what is subtracted from it must not differ by anything else. */
static struct adaptive_reading stretch(struct engine *e, const struct placed *p, enum kind k,
                                       uint64_t turns, struct row *row, uint64_t *operations)
{
    uint64_t from = 0, to = 0;
    struct cycle_mark before = cycle_mark(e);
    bool clock = timer_read(&e->clock, &from);
    struct window_result w = run_window(p, k, turns);
    clock = timer_read(&e->clock, &to) && clock;
    struct cycle_mark after = cycle_mark(e);
    if (!account(row->bench, k, turns, &w, operations))
        row->errors++;
    struct adaptive_reading r = {0};
    r.cycles_valid = cycle_stretch(e, &before, &after, w.ticks, &r.cycles);
    if (clock)
        r.seconds_valid = seconds_between(e->clock.used, from, to, w.ticks, &r.seconds);
    return r;
}

/* Stretches of the body, longer and longer, until one lasts long enough. */
static void stretch_body(struct engine *e, const struct placed *p, struct adaptive *a,
                         struct row *row, uint64_t *operations)
{
    const struct bench *b = row->bench;
    adaptive_start(a, e->o->target * 1e-6, bench_grain(b),
                   b->most_ops ? b->most_ops : ADAPTIVE_TURNS);
    do {
        struct adaptive_reading r = stretch(e, p, KIND_BODY, a->n, row, operations);
        row->method.state = adaptive_add(a, &r);
    } while (row->method.state == ADAPTIVE_MORE);
}

/* The line through what the empty loop takes, from n turns down; each a multiple of the grain. */
static void stretch_empty(struct engine *e, const struct placed *p, uint64_t n, struct row *row,
                          uint64_t *operations, struct adaptive_line *seconds,
                          struct adaptive_line *cycles)
{
    uint64_t grain = bench_grain(row->bench);
    for (unsigned i = 0; i < OVERHEAD_STRETCHES && n; i++, n = n / 2 / grain * grain) {
        struct adaptive_reading r = stretch(e, p, KIND_EMPTY, n, row, operations);
        if (r.seconds_valid)
            adaptive_line_add(seconds, n, r.seconds);
        if (r.cycles_valid)
            adaptive_line_add(cycles, n, r.cycles);
    }
}

static void run_adaptive(struct engine *e, const struct bench *b, const struct placed *p,
                         struct row *row, uint64_t *operations)
{
    struct method_result *m = &row->method;
    struct adaptive_line seconds = {0}, cycles = {0};
    struct adaptive a;
    uint64_t again = e->clock.again, failed = e->clock.failed;

    stretch_body(e, p, &a, row, operations);
    stretch_empty(e, p, a.n, row, operations, &seconds, &cycles);
    m->turns = a.n;
    m->adaptive = adaptive_result(&a, b->base_per_op > 0 ? b->base_per_op : 1, &seconds, &cycles);
    m->ticks = m->adaptive.seconds_valid ? m->adaptive.seconds * e->tsc_hz / (double)a.n : UNKNOWN;
    m->clock_again = e->clock.again - again;
    m->clock_failed = e->clock.failed - failed;
}

static void run_streams(struct engine *e, const struct bench *b, const struct placed *p,
                        struct row *row, uint64_t *operations)
{
    struct method_result *m = &row->method;
    run_side(e, b, p, KIND_EMPTY, &m->empty, row, operations);
    run_side(e, b, p, KIND_BODY, &m->body, row, operations);
    m->ticks = (side_ticks(m, &m->body) - side_ticks(m, &m->empty)) / b->ops;
    m->lattice = e->step / b->ops;
    if (m->body.all.n == 0)
        row_fail(row, ROW_WRONG, "every operation failed");
}

/* Why this method cannot have this row; NULL: it can. */
static const char *cannot(const struct bench *b, enum method method, bool cold)
{
    if (method != METHOD_ADAPTIVE)
        return NULL;
    if (cold)
        return "a stretch of many turns finds its data warm after the first";
    if (b->form == FORM_STRAIGHT || (b->form == FORM_FUNCTION && !b->empty_function) ||
        b->not_doubled)
        return "this row has no loop that could turn more often";
    return NULL;
}

void method_row(struct engine *e, const struct placed *p, struct row *row)
{
    const struct bench *b = row->bench;
    enum method method = e->o->method;
    uint64_t operations = 0;

    row->method.method = method;
    row_fail(row, ROW_UNSUPPORTED, cannot(b, method, place_is_cold(e, b)));
    if (row->why)
        return;
    place_object(b, p);
    if (!gate_pass(e, 0, row))
        return;
    e->p->row_begin(b->suite, b->name);
    if (method == METHOD_ADAPTIVE)
        run_adaptive(e, b, p, row, &operations);
    else
        run_streams(e, b, p, row, &operations);
    e->p->row_end();
    check_work(b, p->object, operations, row);
}
