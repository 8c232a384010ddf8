#include "bench/kinds/shared_curve_part.h"
#include "bench/api/tsc.h"
#include "bench/kinds/team.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/stream.h"

#define LOADED_LINES 256 /* of a stream between two pauses: 16 KiB */

static struct team_core *core_of(const struct gathering *g, unsigned place)
{
    return &g->team->core[place];
}

/* Fills and checks the set of the core at this place, which streams. */
static void prepare(const struct gathering *g, unsigned place, struct team_core *cc,
                    struct stream *s)
{
    stream_build(s, g->kind->load, g->set_at[place], g->set);
    cc->operations = stream_check(s);
    if (cc->operations < s->lines)
        atomic_store(&cc->word, 1);
}

static void stream_round(const struct gathering *g, const struct stream *s, uint64_t *line,
                         struct team_core *cc, unsigned round)
{
    uint64_t began = tsc_now(), lines = 0, ticks;

    do {
        stream_part(s, line, TOGETHER_LINES);
        lines += TOGETHER_LINES;
        ticks = tsc_now() - began;
    } while (ticks < g->duration);
    cc->round_operations[round] = lines;
    cc->round_ticks[round] = ticks;
}

void together_stream(struct gathering *g, unsigned place)
{
    struct team_core *cc = core_of(g, place);
    uint64_t line = 0;
    struct stream s;

    prepare(g, place, cc, &s);
    for (unsigned round = 0; round < g->rounds; round++) {
        if (!team_pass(g->team, place))
            return;
        stream_round(g, &s, &line, cc, round);
    }
    cc->complete = true;
}

/* --- latency under load ----------------------------------------------------------------------- */

/* Pauses of the others after LOADED_LINES lines, in quarters of what these take without a pause. */
static const unsigned pause[TOGETHER_STEPS - 1] = {0, 1, 4, 12, 28, 60};

static void wait_until(uint64_t tsc)
{
    while ((int64_t)(tsc_now() - tsc) < 0)
        __builtin_ia32_pause();
}

/* Passes over the rates go from the highest to none, and back. */
static unsigned step_of(unsigned iteration)
{
    unsigned step = iteration % TOGETHER_STEPS;

    return iteration / TOGETHER_STEPS % 2 ? TOGETHER_STEPS - 1 - step : step;
}

/* Streams until the chasing core has ended this iteration; bounded, if that core is gone. */
static void load_iteration(const struct gathering *g, const struct stream *s, uint64_t *line,
                           unsigned iteration, struct team_core *cc, uint64_t wait)
{
    unsigned step = step_of(iteration);
    uint64_t began = tsc_now(), lines = 0;

    while (atomic_load_explicit(&g->team->hot, memory_order_acquire) <= iteration &&
           tsc_now() - began <= g->team->patience) {
        if (step == TOGETHER_STEPS - 1) {
            __builtin_ia32_pause();
            continue;
        }
        stream_part(s, line, LOADED_LINES);
        lines += LOADED_LINES;
        wait_until(tsc_now() + wait);
    }
    cc->round_operations[step] += lines;
    cc->round_ticks[step] += tsc_now() - began;
}

static void load(struct gathering *g, unsigned place)
{
    struct team_core *cc = core_of(g, place);
    uint64_t line = 0, quarter = 0;
    struct stream s;

    prepare(g, place, cc, &s);
    for (unsigned iteration = 0; iteration < g->pairs * TOGETHER_STEPS; iteration++) {
        unsigned step = step_of(iteration);
        uint64_t wait = step < TOGETHER_STEPS - 1 ? pause[step] * quarter : 0;
        if (!team_pass(g->team, place))
            return;
        load_iteration(g, &s, &line, iteration, cc, wait);
        if (iteration == 0 && cc->round_operations[0])
            quarter = cc->round_ticks[0] * LOADED_LINES / cc->round_operations[0] / 4;
    }
    cc->complete = true;
}

/* Walks two pairs from *from on, so that no line is walked twice. The first pair, while the load
 * begins, is not used. False: a walk ended at a wrong element. */
static bool chase_iteration(struct gathering *g, const struct chase *c, uint64_t *from,
                            unsigned iteration)
{
    uint64_t steps = chase_walks(c, 0).steps;
    struct chase_ticks t;
    bool right = true;

    for (unsigned i = 0; i < 2; i++) {
        struct chase_walks w = {(uint32_t)(*from % c->n), steps};
        right = right && chase_time(c, &w, &t);
        *from += 3 * steps;
    }
    g->latency[step_of(iteration)][iteration / TOGETHER_STEPS] =
        ((double)t.twice - (double)t.once) / (double)steps;
    return right;
}

static void chase(struct gathering *g, unsigned place)
{
    static const struct bench_curve kind = {.load = BENCH_CHASE};
    struct team_core *cc = core_of(g, place);
    uint64_t from = 0;
    struct chase c;

    chase_build(&c, g->chased, g->chased_bytes, g->map, &kind, g->seed);
    cc->operations = chase_check(&c);
    bool right = cc->operations == c.n;
    for (unsigned iteration = 0; iteration < g->pairs * TOGETHER_STEPS; iteration++) {
        if (!team_pass(g->team, place))
            return;
        right = right && chase_iteration(g, &c, &from, iteration);
        atomic_store_explicit(&g->team->hot, iteration + 1, memory_order_release);
    }
    if (!right)
        atomic_store(&cc->word, 1);
    cc->complete = true;
}

void together_loaded(struct gathering *g, unsigned place)
{
    if (place == 0)
        chase(g, place);
    else
        load(g, place);
}

/* --- lines that another core holds ------------------------------------------------------------ */

/* The first core flushes what the other one has touched. Returns the ticks; *met is false if the
 * other core was missing. */
static uint64_t flush_held(struct gathering *g, unsigned place, const struct flush *f,
                           uint64_t lines, bool *met)
{
    uint64_t ticks = 0;

    if (place == 0)
        flush_away(f, lines);
    if (!*met || !(*met = team_pass(g->team, place)))
        return 0;
    if (place == 1)
        flush_touch(f, lines, true);
    if (!(*met = team_pass(g->team, place)))
        return 0;
    if (place == 0)
        ticks = f->walk(f->lines, lines / FLUSH_UNROLL);
    return ticks;
}

/* After the last flush: what the other core wrote must be there. */
static void check_held(const struct flush *f, struct team_core *cc)
{
    uint64_t lines = 2ull * FLUSH_LINES,
             right = flush_right(f, lines, line_state_is_dirty(f->state));

    cc->operations += right;
    if (right < lines)
        atomic_store(&cc->word, 1);
}

void together_held(struct gathering *g, unsigned place)
{
    struct team_core *cc = core_of(g, place);
    bool met = true;

    for (unsigned s = 0; s < TOGETHER_STATES && met; s++) {
        struct flush f;
        /* Only the first core fills the lines; both need the description. */
        flush_describe(&f, g->kind, LINE_STATES_ALONE + s, g->area[0].at, 0);
        if (place == 0)
            flush_fill(&f);
        for (unsigned i = 0; i < g->pairs && met; i++) {
            uint64_t once = flush_held(g, place, &f, FLUSH_LINES, &met);
            uint64_t twice = flush_held(g, place, &f, 2 * FLUSH_LINES, &met);
            if (place == 0 && met)
                g->flush[s][i] = ((double)twice - (double)once) / FLUSH_LINES;
        }
        if (place == 0 && met)
            check_held(&f, cc);
    }
    cc->complete = met;
}
