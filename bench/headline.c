#include "bench/headline.h"
#include "bench/engine.h"
#include "bench/sampler.h"
#include "lib/mathx.h"
#include "lib/mem.h"

/* Drops the blocks that one kind has no undisturbed window in, from all kinds: their index is one
 * place in the order. */
static size_t keep_whole_rounds(struct sampler *s, const struct span *span)
{
    size_t kept = 0;
    for (size_t i = span->block; i < span->block + span->blocks; i++) {
        bool whole = true;
        for (unsigned k = 0; k < KINDS; k++)
            whole = whole && (!s->used[k] || s->mean[k][i] == s->mean[k][i]);
        for (unsigned k = 0; whole && k < KINDS; k++)
            if (s->used[k])
                s->mean[k][span->block + kept] = s->mean[k][i];
        kept += whole;
    }
    return kept;
}

static const double *blocks_of(const struct sampler *s, const struct span *span, enum kind k)
{
    return s->used[k] ? s->mean[k] + span->block : NULL;
}

static struct estimate_blocks placement_blocks(struct sampler *s, const struct bench *b,
                                               const struct span *span)
{
    return (struct estimate_blocks){
        .m = keep_whole_rounds(s, span),
        .b = blocks_of(s, span, KIND_BODY),
        .b2 = blocks_of(s, span, KIND_BODY2),
        .e = blocks_of(s, span, KIND_EMPTY),
        .e2 = blocks_of(s, span, KIND_EMPTY2),
        .r = blocks_of(s, span, KIND_RULER),
        .r2 = blocks_of(s, span, KIND_RULER2),
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

struct headline headline(struct sampler *s, const struct bench *b, double step)
{
    struct headline h = {.doubled = s->used[KIND_BODY2]};
    double *values = (double *)(void *)s->scratch, ticks = 0, se = 0;
    size_t n = 0, good = 0, m = 0;
    uint32_t *placement = (uint32_t *)(void *)(s->scratch + s->n / 2);

    for (unsigned i = 0; i < s->placements; i++) {
        struct estimate_blocks blocks = placement_blocks(s, b, &s->span[i]);
        s->theta[i] = __builtin_nan("");
        if (blocks.m == 0)
            continue;
        struct estimate_placement p = estimate_placement(&blocks);
        s->theta[i] = p.cycles.value;
        s->used_theta[good] = p.cycles.value;
        ticks += p.ticks.value;
        se += p.cycles.se;
        m = blocks.m;
        good++;
        estimate_block_values(&blocks, values + n);
        for (size_t k = 0; k < blocks.m; k++)
            placement[n + k] = i;
        n += blocks.m;
    }
    h.known = good > 0;
    if (!h.known)
        return h;
    h.ticks = ticks / (double)good;
    h.se = se / (double)good;
    h.cycles = estimate_over(s->used_theta, good, h.se, m, HEADLINE_KAPPA);
    h.median = headline_median(s->used_theta, good);
    if (h.cycles.theta == h.cycles.theta)
        find_modes(s, b, n, values, placement, step, &h.modes);
    return h;
}
