#include "bench/kinds/chase.h"
#include "lib/text/mem.h"

#define WORD_BITS 64

/* Sets up to 2 MiB are walked in whole laps, of at least this many steps together. */
#define LAPS_UP_TO 32768
#define LAP_STEPS  2048
/* Steps of a walk in larger sets. With a stride prefetchers make a step short: walks have more
 * steps, and sets up to 8 MiB are walked in whole laps. */
#define PART_STEPS        1024
#define PART_STEPS_STRIDE 4096
#define LAPS_STRIDE       131072
/*
 * Sets above 16 MiB are checked by several walks at the same time, each over its part of the cycle:
 * their loads miss in parallel. Timed walks begin where a part begins, at the lines that were
 * visited first. These are the least recently used lines, as when one lap follows the other.
 */
#define ALONE_UP_TO (1u << 18)
#define WALKERS     8

_Static_assert(3 * PART_STEPS * CHASE_WALKS <= LAPS_UP_TO &&
                   3 * PART_STEPS_STRIDE * CHASE_WALKS <= LAPS_STRIDE,
               "walks of a series share lines");

uint64_t chase_map_bytes(uint64_t bytes)
{
    return (bytes / CHASE_LINE + WORD_BITS - 1) / WORD_BITS * sizeof(uint64_t);
}

/* Returns where an element is. With an element per page, consecutive elements are in consecutive
 * lines of their pages. The address within a page selects the set of a cache, so this fills the
 * sets evenly. */
static uint8_t *element(const struct chase *c, uint64_t i)
{
    return c->at + i * c->apart + i * CHASE_LINE % c->apart;
}

/* Returns the element at a position of the order. */
static void **line_at(const struct chase *c, uint32_t t)
{
    return (void **)(void *)element(c, order_at(&c->order, t));
}

void chase_build(struct chase *c, uint8_t *at, uint64_t bytes, uint64_t *map,
                 const struct bench_curve *kind, uint64_t seed)
{
    c->at = at;
    c->apart = kind->load == BENCH_PAGES ? (kind->page ? kind->page : BENCH_4K) : CHASE_LINE;
    c->n = (uint32_t)(bytes / c->apart);
    c->map = map;
    if (kind->stride)
        order_init_stride(&c->order, c->n, kind->stride);
    else
        order_init(&c->order, c->n, seed);
    void **line = line_at(c, 0);
    for (uint32_t t = 1; t <= c->n; t++) {
        void **next = line_at(c, t);
        *line = next;
        line = next;
    }
}

static unsigned walkers(const struct chase *c)
{
    return c->n > ALONE_UP_TO && !c->order.stride ? WALKERS : 1;
}

static bool in_laps(const struct chase *c)
{
    return c->n <= (c->order.stride ? LAPS_STRIDE : LAPS_UP_TO);
}

/* Marks an element as seen. Returns 1 if it was not; 0 if it was, or if this is not an element. */
static uint32_t see(const struct chase *c, void *const *line)
{
    const uint8_t *at = (const uint8_t *)line;
    uint64_t i = (uint64_t)(at - c->at) / c->apart, bit = 1ull << (i % WORD_BITS);

    if (i >= c->n || at != element(c, i) || c->map[i / WORD_BITS] & bit)
        return 0;
    c->map[i / WORD_BITS] |= bit;
    return 1;
}

uint32_t chase_check(const struct chase *c)
{
    unsigned many = walkers(c);
    uint32_t part = c->n / many, seen = 0;
    void *const *at[WALKERS];

    memset(c->map, 0, chase_map_bytes((uint64_t)c->n * CHASE_LINE));
    for (unsigned i = 0; i < many; i++)
        at[i] = line_at(c, i * part);
    for (uint32_t t = 0; t < part; t++)
        for (unsigned i = 0; i < many; i++) {
            if (!see(c, at[i]))
                return seen;
            seen++;
            at[i] = (void *const *)*(void *const volatile *)at[i];
        }
    for (unsigned i = 0; i < many; i++)
        if (at[i] != line_at(c, (i + 1) * part))
            return seen - 1; /* it visited them all, but not in one cycle */
    return seen;
}

/* Returns the laps of a walk: enough for LAP_STEPS, and whole iterations. */
static uint64_t laps_of(const struct chase *c)
{
    uint64_t laps = (LAP_STEPS + c->n - 1) / c->n;

    while (laps * c->n % CHASE_UNROLL)
        laps++;
    return laps;
}

struct chase_walks chase_walks(const struct chase *c, unsigned i)
{
    unsigned many = walkers(c);
    uint32_t steps = c->order.stride ? PART_STEPS_STRIDE : PART_STEPS;

    if (in_laps(c))
        return (struct chase_walks){0, laps_of(c) * c->n};
    return (struct chase_walks){i % many * (c->n / many) + i / many * 3 * steps, steps};
}

void chase_warm(const struct chase *c)
{
    struct chase_walks w = chase_walks(c, 0);
    void *const *end;

    if (in_laps(c))
        (void)chase_walk(line_at(c, 0), w.steps / CHASE_UNROLL, &end);
}

bool chase_time(const struct chase *c, const struct chase_walks *w, struct chase_ticks *t)
{
    void *const *middle, *const *end;
    uint64_t steps = w->steps, first = (w->from + steps) % c->n, last = (first + 2 * steps) % c->n;

    t->once = chase_walk(line_at(c, w->from), steps / CHASE_UNROLL, &middle);
    t->twice = chase_walk(middle, 2 * steps / CHASE_UNROLL, &end);
    return middle == line_at(c, (uint32_t)first) && end == line_at(c, (uint32_t)last);
}
