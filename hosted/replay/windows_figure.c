#include "hosted/replay/windows_figure.h"
#include <stdlib.h>
#include "bench/engine/cut.h"
#include "bench/engine/row_figure.h"
#include "lib/stats/mathx.h"

static const enum windows_kind recorded[KINDS] = {
    [KIND_EMPTY] = WINDOWS_E,   [KIND_EMPTY2] = WINDOWS_E2, [KIND_RULER] = WINDOWS_R,
    [KIND_RULER2] = WINDOWS_R2, [KIND_BODY] = WINDOWS_B,    [KIND_BODY2] = WINDOWS_B2};

/* The state of the engine while it measures a row. */
struct made {
    struct sampler sampler;
    struct gathered gathered;
    struct row_figure_means means;
    struct bench bench;
    uint64_t *scratch;
};

bool windows_is_of(const struct pass *p, const struct pass *first)
{
    return p->launch == first->launch && p->body == first->body;
}

static size_t passes_of(const struct windows_run *run, const struct pass *first)
{
    size_t n = 0;

    for (const struct pass *p = first; p < run->pass + run->passes; p++)
        n += windows_is_of(p, first);
    return n;
}

/* Cuts the memory for n passes of up to n placements; returns its words. */
static size_t divide(struct made *m, uint64_t *memory, size_t n)
{
    struct gathered *g = &m->gathered;
    struct cut c = {memory, 0};
    size_t taken = cut_words(n * sizeof *g->ruler);
    size_t part = row_figure_part_need(n), row = row_figure_need(n, (unsigned)n);

    for (unsigned k = 0; k < KINDS; k++)
        m->sampler.block[k] = cut(&c, cut_words(n * sizeof *m->sampler.block[k]));
    g->ticks = cut(&c, n);
    g->ruler = cut(&c, taken);
    g->counter = cut(&c, taken);
    g->all = cut(&c, taken);
    g->level = cut(&c, cut_words(n * sizeof *g->level));
    g->value = cut(&c, n);
    g->placement = cut(&c, cut_words(n * sizeof *g->placement));
    m->means.theta = cut(&c, n);
    m->means.round = cut(&c, 1);
    m->scratch = cut(&c, part > row ? part : row);
    return c.used;
}

/* Adds a pass to the current part. The engine's rulers have more adds: the recorded ones are made
 * as long as these. */
static void add_pass(struct made *m, const struct pass *p)
{
    for (unsigned k = 0; k < KINDS; k++) {
        bool ruler = k == KIND_RULER || k == KIND_RULER2;
        double ticks =
            windows_mean(p, recorded[k]) * (ruler ? RULER_ADDS / (double)WINDOWS_ADDS : 1);
        m->sampler.block[k][m->sampler.span.blocks] =
            (struct block){.shared = p->shared, .cycles_per_tick = UNKNOWN, .ticks = ticks};
        if (!is_known(ticks))
            continue;
        m->gathered.sum[k] += ticks;
        m->gathered.kept[k]++;
    }
    m->sampler.span.blocks++;
}

static bool is_first_of_placement(const struct pass *first, const struct pass *p)
{
    for (const struct pass *q = first; q < p; q++)
        if (windows_is_of(q, first) && q->placement == p->placement)
            return false;
    return true;
}

/* Gathers the passes of p's placement as one part. */
static void add_placement(struct made *m, const struct windows_run *run, const struct pass *first,
                          const struct pass *p)
{
    struct part_place at = {.placement = m->means.placements++};

    m->sampler.span.blocks = 0;
    for (const struct pass *q = p; q < run->pass + run->passes; q++)
        if (windows_is_of(q, first) && q->placement == p->placement)
            add_pass(m, q);
    row_figure_part(&m->sampler, &m->bench, &at, CYCLES_RULER, &m->gathered, m->scratch);
}

bool windows_figure(const struct windows_run *run, const struct pass *first, bool loop,
                    struct windows_figure *figure)
{
    struct made m = {.bench = {.ops = loop ? WINDOWS_ITERATIONS : WINDOWS_OPS},
                     .means = {.rounds = 1}};
    size_t n = passes_of(run, first);
    uint64_t *memory = calloc(divide(&m, NULL, n), sizeof *memory);

    if (memory == NULL)
        return false;
    divide(&m, memory, n);
    for (unsigned k = 0; k < KINDS; k++)
        m.gathered.used[k] = m.sampler.used[k] = loop || k > KIND_EMPTY2;
    for (const struct pass *p = first; p < run->pass + run->passes; p++)
        if (windows_is_of(p, first) && is_first_of_placement(first, p))
            add_placement(&m, run, first, p);
    figure->known = m.gathered.whole;
    figure->exclusive = m.gathered.exclusive;
    figure->cycles =
        row_figure(&m.gathered, &m.bench, run->step, CYCLES_RULER, &m.means, m.scratch).cycles;
    free(memory);
    return true;
}
