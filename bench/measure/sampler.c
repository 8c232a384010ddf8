#include "bench/measure/sampler.h"
#include "bench/measure/cycle.h"
#include "bench/measure/engine.h"
#include "bench/measure/interleave.h"
#include "lib/text/mem.h"

static size_t blocks_most(size_t samples, unsigned placements)
{
    return samples / ENGINE_BLOCK + 2 * (size_t)placements;
}

size_t sampler_windows(const struct options *o, uint32_t samples)
{
    uint32_t least = o->layout == LAYOUT_SWEEP ? LAYOUT_MAX * ENGINE_BLOCK : 0;
    return samples < least ? least : samples;
}

size_t sampler_need(size_t windows, unsigned placements)
{
    return (KINDS + 2) * windows + 2 * KINDS * blocks_most(windows, placements);
}

void sampler_init(struct sampler *s, const struct engine *e, unsigned placements)
{
    size_t n = sampler_windows(e->o, e->samples), blocks = blocks_most(n, placements), block = 0;
    uint64_t *at = e->memory;
    memset(s, 0, sizeof *s);
    s->n = n;
    s->placements = placements;
    for (unsigned k = 0; k < KINDS; k++, at += n)
        s->samples[k] = at;
    s->sorted = at;
    s->scratch = at += n;
    at += n;
    for (unsigned k = 0; k < KINDS; k++, at += blocks)
        s->mean[k] = (double *)(void *)at;
    for (unsigned k = 0; k < KINDS; k++, at += blocks)
        s->cycles[k] = (double *)(void *)at;
    for (unsigned i = 0; i < placements; i++) {
        struct span *p = &s->span[i];
        p->from = n * i / placements;
        p->n = n * (i + 1) / placements - p->from;
        p->block = block;
        p->blocks = p->n / ENGINE_BLOCK & ~(size_t)1;
        if (p->blocks < 2)
            p->blocks = 2;
        block += p->blocks;
    }
}

static struct window_result run_window(struct sampler *s, const struct engine *e,
                                       const struct placed *p, enum kind k, uint64_t i)
{
    const struct placed_kind *w = &p->kind[k];
    s->windows[k]++;
    if (s->cold)
        place_cool(p);
    return w->fn(p->object, w->function, w->turns, dither(e, i), WINDOW_STACK + p->at.stack);
}

/* Mean of one warm-up block. */
static double warm_block(struct sampler *s, const struct engine *e, const struct placed *p,
                         enum kind k)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ENGINE_BLOCK; i++)
        sum += run_window(s, e, p, k, i).ticks;
    return (double)sum / ENGINE_BLOCK;
}

/*
 * docs/method.md: three fenced reads, then blocks of every kind until two successive ones differ by less
 * than one step, at most warmup=.
 */
static void warm_up(struct sampler *s, const struct engine *e, const struct placed *p,
                    struct span *span)
{
    enum kind first = KIND_EMPTY;
    while (!s->used[first])
        first++;
    for (unsigned i = 0; i < 3; i++)
        run_window(s, e, p, first, 0);

    double last[KINDS] = {0};
    while (span->warmup_blocks < e->o->warmup && !span->steady) {
        bool steady = span->warmup_blocks > 0;
        for (unsigned k = 0; k < KINDS; k++) {
            if (!s->used[k])
                continue;
            double now = warm_block(s, e, p, k);
            steady = steady && now - last[k] < e->step && last[k] - now < e->step;
            last[k] = now;
        }
        span->steady = steady;
        span->warmup_blocks++;
    }
}

/* Core cycles a tick over one block, by the counter; NaN where it failed. */
static double block_ratio(struct sampler *s, struct engine *e, const struct cycle_mark *from)
{
    struct cycle_mark to = cycle_mark(e);
    double ratio = cycle_ratio(e, from, &to);
    if (ratio - ratio == 0)
        moments_add(&s->ratio, ratio);
    else
        s->unread++;
    return ratio;
}

/* One block of one kind. Its mean is NaN from now on where an SMI, NMI or machine check came. The
 * counter is read outside its windows, and before the first one and after the last alike. */
static void take_block(struct sampler *s, struct engine *e, const struct bench *b,
                       const struct placed *p, const struct span *span, enum kind k, size_t block)
{
    size_t from = span->n * block / span->blocks, to = span->n * (block + 1) / span->blocks;
    uint64_t *samples = s->samples[k] + span->from;
    bool can_fail = b->form == FORM_FUNCTION && k >= KIND_BODY;
    bool counted = e->cycle.counter.used != NULL;
    uint64_t spoils = engine_spoils(e);
    struct cycle_mark start = {0};
    if (counted)
        start = cycle_mark(e);
    for (size_t i = from; i < to; i++) {
        struct window_result r = run_window(s, e, p, k, i);
        samples[i] = can_fail && (uint32_t)r.failed ? SAMPLE_FAILED : r.ticks;
    }
    s->cycles[k][span->block + block] = counted ? block_ratio(s, e, &start) : __builtin_nan("");
    s->mean[k][span->block + block] = engine_spoils(e) == spoils ? 0 : __builtin_nan("");
}

void sampler_take(struct sampler *s, struct engine *e, const struct bench *b,
                  const struct placed *p, unsigned i)
{
    struct span *span = &s->span[i];
    s->cold = place_is_cold(e, b);
    for (unsigned k = 0; k < KINDS; k++) {
        s->used[k] = p->kind[k].fn != NULL;
        s->windows[k] = 0;
    }
    warm_up(s, e, p, span);
    for (size_t block = 0; block < span->blocks; block += 2) {
        for (unsigned k = 0; k < KINDS; k++)
            if (s->used[k])
                take_block(s, e, b, p, span, k, block);
        for (unsigned k = KINDS; k-- > 0;)
            if (s->used[k])
                take_block(s, e, b, p, span, k, block + 1);
    }
}

/* Copies what did not fail, ascending, into s->sorted; how many. */
static size_t sort(struct sampler *s, const uint64_t *samples, size_t n)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (samples[i] != SAMPLE_FAILED)
            s->sorted[m++] = samples[i];
    stats_sort(s->sorted, m);
    return m;
}

/* One kind in one placement: its disturbed windows and its blocks' means. Returns the sum of the
 * others. */
static double judge_span(struct sampler *s, const struct engine *e, const struct span *span,
                         enum kind k, size_t *kept)
{
    const uint64_t *samples = s->samples[k] + span->from;
    size_t m = sort(s, samples, span->n);
    struct summary summary = stats_summary(s->sorted, m, s->scratch);
    double above = stats_disturbed_above(&summary, e->step), all = 0;

    for (size_t block = 0; block < span->blocks; block++) {
        double *mean = &s->mean[k][span->block + block];
        bool hit = *mean != 0;
        size_t from = span->n * block / span->blocks, to = span->n * (block + 1) / span->blocks;
        struct moments good = {0};
        for (size_t i = from; i < to; i++) {
            if (samples[i] == SAMPLE_FAILED)
                s->errors += k == KIND_BODY;
            else if (hit || (double)samples[i] > above)
                s->disturbed[k]++;
            else
                moments_add(&good, (double)samples[i]);
        }
        *mean = good.n ? good.mean : __builtin_nan("");
        s->cycles[k][span->block + block] *= *mean;
        if (good.n > 1)
            moments_add(&s->block_variance[k], moments_variance(&good));
        all += good.mean * (double)good.n;
        *kept += good.n;
    }
    return all;
}

void sampler_judge(struct sampler *s, const struct engine *e)
{
    for (unsigned k = 0; k < KINDS; k++) {
        double sum = 0;
        size_t kept = 0;
        if (!s->used[k])
            continue;
        for (unsigned i = 0; i < s->placements; i++)
            sum += judge_span(s, e, &s->span[i], k, &kept);
        s->location[k] = kept ? sum / (double)kept : __builtin_nan("");
    }
}

struct summary sampler_summary(struct sampler *s, enum kind k)
{
    size_t m = sort(s, s->samples[k], s->n);
    return stats_summary(s->sorted, m, s->scratch);
}
