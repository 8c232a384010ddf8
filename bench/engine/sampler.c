#include "bench/engine/sampler.h"
#include "bench/engine/cut.h"
#include "bench/engine/cycle.h"
#include "bench/engine/witness.h"
#include "bench/engine/poll.h"
#include "bench/api/tsc.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/stats/mathx.h"

#define FIRST_WINDOWS 3 /* discarded: the first windows of a placement fetch its code */
/* Most warm-up blocks of a row whose data is cold in every window. More blocks do not warm it.
 * Times of memory vary by a step or more, so two blocks are rarely equal. */
#define COLD_WARM_UP 4
#define WARM_BLOCKS  4 /* blocks that are checked for a trend */
#define WARM_NOISE   3 /* standard errors */
/* Limit for all parts of a core together: seconds, plus a multiple of the duration of
 * everything else. A row by itself stays below it. */
#define REPEATS_SECONDS 2
#define REPEATS_TIMES   3
/* Runs between two readings that show how often the core is exclusive: about a second, so that a
 * neighbour for some 100 ms is not taken for one that stays. Older ones count half. */
#define RUNS_LATELY    16384
#define WAITS_A_SECOND 10 /* a part repeats shared blocks for at most 1 s / WAITS_A_SECOND */
#define WORDS_OF_BLOCK (sizeof(struct block) / sizeof(uint64_t))
_Static_assert(sizeof(struct block) % sizeof(uint64_t) == 0, "blocks lie in memory of whole words");

size_t sampler_need(size_t windows, size_t blocks)
{
    return (KINDS + 2) * windows + KINDS * blocks * WORDS_OF_BLOCK;
}

void sampler_init(struct sampler *s, const struct engine *e, size_t windows, size_t blocks,
                  struct gathered *g)
{
    struct cut c = {e->memory, 0};

    *s = (struct sampler){.gathered = g};
    for (unsigned k = 0; k < KINDS; k++)
        s->samples[k] = cut(&c, windows);
    s->sorted = cut(&c, windows);
    s->scratch = cut(&c, windows);
    for (unsigned k = 0; k < KINDS; k++)
        s->block[k] = cut(&c, blocks * WORDS_OF_BLOCK);
    if (c.used != sampler_need(windows, blocks))
        __builtin_trap(); /* sampler_need() leaves an array out */
}

static bool has_failed(const struct sampler *s, enum window_kind k, const struct window_result *r)
{
    return s->can_fail && k >= KIND_BODY && r->failed != 0;
}

/* Runs a window. A failed operation is counted in errors_outside if it is in the warm-up or in
 * twice the body; take_block() leaves out a sample of the body that failed. */
static struct window_result run_window(struct sampler *s, const struct engine *e,
                                       const struct placed *p, enum window_kind k, uint64_t i,
                                       bool sample)
{
    const struct placed_kind *w = &p->kind[k];

    s->windows[k]++;
    if (s->cold)
        place_cool(p);
    struct window_result r =
        w->fn(p->object, w->function, w->iterations, dither(e, i), WINDOW_STACK + p->at.stack);
    if (k != KIND_RULER && k != KIND_RULER2)
        s->changed |= r.changed;
    s->errors_subtracted += place_failed_empty(w, k, &r);
    if (!sample || k == KIND_BODY2)
        s->errors_outside += has_failed(s, k, &r);
    return r;
}

/* Runs windows of the body until wide vectors run at full rate, if the body uses them. */
static void warm_wide(struct sampler *s, const struct engine *e, const struct placed *p)
{
    if (!wide_is_cold(&s->wide))
        return;
    wide_warm_begin(&s->wide);
    do
        (void)run_window(s, e, p, s->used[KIND_BODY2] ? KIND_BODY2 : KIND_BODY, 0, false);
    while (wide_warm_goes_on(&s->wide));
}

/* The last warm-up blocks of one kind. */
struct warm {
    struct moments block[WARM_BLOCKS];
    unsigned n; /* so far */
};

static struct moments warm_block(struct sampler *s, const struct engine *e, const struct placed *p,
                                 enum window_kind k)
{
    struct moments block = {0};

    for (unsigned i = 0; i < ENGINE_BLOCK; i++)
        moments_add(&block, (double)run_window(s, e, p, k, i, false).ticks);
    return block;
}

/*
 * Returns whether the latest block's mean has settled. Either it differs from the previous one by
 * less than a step. Or it is within the noise of the previous blocks, at most three; the noise is
 * that of the least noisy block, since an interrupt makes a block noisy. Or it is between the means
 * of the three previous blocks, which then show no trend.
 */
static bool is_settled(const struct warm *w, double step)
{
    unsigned kept = w->n < WARM_BLOCKS ? w->n : WARM_BLOCKS;
    const struct moments *last = &w->block[(w->n - 1) % WARM_BLOCKS];
    double before = 0, variance = moments_variance(last), low = last->mean, high = last->mean;

    for (unsigned i = 1; i < kept; i++) {
        const struct moments *one = &w->block[(w->n - 1 - i) % WARM_BLOCKS];
        double v = moments_variance(one);
        before += one->mean / (kept - 1);
        low = one->mean < low ? one->mean : low;
        high = one->mean > high ? one->mean : high;
        variance = v < variance ? v : variance;
    }
    if (kept < 2)
        return false;
    double change = last->mean - w->block[(w->n - 2) % WARM_BLOCKS].mean;
    double off = last->mean < before ? before - last->mean : last->mean - before;
    double noise = WARM_NOISE * mathx_sqrt(variance / ENGINE_BLOCK * (1 + 1.0 / (kept - 1)));
    bool among = kept == WARM_BLOCKS && last->mean > low && last->mean < high;
    return (change < step && -change < step) || off <= noise || among;
}

/* Runs one warm-up block of every kind. Returns whether every kind has settled. */
static bool warm_round(struct sampler *s, const struct engine *e, const struct placed *p,
                       struct warm warm[KINDS])
{
    bool settled = true;

    for (unsigned k = 0; k < KINDS; k++) {
        if (!s->used[k])
            continue;
        warm[k].block[warm[k].n++ % WARM_BLOCKS] = warm_block(s, e, p, k);
        settled = is_settled(&warm[k], e->facts.step) && settled;
    }
    return settled;
}

/* Warms up until every kind has settled, at most warmup= blocks (docs/window.md "Order and
 * warm-up"). */
static void warm_up(struct sampler *s, const struct engine *e, const struct placed *p)
{
    struct span *span = &s->span;
    uint32_t most = e->facts.o->warmup;
    enum window_kind first = KIND_EMPTY;

    while (!s->used[first])
        first++;
    for (unsigned i = 0; i < FIRST_WINDOWS; i++)
        (void)run_window(s, e, p, first, 0, false);
    warm_wide(s, e, p);
    if (s->cold && most > COLD_WARM_UP)
        most = COLD_WARM_UP;

    struct warm warm[KINDS] = {0};
    while (span->warmup_blocks < most && !span->steady && poll_go_on(e)) {
        span->steady = warm_round(s, e, p, warm);
        span->warmup_blocks++;
    }
}

/* Returns the index of a block's first window among those of its part. */
static size_t first_window(const struct sampler *s, size_t block)
{
    return s->span.n * block / s->span.blocks;
}

/* Takes one block of one kind. Reads the counters around it, never between its windows. */
static void take_block(struct sampler *s, struct engine *e, const struct placed *p,
                       enum window_kind k, size_t block)
{
    struct block *taken = &s->block[k][block];
    size_t from = first_window(s, block), end = first_window(s, block + 1);
    uint64_t *samples = s->samples[k], least = UINT64_MAX;

    warm_wide(s, e, p);
    uint64_t spoils = engine_spoils(e);
    struct cycle_mark mark = cycle_begin(e);
    uint64_t began = tsc_now();
    for (size_t i = from; i < end; i++) {
        struct window_result r = run_window(s, e, p, k, i, true);
        samples[i] = has_failed(s, k, &r) ? SAMPLE_FAILED : r.ticks;
        least = r.ticks < least ? r.ticks : least;
    }
    /* A pause may have let the wide vector unit power down. */
    bool paused =
        wide_paused(&s->wide, began, end - from, least, k == KIND_BODY || k == KIND_BODY2);
    struct cycle_mark to = cycle_end(e);
    taken->spoiled = paused || engine_spoils(e) != spoils;
    taken->cycles_per_tick = cycle_ratio(e, &mark, &to);
}

static void count_run(struct core_witness *o, bool exclusive)
{
    if (o->runs == RUNS_LATELY) {
        o->runs /= 2;
        o->exclusive /= 2;
    }
    o->runs++;
    o->exclusive += exclusive;
}

/* Returns whether retry_budget= can free blocks: it is the repeats of each, of which a row needs
 * half. */
static bool is_worth_it(const struct engine *e)
{
    const struct core_witness *o = &e->witness;

    return 2ull * e->facts.o->retry_budget * o->exclusive >= o->runs;
}

static bool may_take_again(struct sampler *s, const struct engine *e, size_t blocks)
{
    if (s->budget < blocks || tsc_now() > s->until || s->repeated >= s->most ||
        (s->repeated >= s->anyway && !is_worth_it(e)))
        return false;
    s->budget -= blocks;
    return true;
}

/* Sorts the windows that did not fail into s->sorted, and adds them to the histogram. Returns their
 * number. */
static size_t sort(struct sampler *s, enum window_kind k, size_t from, size_t end)
{
    size_t m = 0;

    for (size_t i = from; i < end; i++)
        if (s->samples[k][i] != SAMPLE_FAILED)
            s->sorted[m++] = s->samples[k][i];
    stats_sort(s->sorted, m);
    if (k == KIND_BODY || k == KIND_EMPTY)
        histogram_add(k == KIND_BODY ? &s->gathered->body : &s->gathered->empty, s->sorted, m);
    return m;
}

/* Counts a block that will be repeated. */
static void keep_shared(struct sampler *s, struct engine *e, enum window_kind k, size_t block)
{
    size_t from = first_window(s, block), end = first_window(s, block + 1);
    size_t failed = end - from - sort(s, k, from, end);

    s->gathered->row.taken.errors += k == KIND_BODY ? (uint32_t)failed : 0;
    witness_count_row(e, true, &s->gathered->row);
}

/* The i-th block in the order of taking: for each pair of blocks, the kinds forward and back. */
struct turn {
    enum window_kind kind;
    size_t block;
};

static struct turn turn_at(const struct sampler *s, size_t i)
{
    size_t turns = 2 * (size_t)s->kinds, pair = i / turns, at = i % turns;
    bool back = at >= s->kinds;

    return (struct turn){s->order[back ? turns - 1 - at : at], 2 * pair + back};
}

/* Takes blocks from `from` on between two readings of the witness. Returns the next index. */
static size_t take_run(struct sampler *s, struct engine *e, const struct placed *p, size_t from,
                       size_t end)
{
    double before = witness_read_before(e);
    size_t i = from;

    do {
        struct turn t = turn_at(s, i++);
        take_block(s, e, p, t.kind, t.block);
    } while (i < end && witness_can_wait(e));
    double after = witness_read(e);
    for (size_t j = from; j < i; j++) {
        struct turn t = turn_at(s, j);
        struct block *taken = &s->block[t.kind][t.block];
        taken->before = (float)before;
        taken->after = (float)after;
        taken->shared = witness_is_shared(e, before, after);
    }
    struct turn first = turn_at(s, from);
    count_run(&e->witness, !s->block[first.kind][first.block].shared);
    return i;
}

/* The same, repeated while the blocks are shared. */
static size_t take_exclusive_run(struct sampler *s, struct engine *e, const struct placed *p,
                                 size_t from, size_t end)
{
    struct turn first = turn_at(s, from);
    size_t to = take_run(s, e, p, from, end);

    while (s->block[first.kind][first.block].shared && may_take_again(s, e, to - from)) {
        for (size_t i = from; i < to; i++)
            keep_shared(s, e, turn_at(s, i).kind, turn_at(s, i).block);
        uint64_t began = tsc_now();
        to = take_run(s, e, p, from, to);
        s->repeated += tsc_now() - began;
    }
    return to;
}

/* Sets the part's retry budget for shared blocks. */
static void set_budget(struct sampler *s, const struct engine *e)
{
    uint64_t hz = run_has_hz(&e->facts) ? (uint64_t)e->facts.tsc_hz : TSC_HZ_MAX;

    s->budget = e->gate ? 0 : e->facts.o->retry_budget * (uint64_t)s->kinds * s->span.blocks;
    s->until = tsc_now() + hz / WAITS_A_SECOND;
    uint64_t first = REPEATS_SECONDS * hz, all = first + REPEATS_TIMES * e->witness.taken;
    s->anyway = first > e->witness.repeated ? first - e->witness.repeated : 0;
    s->most = all > e->witness.repeated ? all - e->witness.repeated : 0;
    s->repeated = 0;
}

void sampler_take(void *ctx)
{
    struct sampling *t = ctx;
    struct engine *e = t->e;
    const struct placed *p = t->p;
    struct sampler *s = e->sampler;
    struct span *span = &s->span;

    *span = (struct span){.n = t->part.windows, .blocks = t->part.blocks};
    s->cold = run_is_cold(&e->facts, t->b);
    s->can_fail = bench_is_function(t->b);
    s->errors_outside = s->errors_subtracted = 0;
    s->kinds = 0;
    s->changed = 0;
    for (unsigned k = 0; k < KINDS; k++) {
        s->used[k] = p->kind[k].fn != NULL;
        s->windows[k] = 0;
        if (s->used[k])
            s->order[s->kinds++] = k;
    }
    wide_begin(&s->wide, e, t->b, p);
    warm_up(s, e, p);
    set_budget(s, e);
    uint64_t began = tsc_now();
    for (size_t i = 0, end = s->kinds * span->blocks; i < end;) {
        if (!poll_go_on(e))
            return;
        i = take_exclusive_run(s, e, p, i, end);
    }
    e->witness.repeated += s->repeated;
    e->witness.taken += tsc_now() - began - s->repeated;
    t->done = true;
}

/* Returns the moments of a block's undisturbed windows, and counts the others. */
static struct moments judge_block(const struct sampler *s, enum window_kind k, size_t block,
                                  double above, struct row *row)
{
    bool spoiled = s->block[k][block].spoiled;
    struct moments good = {0};

    for (size_t i = first_window(s, block), end = first_window(s, block + 1); i < end; i++) {
        uint64_t ticks = s->samples[k][i];
        if (ticks == SAMPLE_FAILED)
            row->taken.errors += k == KIND_BODY;
        else if (spoiled || (double)ticks > above)
            row->taken.disturbed += k == KIND_BODY;
        else
            moments_add(&good, (double)ticks);
    }
    return good;
}

/* Records the counter's rate of a block. */
static void note_block_rate(const struct engine *e, double rate, struct gathered *g)
{
    if (is_known(rate))
        moments_add(&g->counter_rate, rate);
    else
        g->row.taken.unread += e->facts.cycle.counter.used != NULL;
}

static void judge_kind(struct sampler *s, struct engine *e, enum window_kind k)
{
    struct gathered *g = s->gathered;
    size_t m = sort(s, k, 0, s->span.n);
    double above = stats_above_levels(s->sorted, m, e->facts.step, s->scratch);

    for (size_t i = 0; i < s->span.blocks; i++) {
        struct block *block = &s->block[k][i];
        struct moments good = judge_block(s, k, i, above, &g->row);
        block->ticks = good.n ? good.mean : UNKNOWN;
        if (good.n > 1)
            moments_add(&g->block_variance[k], moments_variance(&good));
        g->sum[k] += good.mean * (double)good.n;
        g->kept[k] += good.n;
        note_block_rate(e, block->cycles_per_tick, g);
        /* Again, with the witness's best reading so far. */
        block->shared = witness_is_shared(e, block->before, block->after);
        witness_count_row(e, block->shared, &g->row);
    }
}

void sampler_judge(struct sampler *s, struct engine *e)
{
    struct gathered *g = s->gathered;

    g->row.taken.errors_outside += s->errors_outside;
    g->row.taken.errors_subtracted += s->errors_subtracted;
    for (unsigned k = 0; k < KINDS; k++) {
        g->used[k] = s->used[k];
        if (s->used[k])
            judge_kind(s, e, k);
    }
}
