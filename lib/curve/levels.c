#include "lib/curve/levels.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define POINTS_MOST 128

/* The points that have a value. */
struct known_points {
    size_t n;
    struct level_point at[POINTS_MOST];
};

/* A range of points. */
struct range {
    size_t first, end;
};

static void take_known(struct known_points *k, const struct level_point *point, size_t n)
{
    k->n = 0;
    for (size_t i = 0; i < n && k->n < POINTS_MOST; i++)
        if (is_known(point[i].value) && point[i].value > 0)
            k->at[k->n++] = point[i];
}

/* Returns the end of the longest range from `first` on whose values lie within LEVEL_FLAT. */
static size_t flat_until(const struct known_points *k, size_t first, size_t end)
{
    double least = k->at[first].value, most = least;
    size_t i = first + 1;

    for (; i < end; i++) {
        double v = k->at[i].value;
        least = v < least ? v : least;
        most = v > most ? v : most;
        if (most > least * LEVEL_FLAT)
            break;
    }
    return i;
}

static double span(const struct known_points *k, const struct range *r)
{
    return (double)k->at[r->end - 1].bytes / (double)k->at[r->first].bytes;
}

/* Finds the flat range within [first, end) that spans the largest factor of sizes; of equal ones
 * the last, since a curve is flatter away from the cache before. False: none spans enough. */
static bool longest(const struct known_points *k, size_t first, size_t end, struct range *best)
{
    double widest = 0;

    for (size_t i = first; i < end; i++) {
        struct range r = {i, flat_until(k, i, end)};
        if (span(k, &r) < widest)
            continue;
        widest = span(k, &r);
        *best = r;
    }
    return widest >= LEVEL_SPAN;
}

/* Finds all levels within [0, n), in ascending order. */
static size_t find_all(const struct known_points *k, struct range found[LEVELS_MOST])
{
    struct range left[2 * LEVELS_MOST + 1] = {{0, k->n}};
    size_t waiting = 1, n = 0;

    while (waiting > 0 && n < LEVELS_MOST) {
        struct range in = left[--waiting], r;
        if (in.first >= in.end || !longest(k, in.first, in.end, &r))
            continue;
        size_t at = n++;
        for (; at > 0 && found[at - 1].first > r.first; at--)
            found[at] = found[at - 1];
        found[at] = r;
        left[waiting++] = (struct range){in.first, r.first};
        left[waiting++] = (struct range){r.end, in.end};
    }
    return n;
}

static double middle_of(const struct known_points *k, const struct range *r)
{
    double value[POINTS_MOST];

    for (size_t i = r->first; i < r->end; i++)
        value[i - r->first] = k->at[i].value;
    return median(value, r->end - r->first);
}

/* Joins a range with the one before it if they are adjacent and nearly equal. */
static size_t join(const struct known_points *k, struct range *r, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct range *last = kept ? &r[kept - 1] : NULL;
        double ratio = last ? middle_of(k, &r[i]) / middle_of(k, last) : 0;
        if (last && last->end == r[i].first && ratio < LEVEL_STEP && ratio > 1 / LEVEL_STEP)
            last->end = r[i].end;
        else
            r[kept++] = r[i];
    }
    return kept;
}

/* Returns the first size from which on all up to the next range are more than half-way to it; 0:
 * the curve climbs too slowly. */
static uint64_t half_way(const struct known_points *k, const struct range *r,
                         const struct range *next)
{
    double middle = (middle_of(k, r) + middle_of(k, next)) / 2;
    size_t to = next->first;

    while (to > r->end && k->at[to - 1].value > middle &&
           known_or(k->at[to - 1].lo, middle) >= middle)
        to--;
    uint64_t found = k->at[to].bytes;
    return found <= LEVEL_CLIMB * k->at[r->end - 1].bytes ? found : 0;
}

size_t levels_find(const struct level_point *point, size_t n, const struct cache *cache,
                   unsigned caches, struct level level[LEVELS_MOST])
{
    struct known_points k;
    struct range found[LEVELS_MOST] = {{0}};

    take_known(&k, point, n);
    size_t count = join(&k, found, find_all(&k, found));
    for (size_t i = 0; i < count; i++) {
        level[i] = (struct level){
            .value = middle_of(&k, &found[i]),
            .from = k.at[found[i].first].bytes,
            .to = k.at[found[i].end - 1].bytes,
            .beyond = found[i].end < k.n ? k.at[found[i].end].bytes : 0,
            .cache = -1,
        };
        level[i].half_way =
            i + 1 < count ? half_way(&k, &found[i], &found[i + 1]) : level[i].beyond;
    }
    levels_match(level, count, cache, caches);
    return count;
}

static bool have_intervals(const struct known_points *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (is_known(k->at[i].lo))
            return true;
    return false;
}

/* Returns whether b is lower than a beyond doubt. Comparisons with an UNKNOWN end are false. */
static bool is_lower(const struct level_point *a, const struct level_point *b, bool intervals)
{
    return b->value * LEVEL_FALL < a->value && (!intervals || b->hi < a->lo);
}

bool levels_fall(const struct level_point *point, size_t n, uint64_t *at)
{
    struct known_points k;

    take_known(&k, point, n);
    bool intervals = have_intervals(&k);
    for (size_t j = 1; j < k.n; j++)
        for (size_t i = 0; i < j; i++)
            if (is_lower(&k.at[i], &k.at[j], intervals)) {
                *at = k.at[j].bytes;
                return true;
            }
    return false;
}

/* Returns the factor between two sizes, at least 1. */
static double apart(uint64_t a, uint64_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

/* Returns the middle of the sizes between which a level ends, on a logarithmic scale. */
static uint64_t end_of(const struct level *l)
{
    return (uint64_t)mathx_sqrt((double)l->to * (double)l->half_way);
}

static bool may_match(const struct level *l, const struct cache *c)
{
    double size = (double)c->size;

    return c->type != CACHE_INSTRUCTION && l->half_way && size * LEVEL_MATCH >= (double)l->to &&
           size <= LEVEL_MATCH * (double)l->half_way;
}

static bool is_taken(const struct level *level, size_t n, unsigned cache)
{
    for (size_t i = 0; i < n; i++)
        if (level[i].cache == (int)cache)
            return true;
    return false;
}

/* Sets the closest pair that is left. False: no pair is left. */
static bool match_one(struct level *level, size_t n, const struct cache *cache, unsigned caches)
{
    size_t best = n;
    unsigned with = 0;

    for (size_t i = 0; i < n; i++)
        for (unsigned c = 0; c < caches; c++)
            if (level[i].cache < 0 && !is_taken(level, n, c) && may_match(&level[i], &cache[c]) &&
                (best == n || apart(end_of(&level[i]), cache[c].size) <
                                  apart(end_of(&level[best]), cache[with].size))) {
                best = i;
                with = c;
            }
    if (best < n)
        level[best].cache = (int)with;
    return best < n;
}

/* Returns the smallest cache for data that is larger than this one; `caches`: this is the last. */
static unsigned next_larger(const struct cache *cache, unsigned caches, unsigned than)
{
    unsigned found = caches;

    for (unsigned c = 0; c < caches; c++)
        if (cache[c].type != CACHE_INSTRUCTION && cache[c].size > cache[than].size &&
            (found == caches || cache[c].size < cache[found].size))
            found = c;
    return found;
}

/* Matches the level after one that has a cache with the next larger cache. */
static void match_next(struct level *level, size_t n, const struct cache *cache, unsigned caches)
{
    for (size_t i = 1; i + 1 < n; i++) {
        struct level *l = &level[i];
        if (l->cache >= 0 || l[-1].cache < 0 || l->value > LEVEL_HITS * l[1].value)
            continue;
        unsigned c = next_larger(cache, caches, (unsigned)l[-1].cache);
        if (c == caches || is_taken(level, n, c) || l->to > cache[c].size)
            continue;
        bool last = i + 2 == n && next_larger(cache, caches, c) == caches;
        l->early = l->half_way && last && l->half_way < cache[c].size;
        if (!l->half_way || l->early)
            l->cache = (int)c;
    }
}

void levels_match(struct level *level, size_t n, const struct cache *cache, unsigned caches)
{
    while (match_one(level, n, cache, caches))
        ;
    match_next(level, n, cache, caches);
}
