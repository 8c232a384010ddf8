#include "bench/engine/row_figure.h"
#include "lib/stats/mathx.h"
#include "bench/engine/cut.h"
#include "lib/stats/stats.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

/* The most instructions that a core executes as one (macro-fusion: `cmp` and `jcc`, `mov` and
 * `add`, a NOP and the instruction before it). */
#define FUSED_MOST 2

double loop_gross(const struct loop_facts *f)
{
    double gross = f->net + f->loop;

    return gross > 0 ? gross : UNKNOWN;
}

/* Uses both ends of the interval: a wide interval proves neither that all of the cost is hidden nor
 * that a part is. An unknown bound is NaN; comparisons with it are false. */
enum hidden loop_hides(const struct loop_facts *f)
{
    if (!is_known(f->net) || !is_known(f->loop) || f->instructions <= 0) /* 0: nothing to hide */
        return HIDDEN_NOT;
    double least = f->instructions * f->nop / FUSED_MOST; /* comparisons with NaN are false */
    bool quicker = f->net < least && least - f->net <= f->loop;
    bool proven = quicker && f->hi < least;
    if (proven && (f->net <= 0 || f->lo <= 0) && is_known(loop_gross(f)))
        return HIDDEN_ALL;
    if (proven)
        return HIDDEN_PART;
    return f->net < f->loop || quicker ? HIDDEN_MAYBE : HIDDEN_NOT;
}

void loop_cost(const struct engine *e, const struct gathered *g, struct row *row)
{
    const struct estimate *cycles = &row->figure.cycles;

    row->loop = (struct row_loop){UNKNOWN, UNKNOWN, HIDDEN_NOT};
    if (e->facts.execution != EXEC_SILICON || e->facts.cycle.by == CYCLES_UNKNOWN ||
        !g->used[KIND_EMPTY2] || !is_known(cycles->theta) || row->cycles_per_tick <= 0)
        return;
    double iterations = gathered_location(g, KIND_EMPTY2) - gathered_location(g, KIND_EMPTY);
    double loop = iterations * row->cycles_per_tick / row->out.bench->ops;
    struct loop_facts f = {
        .net = cycles->theta,
        .lo = cycles->lo,
        .hi = cycles->hi,
        .loop = loop > 0 ? loop : UNKNOWN, /* the noise exceeds the loop's cost */
        .instructions = run_instructions(&e->facts, row),
        .nop = e->witness.levels.best > 0 ? e->witness.levels.best : UNKNOWN,
    };
    row->loop = (struct row_loop){f.loop, loop_gross(&f), loop_hides(&f)};
}

void check_pace(const struct engine *e, struct row *row)
{
    double best = e->witness.levels.best, hi = row->figure.cycles.hi;
    double loop = row->loop.cycles > 0 ? row->loop.cycles : 0; /* it may hide so much */
    double instructions = run_instructions_timed(&e->facts, row);

    if (e->facts.execution != EXEC_SILICON || !(best > 0))
        return;
    /* A width is a whole number, of which the loop around the NOPs takes a part. */
    uint64_t width = (uint64_t)(1 / best) + 1;
    double least = instructions / (double)width;
    bool impossible = hi + loop < least / FUSED_MOST; /* false where one is not known */
    if (impossible || (row->figure.doubled && hi + loop < least))
        row->figure.pace = PACE_FUSED;
    /* Other methods may subtract what they also hide: a fact about the method. With fewer
     * operations than the timed windows, other operations may have been counted. */
    if (!impossible || !row->figure.doubled || row->taken.shared ||
        row->stepped.ops != row->out.bench->ops)
        return;
    row->figure.pace = PACE_IMPOSSIBLE;
    if (row->out.why)
        return;
    struct sink_buf text;
    sink_buf_init(&text, row->out.said, sizeof row->out.said);
    num_fmt(&text.sink,
            "%.1f instructions in %.3f cycles are more than a core can that executes %.2f NOPs a "
            "cycle: what was counted was not timed",
            instructions, row->figure.cycles.theta, 1 / best);
    outcome_fail(&row->out, ROW_WRONG, row->out.said);
}

size_t row_figure_part_need(size_t blocks)
{
    return KINDS * blocks;
}

/* modes_find() needs two words per block. The rest is for sorting the placements' figures. */
size_t row_figure_need(size_t blocks, unsigned placements)
{
    return 2 * blocks + placements;
}

/* --- a part ----------------------------------------------------------------------------------- */

/* Returns a block's mean window: in ticks, or in core cycles by the counter read around it. */
static double block_mean(const struct block *block, enum cycles_by by)
{
    return by == CYCLES_COUNTER ? block->ticks * block->cycles_per_tick : block->ticks;
}

static bool is_whole(const struct sampler *s, size_t block, enum cycles_by by, bool shared_too)
{
    for (unsigned k = 0; k < KINDS; k++) {
        const struct block *one = &s->block[k][block];
        if (s->used[k] && (!is_known(block_mean(one, by)) || (one->shared && !shared_too)))
            return false;
    }
    return true;
}

/* Copies the part's blocks, except where a kind has no mean or is shared. Returns their number. */
static size_t copy_whole_blocks(const struct sampler *s, enum cycles_by by, bool shared_too,
                                double *const *mean)
{
    size_t copied = 0;

    for (size_t i = 0; i < s->span.blocks; i++) {
        if (!is_whole(s, i, by, shared_too))
            continue;
        for (unsigned k = 0; k < KINDS; k++)
            if (s->used[k])
                mean[k][copied] = block_mean(&s->block[k][i], by);
        copied++;
    }
    return copied;
}

/* Returns the part's blocks: in ticks with the ruler's blocks, or in core cycles by the counter
 * without them. */
static struct estimate_blocks part_blocks(const struct sampler *s, const struct bench *b,
                                          enum cycles_by by, bool shared_too, uint64_t *scratch)
{
    struct cut c = {scratch, 0};
    double *mean[KINDS];

    for (unsigned k = 0; k < KINDS; k++)
        mean[k] = cut(&c, s->span.blocks);
    size_t m = copy_whole_blocks(s, by, shared_too, mean);
    for (unsigned k = 0; k < KINDS; k++)
        mean[k] = s->used[k] ? mean[k] : NULL;
    bool ruler = by != CYCLES_COUNTER;
    return (struct estimate_blocks){
        .m = m,
        .b = mean[KIND_BODY],
        .b2 = mean[KIND_BODY2],
        .e = mean[KIND_EMPTY],
        .e2 = mean[KIND_EMPTY2],
        .r = ruler ? mean[KIND_RULER] : NULL,
        .r2 = ruler ? mean[KIND_RULER2] : NULL,
        .ops = b->ops,
        .adds = RULER_ADDS,
    };
}

/* Appends the blocks' values to those of earlier parts. They are NaN if the ruler does not grow. */
static void note_values(const struct estimate_blocks *blocks, unsigned placement,
                        struct gathered *g)
{
    estimate_block_values(blocks, g->value + g->values);
    for (size_t i = 0; i < blocks->m; i++)
        g->placement[g->values++] = placement;
}

/* Returns a part's figure in core cycles: by the ruler's blocks, or unchanged if by the counter. */
static struct estimate_taken taken_of(const struct estimate_blocks *blocks, bool counter,
                                      const struct part_place *at)
{
    struct estimate_taken taken = {at->placement, at->round, 0, UNKNOWN, UNKNOWN};

    if (blocks->m == 0)
        return taken;
    struct estimate_placement p = estimate_placement(blocks);
    const struct estimate_part *part = counter ? &p.ticks : &p.cycles;
    taken.m = blocks->m;
    taken.value = part->value;
    taken.se = part->se;
    return taken;
}

/* Returns the witness's highest reading around exclusive blocks. */
static float highest_level(const struct sampler *s)
{
    float level = 0;

    for (unsigned k = 0; k < KINDS; k++)
        for (size_t i = 0; s->used[k] && i < s->span.blocks; i++) {
            const struct block *one = &s->block[k][i];
            float higher = one->before > one->after ? one->before : one->after;
            if (!one->shared && higher > level)
                level = higher;
        }
    return level;
}

/* Returns a part's halves of twice the body. */
static struct part_halves part_halves(const struct estimate_blocks *k)
{
    struct moments first = {0}, second = {0}, window = {0};

    if (!k->b2 || !k->e || k->m == 0)
        return (struct part_halves){UNKNOWN, UNKNOWN, UNKNOWN};
    for (size_t i = 0; i < k->m; i++) {
        double loop = k->e2 ? k->e2[i] - k->e[i] : 0;
        moments_add(&window, k->e[i] - loop);
        moments_add(&first, k->b[i] - k->e[i]);
        moments_add(&second, k->b2[i] - k->b[i] - loop);
    }
    return (struct part_halves){second.mean, first.mean - second.mean, window.mean};
}

/* Returns an operation's ticks; UNKNOWN: no block is complete. */
static double ticks_of(const struct sampler *s, const struct bench *b, bool shared_too,
                       uint64_t *scratch)
{
    struct estimate_blocks blocks = part_blocks(s, b, CYCLES_RULER, shared_too, scratch);

    return blocks.m ? estimate_placement(&blocks).ticks.value : UNKNOWN;
}

void row_figure_part(const struct sampler *s, const struct bench *b, const struct part_place *at,
                     enum cycles_by by, struct gathered *g, uint64_t *scratch)
{
    bool counter = by == CYCLES_COUNTER;
    unsigned i = g->parts++;
    /* The scratch holds one source's blocks at a time. The source that is used comes last, so that
     * its blocks stay there. */
    struct estimate_blocks all = part_blocks(s, b, by, true, scratch);

    g->all[i] = taken_of(&all, counter, at);
    double all_ticks = ticks_of(s, b, true, scratch), quiet_ticks = ticks_of(s, b, false, scratch);
    g->ticks[i] = is_known(quiet_ticks) ? quiet_ticks : all_ticks;
    struct estimate_blocks other =
        part_blocks(s, b, counter ? CYCLES_RULER : CYCLES_COUNTER, false, scratch);
    struct estimate_taken second = taken_of(&other, !counter, at);
    struct estimate_blocks exclusive = part_blocks(s, b, by, false, scratch);
    struct estimate_taken used = taken_of(&exclusive, counter, at);
    g->ruler[i] = counter ? second : used;
    g->counter[i] = counter ? used : second;
    g->level[i] = highest_level(s);
    g->whole += all.m;
    g->exclusive += exclusive.m;
    if (exclusive.m)
        note_values(&exclusive, at->placement, g);
    g->halves[i] = part_halves(&exclusive);
}

/* --- the row ---------------------------------------------------------------------------------- */

/* Returns the median over the placements' means; a mean is over the placement's parts that have
 * blocks in `taken`. UNKNOWN: no part has ticks. */
static double median_ticks(const struct gathered *g, const struct estimate_taken *taken,
                           double *scratch)
{
    size_t n = 0;

    for (unsigned from = 0, end; from < g->parts; from = end) {
        struct moments parts = {0};
        for (end = from; end < g->parts && taken[end].placement == taken[from].placement; end++)
            if (taken[end].m > 0 && is_known(g->ticks[end]))
                moments_add(&parts, g->ticks[end]);
        if (parts.n)
            scratch[n++] = parts.mean;
    }
    return n ? median(scratch, n) : UNKNOWN;
}

/* Returns the figure by one source. `finest`: see struct estimate_found. */
static struct figure take_figure(const struct gathered *g, const struct estimate_taken *taken,
                                 const struct row_figure_means *means, double finest,
                                 double *scratch)
{
    struct estimate_found found = {.theta = means->theta,
                                   .placements = means->placements,
                                   .round = means->round,
                                   .rounds = means->rounds,
                                   .finest = finest,
                                   .rounds_differ = estimate_rounds_differ(taken, g->parts)};
    bool known = false;

    for (unsigned i = 0; i < g->parts; i++)
        known = known || taken[i].m > 0;
    estimate_by_round(taken, g->parts, means->round, means->rounds);
    estimate_by_placement(taken, g->parts, means->theta, means->placements);
    found.se = estimate_placement_se(taken, g->parts, &found.m);
    return (struct figure){
        .known = known,
        .ticks = known ? median_ticks(g, taken, scratch) : UNKNOWN,
        .cycles = estimate_over(&found, scratch),
        .se = found.se,
    };
}

/* Returns the factor from ticks per window to core cycles per operation. */
static double cycles_per_op(const struct gathered *g, const struct bench *b)
{
    double ruler = gathered_location(g, KIND_RULER2) - gathered_location(g, KIND_RULER);

    return RULER_ADDS / ruler / (double)b->ops;
}

/* Returns the error of a block from only the TSC's step, in core cycles per operation
 * (docs/figure.md "Modes"). */
static double block_floor(const struct gathered *g, const struct bench *b, double step)
{
    return step / (2 * mathx_sqrt(ENGINE_BLOCK)) * cycles_per_op(g, b);
}

/* The same for the mean of a placement's blocks. */
static double placement_floor(const struct gathered *g, const struct bench *b, double step,
                              unsigned placements)
{
    return block_floor(g, b, step) * mathx_sqrt((double)placements / (double)g->whole);
}

static struct modes find_modes(const struct gathered *g, const struct bench *b, double step,
                               uint64_t *sorting)
{
    struct modes modes;
    double variance = 0, per_op = cycles_per_op(g, b);

    for (unsigned k = 0; k < KINDS; k++)
        if (g->used[k] && k != KIND_RULER && k != KIND_RULER2)
            variance += g->block_variance[k].mean;
    struct modes_input in = {
        .n = g->values,
        .values = g->value,
        .placement = g->placement,
        .floor = block_floor(g, b, step),
        .within = mathx_sqrt(variance / ENGINE_BLOCK) * per_op,
    };
    modes_find(&in, sorting, &modes);
    return modes;
}

bool row_figure_is_exclusive(const struct gathered *g)
{
    return 2 * g->exclusive >= g->whole;
}

/* Widens the interval so that it contains that of all blocks. */
static void hold_both(struct estimate *exclusive, const struct estimate *all)
{
    if (!(exclusive->lo <= all->lo))
        exclusive->lo = all->lo;
    if (!(exclusive->hi >= all->hi))
        exclusive->hi = all->hi;
}

void row_figure_forget_shared(struct gathered *g, unsigned part)
{
    g->exclusive -= g->ruler[part].m;
    g->ruler[part].m = g->counter[part].m = 0;
    g->ruler[part].value = g->counter[part].value = UNKNOWN;
    g->halves[part].more = UNKNOWN;
}

/* Returns the halves of twice the body. What a window does once, such as filling the pipeline,
 * costs about as much as the empty window without its loop: the halves differ if they surely do by
 * more than that, and by more than ROW_HALVES_PART of the dearer one. */
static struct row_halves halves_of(const struct gathered *g)
{
    struct moments second = {0}, more = {0}, window = {0};

    for (unsigned i = 0; i < g->parts; i++) {
        if (!is_known(g->halves[i].more))
            continue;
        moments_add(&second, g->halves[i].second);
        moments_add(&more, g->halves[i].more);
        moments_add(&window, g->halves[i].window);
    }
    if (more.n < 2 || !row_figure_is_exclusive(g))
        return (struct row_halves){0};
    double first = second.mean + more.mean, off = more.mean > 0 ? more.mean : -more.mean;
    double dearer = first > second.mean ? first : second.mean;
    double surely = off - estimate_half(moments_sd(&more) / mathx_sqrt((double)more.n), more.n);
    bool differ = surely > window.mean && surely > ROW_HALVES_PART * dearer;
    return (struct row_halves){true, differ, first, second.mean};
}

struct row_figure row_figure(const struct gathered *g, const struct bench *b, double step,
                             enum cycles_by by, const struct row_figure_means *means,
                             uint64_t *scratch)
{
    double *sorting = (double *)(void *)scratch;
    double finest = placement_floor(g, b, step, means->placements);
    bool counter = by == CYCLES_COUNTER;
    /* Each call overwrites the means, so the source that is used comes last. */
    struct figure other = take_figure(g, counter ? g->ruler : g->counter, means, finest, sorting);
    struct figure all = take_figure(g, g->all, means, finest, sorting);
    struct figure used = all;

    if (g->exclusive > 0) {
        used = take_figure(g, counter ? g->counter : g->ruler, means, finest, sorting);
        if (!row_figure_is_exclusive(g))
            hold_both(&used.cycles, &all.cycles);
    }
    const struct figure *ruler = counter ? &other : &used;
    struct row_figure h = {
        .known = ruler->known,
        .doubled = g->used[KIND_BODY2],
        .ticks = ruler->ticks,
        .ruler = *ruler,
        .counter = counter ? used : other,
        .cycles = used.cycles,
        .se = used.se,
        .halves = halves_of(g),
    };
    if (is_known(h.cycles.theta) && g->values > 0)
        h.modes = find_modes(g, b, step, scratch + means->placements);
    return h;
}
