#include "bench/measure/headline.h"
#include "bench/measure/engine.h"
#include "bench/measure/sampler.h"
#include "lib/stats/mathx.h"
#include "lib/text/mem.h"

/* Drops the blocks that one kind has no figure of, from all kinds: their index is one place in the
 * order. */
static size_t keep_whole_rounds(const struct sampler *s, double *const *means,
                                const struct span *span)
{
    size_t kept = 0;
    for (size_t i = span->block; i < span->block + span->blocks; i++) {
        bool whole = true;
        for (unsigned k = 0; k < KINDS; k++)
            whole = whole && (!s->used[k] || means[k][i] == means[k][i]);
        for (unsigned k = 0; whole && k < KINDS; k++)
            if (s->used[k])
                means[k][span->block + kept] = means[k][i];
        kept += whole;
    }
    return kept;
}

/* One placement's blocks: in ticks with their ruler, or in core cycles by the counter, which need
 * none. */
static struct estimate_blocks placement_blocks(const struct sampler *s, const struct bench *b,
                                               const struct span *span, enum cycles_by by)
{
    double *const *means = by == CYCLES_COUNTER ? s->cycles : s->mean;
    size_t m = keep_whole_rounds(s, means, span);
    const double *of[KINDS];
    for (unsigned k = 0; k < KINDS; k++)
        of[k] = s->used[k] ? means[k] + span->block : NULL;
    if (by == CYCLES_COUNTER)
        of[KIND_RULER] = of[KIND_RULER2] = NULL;
    return (struct estimate_blocks){
        .m = m,
        .b = of[KIND_BODY],
        .b2 = of[KIND_BODY2],
        .e = of[KIND_EMPTY],
        .e2 = of[KIND_EMPTY2],
        .r = of[KIND_RULER],
        .r2 = of[KIND_RULER2],
        .ops = b->ops,
        .adds = RULER_ADDS,
    };
}

/* Ticks a window times this are cycles an operation. */
static double scale(const struct sampler *s, const struct bench *b)
{
    double ruler = s->location[KIND_RULER2] - s->location[KIND_RULER];
    return RULER_ADDS / ruler / (double)b->ops;
}

static void find_modes(struct sampler *s, const struct bench *b, size_t n, const double *values,
                       const uint32_t *placement, double step, struct modes *out)
{
    double variance = 0, per_op = scale(s, b);
    for (unsigned k = 0; k < KINDS; k++)
        if (s->used[k] && k != KIND_RULER && k != KIND_RULER2)
            variance += s->block_variance[k].mean;
    struct modes_input in = {
        .n = n,
        .values = values,
        .placement = placement,
        .floor = step / (2 * mathx_sqrt(ENGINE_BLOCK)) * per_op,
        .within = mathx_sqrt(variance / ENGINE_BLOCK) * per_op,
    };
    modes_find(&in, s->sorted, out);
}

/* Insertion sort: as many figures as a row has placements. */
double headline_median(double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && x[j - 1] > x[j]; j--) {
            double t = x[j];
            x[j] = x[j - 1];
            x[j - 1] = t;
        }
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* Where the blocks' own values go, with their placements; values NULL: nobody wants them. */
struct spread {
    size_t n;
    double *values;
    uint32_t *placement;
};

/* The row's figure by the ruler or by the counter; ticks by the former alone. */
static struct figure take_figure(struct sampler *s, const struct bench *b, enum cycles_by by,
                                 struct spread *out)
{
    struct figure f = {.known = false};
    double ticks = 0, se = 0;
    size_t good = 0, m = 0;

    for (unsigned i = 0; i < s->placements; i++) {
        struct estimate_blocks blocks = placement_blocks(s, b, &s->span[i], by);
        if (out->values)
            s->theta[i] = __builtin_nan("");
        if (blocks.m == 0)
            continue;
        struct estimate_placement p = estimate_placement(&blocks);
        struct estimate_part part = by == CYCLES_COUNTER ? p.ticks : p.cycles;
        s->used_theta[good++] = part.value;
        ticks += p.ticks.value;
        se += part.se;
        m = blocks.m;
        if (!out->values)
            continue;
        s->theta[i] = part.value;
        estimate_block_values(&blocks, out->values + out->n);
        for (size_t k = 0; k < m; k++)
            out->placement[out->n + k] = i;
        out->n += m;
    }
    f.known = good > 0;
    if (!f.known) {
        f.cycles.theta = f.cycles.half = f.cycles.s = f.median = f.se = __builtin_nan("");
        return f;
    }
    f.ticks = ticks / (double)good;
    f.se = se / (double)good;
    f.cycles = estimate_over(s->used_theta, good, f.se, m, HEADLINE_KAPPA);
    f.median = headline_median(s->used_theta, good);
    return f;
}

struct headline headline(struct sampler *s, const struct bench *b, double step, enum cycles_by by)
{
    struct spread wanted = {.values = (double *)(void *)s->scratch,
                            .placement = (uint32_t *)(void *)(s->scratch + s->n / 2)};
    struct spread none = {0};
    bool counter = by == CYCLES_COUNTER;
    struct headline h = {.doubled = s->used[KIND_BODY2]};

    h.ruler = take_figure(s, b, CYCLES_RULER, counter ? &none : &wanted);
    h.counter = take_figure(s, b, CYCLES_COUNTER, counter ? &wanted : &none);
    h.known = h.ruler.known;
    h.ticks = h.ruler.ticks;
    h.cycles = counter ? h.counter.cycles : h.ruler.cycles;
    h.median = counter ? h.counter.median : h.ruler.median;
    h.se = counter ? h.counter.se : h.ruler.se;
    if (h.cycles.theta == h.cycles.theta && wanted.n)
        find_modes(s, b, wanted.n, wanted.values, wanted.placement, step, &h.modes);
    return h;
}
