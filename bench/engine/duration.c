#include "bench/engine/duration.h"
#include "bench/engine/layout.h"
#include "bench/engine/method.h"
#include "bench/engine/place.h"
#include "bench/engine/stepped.h"
#include "lib/stats/mathx.h"

/*
 * The parts of a guess, in core cycles. The first rows correct any factor that all rows share; only
 * the ratios between rows matter.
 */
#define FRAME       150 /* an empty window: its recipe, entry and exit */
#define OPERATION   0.5 /* an operation that declares no instructions */
#define INSTRUCTION 0.5 /* added for each instruction that an operation declares */
#define COLD_LINE   20  /* to flush one line, and to fetch it again */
#define LINE        64
#define WARM_BLOCKS 4 /* the usual warm-up of a placement */
#define STREAM_WARM (2 * ENGINE_BLOCK)
#define KBEST_USUAL 64 /* windows after which it has usually converged */
/* Intervals of target= that a row of method=adaptive takes: the growing ones take two together,
 * then four of the body and four or five of the empty loop, which are shorter. */
#define ADAPTIVE_STRETCHES 7
/* For stepping: instructions per core cycle; windows' operations, the fewest and twice as many;
 * steps of the entries and exits of all windows. */
#define STEPPED_IPC    3
#define STEPPED_OPS    3
#define STEPPED_FRAMES 60

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Returns the core cycles of an operation. */
static double operation(const struct bench *b)
{
    return b->proof.least_instructions > 1 ? INSTRUCTION * b->proof.least_instructions + OPERATION
                                           : OPERATION;
}

/* Returns the core cycles of one window of each kind. */
static double all_kinds(const struct engine *e, const struct bench *b)
{
    double body = b->ops * operation(b), cycles = 2 * FRAME + body;
    bool cold = run_is_cold(&e->facts, b);

    if (bench_is_bare(b))
        return FRAME;
    cycles += 2 * FRAME + 3 * RULER_ADDS;
    if (bench_has_empty_loop(b))
        cycles += smaller(b->ops, body);
    if (!cold && !b->window.not_doubled && e->facts.o->method == METHOD_DOUBLED)
        cycles += FRAME + 2 * body;
    if (cold)
        cycles += 4.0 * COLD_LINE * (1 + b->needs.room_bytes / LINE);
    return cycles;
}

/* Returns the windows of each kind, warm-up included. */
static double windows(const struct engine *e, const struct bench *b)
{
    const struct options *o = e->facts.o;
    bool few = b->window.most_windows && b->window.most_windows < e->facts.samples;
    uint32_t samples = few ? b->window.most_windows : e->facts.samples;
    double parts = parts_count(o, samples, few ? 1 : e->facts.rounds);
    double warm = smaller(o->warmup, WARM_BLOCKS) * ENGINE_BLOCK;

    switch (o->method) {
    case METHOD_KBEST:
        return STREAM_WARM + smaller(o->most, KBEST_USUAL);
    case METHOD_ENSEMBLES:
        return STREAM_WARM + (double)e->facts.ensembles * e->facts.size;
    case METHOD_PLAIN:
        return STREAM_WARM + e->facts.samples;
    case METHOD_COUNT:
    case METHOD_DOUBLED:
    case METHOD_ADAPTIVE: /* counts no windows */
        break;
    }
    return (double)parts_windows(o, samples) + parts * warm;
}

/* Returns whether the row is not supported and takes no time. */
static bool is_refused(const struct engine *e, const struct bench *b)
{
    return engine_lacks(e, b) || (bench_is_bare(b) && cpu_lacks(e->p->cpu, b->window.recipe)) ||
           method_lacks(b, e->facts.o->method, run_is_cold(&e->facts, b));
}

double duration_windows(const struct engine *e, const struct bench *b)
{
    double ticks = run_has_ruler(&e->facts) ? e->facts.ticks_per_cycle : 1;

    if (is_refused(e, b))
        return 0;
    if (e->facts.o->method == METHOD_ADAPTIVE)
        return ADAPTIVE_STRETCHES * e->facts.o->target * 1e-6 * e->facts.tsc_hz;
    return windows(e, b) * all_kinds(e, b) * ticks;
}

/* Returns the core cycles of a window of this kind, without its frame. */
static double gathered_cycles(const struct engine *e, const struct gathered *g, enum window_kind k)
{
    double ticks = g && g->used[k] ? gathered_location(g, k) : UNKNOWN;
    double cycles = is_known(ticks) ? ticks / e->facts.ticks_per_cycle - FRAME : 0;

    return cycles > 0 ? cycles : 0;
}

double duration_steps(const struct engine *e, const struct bench *b, const struct gathered *g)
{
    double step = e->facts.stepping.ticks, body, empty = 0;

    if (e->facts.o->instructions == INSTRUCTIONS_OFF || e->facts.o->method != METHOD_DOUBLED ||
        !bench_has_body(b) || e->facts.stepping.why_not[0] || !run_has_ruler(&e->facts) ||
        is_refused(e, b))
        return 0;
    body = gathered_cycles(e, g, KIND_BODY);
    if (body == 0)
        body = b->ops * operation(b);
    if (bench_has_empty_loop(b))
        empty = smaller(g ? gathered_cycles(e, g, KIND_EMPTY) : body, body);
    double windows = STEPPED_OPS * (double)bench_step_grain(b) / b->ops;
    double steps = smaller(STEPPED_IPC * windows * (body + empty), 2.0 * STEPPED_HARD);
    return (steps + STEPPED_FRAMES) * step;
}
