#include "bench/engine/method.h"
#include "bench/engine/guard.h"
#include "bench/engine/cycle.h"
#include "bench/engine/barrier.h"
#include "lib/stats/mathx.h"
#include "bench/engine/row_figure.h"
#include "bench/engine/stepped.h"
#include "bench/api/registry.h"
#include "bench/api/tsc.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* --- from sides to one operation -------------------------------------------------------------- */

/* Returns the ticks of one side, by its method. */
static double side_ticks(enum method method, const struct method_side *side)
{
    switch (method) {
    case METHOD_PLAIN:
        return side->all.n ? side->all.mean : UNKNOWN;
    case METHOD_KBEST:
        return side->kbest.held ? (double)side->kbest.smallest[0] : UNKNOWN;
    case METHOD_ENSEMBLES:
        return side->ensemble.ensembles ? (double)side->ensemble.least : UNKNOWN;
    case METHOD_COUNT:
    case METHOD_DOUBLED:  /* has no sides */
    case METHOD_ADAPTIVE: /* has intervals in place of sides */
        break;
    }
    return UNKNOWN;
}

/* Returns the spread of the values that the method considers equal. */
static double side_spread(enum method method, const struct method_side *side)
{
    if (method == METHOD_ENSEMBLES)
        return (double)side->ensemble.range_of_minima;
    return (double)(side->kbest.smallest[side->kbest.held - 1] - side->kbest.smallest[0]);
}

/* Returns the error of a window, in ticks, with what the recipe hides: the body is not doubled. */
static double streams_error(const struct engine *e, const struct method_result *m, double step)
{
    double hidden = e->hides * e->facts.ticks_per_cycle;

    if (m->method == METHOD_PLAIN)
        return estimate_half(estimate_stream(&m->difference).se, m->difference.all.n) + hidden;
    return side_spread(m->method, &m->body) + side_spread(m->method, &m->empty) + step + hidden;
}

/* One operation: in ticks, and in core cycles by the counter. */
struct operation {
    double ticks, by_counter;
};

static struct operation of_streams(const struct engine *e, struct row *row)
{
    struct method_result *m = &row->method;
    double body = side_ticks(m->method, &m->body), empty = side_ticks(m->method, &m->empty);
    double ops = row->out.bench->ops,
           step = e->facts.execution == EXEC_INSTRUCTIONS ? 0 : e->facts.step;
    double rate = m->body.rate.n ? m->body.rate.mean : UNKNOWN;
    double rate_empty = m->empty.rate.n ? m->empty.rate.mean : UNKNOWN;

    m->ticks = (body - empty) / ops;
    m->error = is_known(m->ticks) ? streams_error(e, m, step) / ops : UNKNOWN;
    m->step = e->facts.step / ops;
    return (struct operation){m->ticks, (body * rate - empty * rate_empty) / ops};
}

/* Uses the clock's seconds. If instructions are counted, the figure is those within the window. */
static struct operation of_stretches(const struct engine *e, struct row *row)
{
    struct method_result *m = &row->method;
    double n = (double)m->operations;
    double by_counter = m->by_counter.valid ? m->by_counter.value / n : UNKNOWN;

    if (!m->seconds.valid)
        return (struct operation){m->ticks = m->error = UNKNOWN, UNKNOWN};
    if (e->facts.execution == EXEC_INSTRUCTIONS) {
        m->ticks = m->in_ticks.value / n;
        m->error = m->in_ticks.error / n;
    } else {
        m->ticks = m->seconds.value * e->facts.tsc_hz / n;
        m->error = m->seconds.error * e->facts.tsc_hz / n;
    }
    return (struct operation){m->in_ticks.value / n, by_counter};
}

/* --- the figure that all rows have ------------------------------------------------------------ */

/* The row's ruler: ticks per core cycle, and the relative error, 99%. */
struct cycle_length {
    double ticks, error;
};

/* Returns the row's ruler; UNKNOWN: it did not grow. */
static struct cycle_length ruler_of(const struct method_result *m)
{
    const struct moments *once = &m->ruler.calm, *twice = &m->ruler2.calm;
    double grown = twice->mean - once->mean;

    if (once->n < 2 || twice->n < 2 || !(grown > 0))
        return (struct cycle_length){UNKNOWN, UNKNOWN};
    double variance =
        moments_variance(once) / (double)once->n + moments_variance(twice) / (double)twice->n;
    double half = estimate_half(mathx_sqrt(variance), once->n < twice->n ? once->n : twice->n);
    return (struct cycle_length){grown / RULER_ADDS, half / grown};
}

/* Returns the figure `theta` core cycles, +- half; `scale` is the relative error of the scale. */
static struct figure figure_of(const struct method_result *m, double theta, double half,
                               double scale)
{
    /* The factor 2 is for the difference of two boots. */
    double both = mathx_sqrt(2 * (half * half + scale * theta * scale * theta));
    struct estimate cycles = {.placements = 1,
                              .theta = theta,
                              .mean = theta,
                              .s = UNKNOWN,
                              .between = UNKNOWN,
                              .lo = theta - both,
                              .hi = theta + both,
                              .by = ESTIMATE_METHOD,
                              .confidence = UNKNOWN};

    return (struct figure){
        .known = is_known(theta), .ticks = m->ticks, .cycles = cycles, .se = UNKNOWN};
}

static void fill_row_figure(const struct engine *e, const struct operation *o, struct row *row)
{
    const struct method_result *m = &row->method;
    struct cycle_length cycle = ruler_of(m);
    double rate = m->body.rate.n ? m->body.rate.mean : o->by_counter / o->ticks;
    struct figure ruler = figure_of(m, o->ticks / cycle.ticks, m->error / cycle.ticks, cycle.error);
    struct figure counter = figure_of(m, o->by_counter, m->error * rate, 0);
    bool counts = e->facts.cycle.by == CYCLES_COUNTER && e->facts.execution != EXEC_INSTRUCTIONS;
    const struct figure *used = counts ? &counter : &ruler;

    row->cycles_per_tick = e->facts.cycle.counter.used && is_known(rate) ? rate
                           : is_known(cycle.ticks)                       ? 1 / cycle.ticks
                                                                         : 0;
    row->figure = (struct row_figure){.known = is_known(m->ticks),
                                      .ticks = m->ticks,
                                      .ruler = ruler,
                                      .counter = counter,
                                      .cycles = used->cycles,
                                      .se = used->se};
}

/* Returns why the difference is not significant; NULL: it is. A count of 0 instructions is exact.
 */
static const char *doubt(const struct engine *e, const struct method_result *m)
{
    double size = m->ticks < 0 ? -m->ticks : m->ticks;

    if (!is_known(m->ticks) || (e->facts.execution == EXEC_INSTRUCTIONS && m->ticks == 0))
        return NULL;
    if (size <= m->error)
        return "the difference is within its error of zero";
    return m->ticks < 0 ? "the difference is negative: the body took less than the empty body"
                        : NULL;
}

/* Returns why the figure has no interval; NULL: it has one, or there is no figure. */
static const char *lacks_interval(const struct engine *e, const struct estimate *cycles)
{
    if (!is_known(cycles->theta) || is_known(cycles->lo))
        return NULL;
    if (!is_known(e->hides))
        return "it is not known how much of a body the recipe hides: the windows of the linearity "
               "test were disturbed, or the core was shared";
    return "too few windows are undisturbed";
}

/* --- a row ------------------------------------------------------------------------------------ */

const char *method_lacks(const struct bench *b, enum method method, bool cold)
{
    if (b->window.most_windows && method != METHOD_DOUBLED)
        return "its windows take so long that only method=doubled, which has few, measures it";
    if (method != METHOD_ADAPTIVE)
        return NULL;
    if (cold)
        return "in a stretch of many iterations only the first finds its data cold";
    if (!bench_has_empty_loop(b) || b->window.not_doubled)
        return "this row has no loop that could run more iterations";
    return NULL;
}

/* Returns whether a's name is b's name plus this ending. */
static bool is_named(const struct bench *a, const struct bench *b, const char *ending)
{
    const char *rest = a->name, *name = b->name;

    for (; *name && *name == *rest; name++)
        rest++;
    return str_eq(a->suite, b->suite) && !*name && str_eq(rest, ending);
}

/* Returns the row that has the same operation in a loop, by its name; NULL: no such row. */
static const struct bench *looped(const struct bench *b, enum method method)
{
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (!method_lacks(rows[i], method, false) &&
            (is_named(rows[i], b, "_loop") || is_named(b, rows[i], "_straight")))
            return rows[i];
    return NULL;
}

static void fail_if_lacking(const struct engine *e, struct row *row)
{
    const struct bench *b = row->out.bench, *instead = NULL;
    bool cold = run_is_cold(&e->facts, b);
    const char *lacks = method_lacks(b, row->method.method, cold);

    if (lacks && !cold)
        instead = looped(b, row->method.method);
    if (instead) {
        fmt_buf(row->out.said, sizeof row->out.said, "%s; %s/%s has one", lacks, b->suite,
                instead->name);
        lacks = row->out.said;
    }
    outcome_fail(&row->out, ROW_UNSUPPORTED, lacks);
}

/* The guarded part: everything that calls the row's body. */
static void take_by_method(void *ctx)
{
    struct taking *t = ctx;

    wide_begin(&t->wide, t->e, t->row->out.bench, t->p);
    t->row->taken.wide = t->wide.used;
    if (t->e->facts.o->method == METHOD_ADAPTIVE)
        adaptive_take(t);
    else
        stream_take(t);
}

static struct operation operation_of(const struct taking *t)
{
    if (t->e->facts.o->method == METHOD_ADAPTIVE)
        return of_stretches(t->e, t->row);
    if (t->p->kind[KIND_EMPTY].fn)
        return of_streams(t->e, t->row);
    t->row->method.ticks = t->row->method.error = UNKNOWN; /* the bare window: see its side */
    return (struct operation){UNKNOWN, UNKNOWN};
}

/* False: the call did not return, or the other cores are gone. */
static bool take_and_check(struct taking *t)
{
    struct row *row = t->row;

    if (!guard_setup(t->e, row, t->p) || !gate_pass(t->e, 0, &row->out))
        return false;
    uint64_t began = tsc_now();
    bool back = guard_run(t->e, &row->out, take_by_method, t);
    row->taken.sampling_ticks = tsc_now() - began;
    if (!back || !check_kept(t->changed, row))
        return false;
    t->operations += stepped_left(t->e, row, 0);
    return !row->out.why && guard_check(t->e, row, t->p, t->operations);
}

void method_row(struct engine *e, const struct placed *p, struct row *row)
{
    const struct bench *b = row->out.bench;
    struct method_result *m = &row->method;
    struct taking t = {.e = e, .p = p, .row = row};

    m->method = e->facts.o->method;
    fail_if_lacking(e, row);
    if (row->out.why)
        return;
    engine_row_begin(e, b, 0);
    bool done = take_and_check(&t);
    if (done)
        stepped_row(e, row, 0);
    e->p->row.end(e->p);
    engine_keep(e, row->out.kept);
    if (!done)
        return;
    struct operation o = operation_of(&t);
    fill_row_figure(e, &o, row);
    m->no_interval = lacks_interval(e, &row->figure.cycles);
    m->doubt = doubt(e, m);
    check_errors(
        b, m->method == METHOD_ADAPTIVE ? row->taken.windows - row->taken.errors : m->body.all.n,
        row);
    check_instructions(e, row);
    check_pace(e, row);
    check_figure(e, b, row);
}
