#include "bench/measure/headline.h"
#include "bench/measure/cut.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/median.h"

/* The scratch, cut up. */
struct room {
    double *mean[KINDS]; /* the blocks of one placement */
    double *value;       /* all blocks' own values, cycles an operation, ... */
    uint32_t *placement; /* ... and which placement each is of */
    size_t values;
    double *sorted;    /* the placements' figures */
    uint64_t *sorting; /* for modes_find: twice the blocks */
};

/* Cuts the words of `scratch` up; NULL, to count: nothing is stored there. Returns how many. */
static size_t cut_up(struct room *room, uint64_t *scratch, size_t blocks, unsigned placements)
{
    struct cut c = {scratch, 0};
    *room = (struct room){0};
    for (unsigned k = 0; k < KINDS; k++)
        room->mean[k] = cut(&c, blocks);
    room->value = cut(&c, blocks);
    room->placement = cut(&c, blocks); /* a word each, though half would do */
    room->sorting = cut(&c, 2 * blocks);
    room->sorted = cut(&c, placements);
    return c.used;
}

size_t headline_need(size_t blocks, unsigned placements)
{
    struct room room;
    return cut_up(&room, NULL, blocks, placements);
}

/* A block's mean window: in ticks, or in core cycles by the counter read around it. */
static double block_mean(const struct block *block, enum cycles_by by)
{
    return by == CYCLES_COUNTER ? block->ticks * block->cycles_per_tick : block->ticks;
}

static bool is_whole(const struct sampler *s, size_t block, enum cycles_by by)
{
    for (unsigned k = 0; k < KINDS; k++)
        if (s->used[k] && !is_known(block_mean(&s->block[k][block], by)))
            return false;
    return true;
}

/* Copies one placement's blocks, but for those that a kind has no figure of: an index is one place
 * in the order. Returns how many. */
static size_t copy_whole_blocks(const struct sampler *s, const struct span *span, enum cycles_by by,
                                const struct room *room)
{
    size_t copied = 0;
    for (size_t i = span->block; i < span->block + span->blocks; i++) {
        if (!is_whole(s, i, by))
            continue;
        for (unsigned k = 0; k < KINDS; k++)
            if (s->used[k])
                room->mean[k][copied] = block_mean(&s->block[k][i], by);
        copied++;
    }
    return copied;
}

/* In ticks with their ruler, or in core cycles by the counter, which need none. */
static struct estimate_blocks placement_blocks(const struct sampler *s, const struct bench *b,
                                               const struct span *span, enum cycles_by by,
                                               const struct room *room)
{
    const double *of[KINDS];
    for (unsigned k = 0; k < KINDS; k++)
        of[k] = s->used[k] ? room->mean[k] : NULL;
    bool ruler = by != CYCLES_COUNTER;
    return (struct estimate_blocks){
        .m = copy_whole_blocks(s, span, by, room),
        .b = of[KIND_BODY],
        .b2 = of[KIND_BODY2],
        .e = of[KIND_EMPTY],
        .e2 = of[KIND_EMPTY2],
        .r = ruler ? of[KIND_RULER] : NULL,
        .r2 = ruler ? of[KIND_RULER2] : NULL,
        .ops = b->ops,
        .adds = RULER_ADDS,
    };
}

/* The blocks' own values, behind those of the placements before. */
static void note_values(struct room *room, const struct estimate_blocks *blocks, unsigned placement)
{
    estimate_block_values(blocks, room->value + room->values);
    for (size_t i = 0; i < blocks->m; i++)
        room->placement[room->values++] = placement;
}

/* The row's figure by the ruler or by the counter; in ticks by the former alone. theta NULL: the
 * placements' and blocks' own values are not wanted. */
static struct figure take_figure(const struct sampler *s, const struct bench *b, enum cycles_by by,
                                 double *theta, struct room *room)
{
    double ticks = 0, se = 0;
    size_t good = 0, blocks_of_last = 0;

    for (unsigned i = 0; i < s->placements; i++) {
        struct estimate_blocks blocks = placement_blocks(s, b, &s->span[i], by, room);
        if (theta)
            theta[i] = UNKNOWN;
        if (blocks.m == 0)
            continue;
        struct estimate_placement p = estimate_placement(&blocks);
        struct estimate_part cycles = by == CYCLES_COUNTER ? p.ticks : p.cycles;
        room->sorted[good++] = cycles.value;
        ticks += p.ticks.value;
        se += cycles.se;
        blocks_of_last = blocks.m;
        if (theta) {
            theta[i] = cycles.value;
            note_values(room, &blocks, i);
        }
    }
    if (good == 0)
        return (struct figure){.ticks = UNKNOWN,
                               .cycles = {.theta = UNKNOWN, .s = UNKNOWN, .half = UNKNOWN},
                               .median = UNKNOWN,
                               .se = UNKNOWN};
    se /= (double)good;
    return (struct figure){
        .known = true,
        .ticks = ticks / (double)good,
        .cycles = estimate_over(room->sorted, good, se, blocks_of_last, HEADLINE_KAPPA),
        .median = median(room->sorted, good),
        .se = se,
    };
}

/* Ticks a window times this are cycles an operation. */
static double cycles_per_op(const struct sampler *s, const struct bench *b)
{
    double ruler = s->location[KIND_RULER2] - s->location[KIND_RULER];
    return RULER_ADDS / ruler / (double)b->ops;
}

static struct modes find_modes(const struct sampler *s, const struct bench *b, double step,
                               const struct room *room)
{
    struct modes modes;
    double variance = 0, per_op = cycles_per_op(s, b);
    for (unsigned k = 0; k < KINDS; k++)
        if (s->used[k] && k != KIND_RULER && k != KIND_RULER2)
            variance += s->block_variance[k].mean;
    struct modes_input in = {
        .n = room->values,
        .values = room->value,
        .placement = room->placement,
        .floor = step / (2 * mathx_sqrt(ENGINE_BLOCK)) * per_op,
        .within = mathx_sqrt(variance / ENGINE_BLOCK) * per_op,
    };
    modes_find(&in, room->sorting, &modes);
    return modes;
}

struct headline headline(const struct sampler *s, const struct bench *b, double step,
                         enum cycles_by by, double *theta, uint64_t *scratch)
{
    struct room room;
    cut_up(&room, scratch, s->blocks, s->placements);
    bool counter = by == CYCLES_COUNTER;
    struct figure ruler = take_figure(s, b, CYCLES_RULER, counter ? NULL : theta, &room);
    struct figure other = take_figure(s, b, CYCLES_COUNTER, counter ? theta : NULL, &room);
    const struct figure *used = counter ? &other : &ruler;
    struct headline h = {
        .known = ruler.known,
        .doubled = s->used[KIND_BODY2],
        .ticks = ruler.ticks,
        .ruler = ruler,
        .counter = other,
        .cycles = used->cycles,
        .median = used->median,
        .se = used->se,
    };
    if (is_known(h.cycles.theta) && room.values > 0)
        h.modes = find_modes(s, b, step, &room);
    return h;
}
