#include "lib/stats/modes.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include <stdbool.h>

#define GAP_ERRORS      4.0 /* docs/figure.md, as the four below */
#define GAP_CYCLES      0.05
#define STRAY_SHARE     0.01 /* share of all blocks that a gap may contain */
#define SIDE_SHARE      0.05
#define SIDE_LEAST      3
#define ASHMAN_LEAST    3.0
#define PAIR_SHARE      0.125 /* q in modes.h: half of the alike pairs of four equal modes */
#define PLACEMENTS_MANY 8     /* enough for at least q alike pairs with four modes */
#define LAYOUT_PURITY   0.9
#define SIGN            ((uint64_t)1 << 63)

/* Doubles as integers in the same order, for stats_sort: all bits of negative ones are inverted. */
union bits {
    double value;
    uint64_t word;
};

static uint64_t key_of(double value)
{
    uint64_t word = (union bits){value}.word;

    return word & SIGN ? ~word : word | SIGN;
}

static double value_of(uint64_t key)
{
    return (union bits){.word = key & SIGN ? key & ~SIGN : ~key}.value;
}

/* The blocks in both orders. */
struct blocks {
    const struct modes_input *in;
    const uint64_t *sorted; /* keys of all, ascending */
    const uint64_t *placed; /* keys in the order measured, ascending within a placement */
    bool across;            /* only pairs of different placements count */
};

static size_t placement_end(const struct modes_input *in, size_t from)
{
    size_t end = from + 1;

    while (end < in->n && in->placement[end] == in->placement[from])
        end++;
    return end;
}

/* Returns the number of pairs among n ascending keys that lie at most d apart. */
static uint64_t pairs_within(const uint64_t *keys, size_t n, double d)
{
    uint64_t pairs = 0;

    for (size_t i = 1, low = 0; i < n; i++) {
        double value = value_of(keys[i]);
        while (value - value_of(keys[low]) > d)
            low++;
        pairs += i - low;
    }
    return pairs;
}

/* The same for the pairs that count. */
static uint64_t pairs_at_most(const struct blocks *b, double d)
{
    size_t n = b->in->n;
    uint64_t pairs = pairs_within(b->sorted, n, d);

    for (size_t from = 0, end; b->across && from < n; from = end) {
        end = placement_end(b->in, from);
        pairs -= pairs_within(b->placed + from, end - from, d);
    }
    return pairs;
}

/* Returns the distance that PAIR_SHARE of the pairs do not exceed, to 2^-40 of the range. */
static double pair_distance(const struct blocks *b)
{
    double low = 0, high = value_of(b->sorted[b->in->n - 1]) - value_of(b->sorted[0]);
    double wanted = PAIR_SHARE * (double)pairs_at_most(b, high);

    if ((double)pairs_at_most(b, 0) >= wanted)
        return 0;
    for (int i = 0; i < 40; i++) {
        double middle = low + (high - low) / 2;
        if ((double)pairs_at_most(b, middle) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Parts of the sorted blocks: part k is [start[k], start[k + 1]). */
struct parts {
    size_t count, start[MODES_MOST + 1];
};

/* P: the share of pairs within one mode. */
static double alike(const struct parts *p)
{
    double sum = 0, n = (double)p->start[p->count];

    for (size_t k = 0; k < p->count; k++) {
        double share = (double)(p->start[k + 1] - p->start[k]) / n;
        sum += share * share;
    }
    return sum;
}

static double block_error(const struct modes_input *in, double distance, double alike)
{
    double least = in->floor > in->within ? in->floor : in->within;
    double z = dist_normal((1 + PAIR_SHARE / alike) / 2);
    double pairs = distance / (mathx_sqrt(2) * z);

    return pairs > least ? pairs : least;
}

static struct moments moments_of(const uint64_t *keys, size_t n)
{
    struct moments m = {0};

    for (size_t i = 0; i < n; i++)
        moments_add(&m, value_of(keys[i]));
    return m;
}

static double variance_of(const struct moments *m, double floor)
{
    double variance = moments_variance(m);

    return variance > floor * floor ? variance : floor * floor;
}

static bool ashman(const uint64_t *keys, size_t below, size_t all, double floor)
{
    struct moments low = moments_of(keys, below);
    struct moments high = moments_of(keys + below, all - below);
    double apart = high.mean - low.mean;
    double spread = (variance_of(&low, floor) + variance_of(&high, floor)) / 2;

    return apart * apart > ASHMAN_LEAST * ASHMAN_LEAST * spread;
}

static struct parts split(const struct parts *p, size_t part, size_t at)
{
    struct parts more = *p;

    for (size_t k = ++more.count; k > part + 1; k--)
        more.start[k] = p->start[k - 1];
    more.start[part + 1] = at;
    return more;
}

/* Returns where to cut the gap that begins before `at` and has this many strays: its middle. */
static size_t cut_of(const struct blocks *b, size_t at, size_t strays)
{
    double middle = (value_of(b->sorted[at - 1]) + value_of(b->sorted[at + strays])) / 2;

    while (value_of(b->sorted[at]) <= middle)
        at++;
    return at;
}

/* Splits at the widest gap that qualifies; returns false if no gap does. */
static bool split_widest(const struct blocks *b, double distance, struct parts *p)
{
    const struct modes_input *in = b->in;
    double share = SIDE_SHARE * (double)in->n;
    size_t strays = (size_t)(STRAY_SHARE * (double)in->n);
    /* No split has fewer alike pairs, so no limit is lower: most gaps need not be tried. */
    double widest = GAP_ERRORS * block_error(in, distance, 1.0 / MODES_MOST);

    if (widest < GAP_CYCLES)
        widest = GAP_CYCLES;
    struct parts best = *p;
    for (size_t k = 0; k < p->count; k++) {
        size_t from = p->start[k], end = p->start[k + 1];
        for (size_t at = from + SIDE_LEAST; at + strays + SIDE_LEAST <= end; at++) {
            double gap = value_of(b->sorted[at + strays]) - value_of(b->sorted[at - 1]);
            if (gap <= widest)
                continue;
            size_t cut = cut_of(b, at, strays);
            if ((double)(cut - from) < share || (double)(end - cut) < share)
                continue;
            struct parts tried = split(p, k, cut);
            if (gap > GAP_ERRORS * block_error(in, distance, alike(&tried)) &&
                ashman(b->sorted + from, cut - from, end - from, in->floor)) {
                widest = gap;
                best = tried;
            }
        }
    }
    bool found = best.count > p->count;
    *p = best;
    return found;
}

/* Returns the share that a mode has in the placements of its blocks, averaged over the blocks: 1 if
 * the mode is constant within placements, its overall share if it changes everywhere. */
static double purity(const struct blocks *b, uint64_t lowest, uint64_t highest, size_t blocks)
{
    double sum = 0;

    for (size_t from = 0, end; from < b->in->n; from = end) {
        double mine = 0;
        end = placement_end(b->in, from);
        for (size_t i = from; i < end; i++)
            mine += b->placed[i] >= lowest && b->placed[i] <= highest;
        sum += mine * mine / (double)(end - from);
    }
    return sum / (double)blocks;
}

static struct mode describe(const struct blocks *b, const struct parts *p, size_t k)
{
    const uint64_t *keys = b->sorted + p->start[k];
    size_t n = p->start[k + 1] - p->start[k];
    struct moments m = moments_of(keys, n);
    struct mode mode = {
        .at = m.mean,
        .sd = n > 1 ? moments_sd(&m) : 0,
        .share = (double)n / (double)b->in->n,
        .n = n,
        .kind = MODE_ONLY,
    };

    if (p->count > 1)
        mode.kind = purity(b, keys[0], keys[n - 1], n) >= LAYOUT_PURITY ? MODE_LAYOUT : MODE_TIME;
    return mode;
}

/* Fills both orders; the blocks stay in their placements, each sorted. */
static struct blocks order(const struct modes_input *in, uint64_t *scratch)
{
    uint64_t *sorted = scratch, *placed = scratch + in->n;
    size_t placements = 0;

    for (size_t i = 0; i < in->n; i++)
        sorted[i] = placed[i] = key_of(in->values[i]);
    stats_sort(sorted, in->n);
    for (size_t from = 0, end; from < in->n; from = end) {
        end = placement_end(in, from);
        stats_sort(placed + from, end - from);
        placements++;
    }
    return (struct blocks){in, sorted, placed, placements >= PLACEMENTS_MANY};
}

void modes_find(const struct modes_input *in, uint64_t *scratch, struct modes *out)
{
    *out = (struct modes){0};
    if (in->n == 0)
        return;
    struct blocks b = order(in, scratch);
    struct parts p = {1, {0, in->n}};
    double distance = pair_distance(&b);
    while (p.count < MODES_MOST && split_widest(&b, distance, &p))
        ;
    out->count = p.count;
    out->block_se = block_error(in, distance, alike(&p));
    for (size_t k = 0; k < p.count; k++)
        out->mode[k] = describe(&b, &p, k);
}
