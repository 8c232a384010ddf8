#include "bench/measure/sampler.h"
#include "bench/measure/cut.h"
#include "bench/measure/cycle.h"
#include "bench/measure/dither.h"
#include "bench/measure/pace.h"
#include "lib/stats/known.h"
#include "lib/text/mem.h"

#define FIRST_WINDOWS 3 /* thrown away: the first of a placement fetch its code */
/* Blocks of warm-up of a row whose data is cold in every window: no more of it gets warm, and
 * memory takes a step more or less each time, so that two blocks are hardly ever alike. */
#define COLD_WARM_UP   4
#define LEAST_BLOCKS   2 /* of a kind in a placement: one there, one back */
#define WORDS_OF_BLOCK (sizeof(struct block) / sizeof(uint64_t))
_Static_assert(sizeof(struct block) % sizeof(uint64_t) == 0, "blocks lie in memory of whole words");

size_t sampler_windows(const struct options *o, uint32_t samples)
{
    uint32_t least = o->layout == LAYOUT_SWEEP ? LAYOUT_MAX * ENGINE_BLOCK : 0;
    return samples < least ? least : samples;
}

size_t sampler_blocks(size_t windows, unsigned placements)
{
    return windows / ENGINE_BLOCK + LEAST_BLOCKS * (size_t)placements;
}

/* Words of all arrays, for so many windows and blocks of each kind. Asked before SSE is on: no
 * struct is filled here, which a compiler does by SSE. */
static size_t array_words(size_t windows, size_t blocks)
{
    return (KINDS + 2) * windows + KINDS * blocks * WORDS_OF_BLOCK;
}

size_t sampler_need(size_t windows, unsigned placements)
{
    return array_words(windows, sampler_blocks(windows, placements));
}

static void lay_out(struct sampler *s, uint64_t *memory)
{
    struct cut c = {memory, 0};
    for (unsigned k = 0; k < KINDS; k++)
        s->samples[k] = cut(&c, s->n);
    s->sorted = cut(&c, s->n);
    s->scratch = cut(&c, s->n);
    for (unsigned k = 0; k < KINDS; k++)
        s->block[k] = cut(&c, s->blocks * WORDS_OF_BLOCK);
    if (c.used != array_words(s->n, s->blocks))
        __builtin_trap(); /* array_words() leaves an array out */
}

/* The placements' shares of the windows, and their blocks one behind the other. */
static void share_out(struct sampler *s)
{
    for (unsigned i = 0; i < s->placements; i++) {
        struct span *p = &s->span[i];
        p->from = s->n * i / s->placements;
        p->n = s->n * (i + 1) / s->placements - p->from;
        p->block = s->blocks;
        p->blocks = p->n / ENGINE_BLOCK & ~(size_t)1;
        if (p->blocks < LEAST_BLOCKS)
            p->blocks = LEAST_BLOCKS;
        s->blocks += p->blocks;
    }
}

void sampler_init(struct sampler *s, const struct engine *e, unsigned placements)
{
    memset(s, 0, sizeof *s);
    s->n = sampler_windows(e->o, e->samples);
    s->placements = placements;
    share_out(s);
    lay_out(s, e->memory);
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

/* One warm-up block of every kind; whether each differs by less than one step from its last. */
static bool warm_round(struct sampler *s, const struct engine *e, const struct placed *p,
                       double last[KINDS])
{
    bool alike = true;
    for (unsigned k = 0; k < KINDS; k++) {
        if (!s->used[k])
            continue;
        double now = warm_block(s, e, p, k);
        alike = alike && now - last[k] < e->step && last[k] - now < e->step;
        last[k] = now;
    }
    return alike;
}

static uint32_t warm_up_most(const struct sampler *s, const struct engine *e)
{
    return s->cold && e->o->warmup > COLD_WARM_UP ? COLD_WARM_UP : e->o->warmup;
}

/* docs/method.md "Samples": until two successive rounds are alike, at most warmup=. */
static void warm_up(struct sampler *s, const struct engine *e, const struct placed *p,
                    struct span *span)
{
    enum kind first = KIND_EMPTY;
    while (!s->used[first])
        first++;
    for (unsigned i = 0; i < FIRST_WINDOWS; i++)
        run_window(s, e, p, first, 0);

    double last[KINDS] = {0};
    while (span->warmup_blocks < warm_up_most(s, e) && !span->steady && pace_go_on(e)) {
        bool alike = warm_round(s, e, p, last);
        span->steady = alike && span->warmup_blocks > 0; /* the first has none before it */
        span->warmup_blocks++;
    }
}

/* Where one block's windows begin and end among those of its placement. */
static size_t first_window(const struct span *span, size_t block)
{
    return span->n * block / span->blocks;
}

static void run_block(struct sampler *s, const struct engine *e, const struct bench *b,
                      const struct placed *p, const struct span *span, enum kind k, size_t block)
{
    uint64_t *samples = s->samples[k] + span->from;
    bool can_fail = b->form == FORM_FUNCTION && k >= KIND_BODY;
    for (size_t i = first_window(span, block), end = first_window(span, block + 1); i < end; i++) {
        struct window_result r = run_window(s, e, p, k, i);
        samples[i] = can_fail && (uint32_t)r.failed ? SAMPLE_FAILED : r.ticks;
    }
}

/* One block of one kind, and what is read on either side of it: never between its windows. */
static void take_block(struct sampler *s, struct engine *e, const struct bench *b,
                       const struct placed *p, const struct span *span, enum kind k, size_t block)
{
    struct block *taken = &s->block[k][span->block + block];
    uint64_t spoils = engine_spoils(e);
    struct cycle_mark from = cycle_mark(e);
    run_block(s, e, b, p, span, k, block);
    struct cycle_mark to = cycle_mark(e);
    taken->spoiled = engine_spoils(e) != spoils;
    taken->cycles_per_tick = cycle_ratio(e, &from, &to);
    if (is_known(taken->cycles_per_tick))
        moments_add(&s->counter_rate, taken->cycles_per_tick);
    else
        s->unread += e->cycle.counter.used != NULL;
}

bool sampler_take(struct sampler *s, struct engine *e, const struct bench *b,
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
        if (!pace_go_on(e))
            return false;
        for (unsigned k = 0; k < KINDS; k++)
            if (s->used[k])
                take_block(s, e, b, p, span, k, block);
        for (unsigned k = KINDS; k-- > 0;)
            if (s->used[k])
                take_block(s, e, b, p, span, k, block + 1);
    }
    return true;
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

/* One block's undisturbed windows; the others are counted. */
static struct moments judge_block(struct sampler *s, const struct span *span, enum kind k,
                                  size_t block, double above)
{
    const uint64_t *samples = s->samples[k] + span->from;
    bool spoiled = s->block[k][span->block + block].spoiled;
    struct moments good = {0};
    for (size_t i = first_window(span, block), end = first_window(span, block + 1); i < end; i++) {
        if (samples[i] == SAMPLE_FAILED)
            s->errors += k == KIND_BODY;
        else if (spoiled || (double)samples[i] > above)
            s->disturbed[k]++;
        else
            moments_add(&good, (double)samples[i]);
    }
    return good;
}

/* One kind in one placement. Returns the sum of its undisturbed windows, *kept of them. */
static double judge_span(struct sampler *s, const struct engine *e, const struct span *span,
                         enum kind k, size_t *kept)
{
    size_t m = sort(s, s->samples[k] + span->from, span->n);
    struct summary summary = stats_summary(s->sorted, m, s->scratch);
    double above = stats_disturbed_above(&summary, e->step), sum = 0;

    for (size_t block = 0; block < span->blocks; block++) {
        struct moments good = judge_block(s, span, k, block, above);
        s->block[k][span->block + block].ticks = good.n ? good.mean : UNKNOWN;
        if (good.n > 1)
            moments_add(&s->block_variance[k], moments_variance(&good));
        sum += good.mean * (double)good.n;
        *kept += good.n;
    }
    return sum;
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
        s->location[k] = kept ? sum / (double)kept : UNKNOWN;
    }
}

struct summary sampler_summary(struct sampler *s, enum kind k)
{
    size_t m = sort(s, s->samples[k], s->n);
    return stats_summary(s->sorted, m, s->scratch);
}
