#include "lib/curve/sizes.h"
#include "lib/stats/mathx.h"

#define LEAST_SIZES 2
/* Of the budget: a size that takes less keeps its measurements. */
#define CHEAP (1 / 128.)

uint64_t sizes_of_cache(const struct cache *cache, unsigned n, unsigned level)
{
    uint64_t own = caches_bytes(cache, n, level), above = caches_bytes(cache, n, level - 1);

    return above ? (uint64_t)mathx_sqrt((double)above * (double)own) : own / 2;
}

size_t sizes_grid(uint64_t first, uint64_t most, bool dense, uint64_t size[SIZES_MOST])
{
    size_t n = 0;

    for (uint64_t octave = first; octave <= most && n < SIZES_MOST; octave *= 2) {
        size[n++] = octave;
        if (dense && octave + octave / 2 <= most && n < SIZES_MOST)
            size[n++] = octave + octave / 2;
    }
    return n;
}

/* Returns how much two neighbours differ, as a factor of at least 1; 1 if one is not known. */
static double bend(const double *value, size_t i)
{
    double a = value[i], b = value[i + 1];

    if (!is_known(a) || !is_known(b) || a <= 0 || b <= 0)
        return 1;
    return a > b ? a / b : b / a;
}

/* Returns the gap after which no size was inserted yet whose ends differ most; n: none is left. */
static size_t sharpest(const double *value, size_t n, const uint8_t *taken)
{
    size_t best = n;

    for (size_t i = 0; i + 1 < n; i++)
        if (!taken[i] && bend(value, i) > SIZES_BEND &&
            (best == n || bend(value, i) > bend(value, best)))
            best = i;
    return best;
}

size_t sizes_refine(uint64_t size[SIZES_MOST], const double *value, size_t n, uint64_t unit)
{
    uint8_t taken[SIZES_MOST] = {0};
    size_t more = 0;

    for (size_t i = 0; i + 1 < n; i++) /* not to be taken */
        taken[i] = (size[i] + (size[i + 1] - size[i]) / 2) % unit ? 2 : 0;

    for (size_t i; n + more < SIZES_MOST && (i = sharpest(value, n, taken)) < n; more++)
        taken[i] = 1;
    for (size_t i = n, to = n + more; i-- > 0;) {
        if (taken[i] == 1) { /* size[to] is the next size, which has been moved */
            uint64_t middle = size[i] + (size[to] - size[i]) / 2;
            size[--to] = middle;
        }
        size[--to] = size[i];
    }
    return n + more;
}

/* Returns the seconds of the measurements that a size still needs, or that it gets of them. */
static double seconds(const struct sizes_plan *p, const struct sizes_cost *cost, size_t i)
{
    unsigned more = p->visits[i] > cost[i].done ? p->visits[i] - cost[i].done : 0;

    return more * cost[i].seconds;
}

static double seconds_of_all(const struct sizes_plan *p, const struct sizes_cost *cost, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += seconds(p, cost, i);
    return sum;
}

/* Takes one measurement from the size that takes most time. False: each has only `least`, or takes
 * at most `cheap` seconds. */
static bool fewer_visits(struct sizes_plan *p, const struct sizes_cost *cost, size_t n,
                         unsigned least, double cheap)
{
    double longest = cheap;
    size_t at = n;

    for (size_t i = 0; i < n; i++) {
        double time = seconds(p, cost, i) /
                      (cost[i].rank == SIZES_REPRESENTATIVE ? SIZES_REPRESENTATIVE_TIMES : 1);
        if (p->visits[i] <= least || !(time > longest))
            continue;
        longest = time;
        at = i;
    }
    if (at < n)
        p->visits[at]--;
    return at < n;
}

/* Leaves out the most expensive size that was added. False: none is left. */
static bool fewer_added(struct sizes_plan *p, const struct sizes_cost *cost, size_t n)
{
    double longest = 0;
    size_t at = n;

    for (size_t i = 0; i < n; i++) {
        if (cost[i].rank != SIZES_ADDED || !(seconds(p, cost, i) > longest))
            continue;
        longest = seconds(p, cost, i);
        at = i;
    }
    if (at < n)
        p->visits[at] = 0;
    return at < n;
}

/* Leaves out the largest size. False: only LEAST_SIZES are left. */
static bool shorter(struct sizes_plan *p, size_t n)
{
    while (n > LEAST_SIZES && p->visits[n - 1] == 0)
        n--;
    if (n <= LEAST_SIZES)
        return false;
    p->visits[n - 1] = 0;
    p->shorter = true;
    return true;
}

struct sizes_plan sizes_plan(const struct sizes_cost *cost, size_t n, struct sizes_visits v,
                             double budget)
{
    struct sizes_plan p = {.shorter = false};

    for (size_t i = 0; i < n; i++)
        p.visits[i] = v.most;
    while ((p.seconds = seconds_of_all(&p, cost, n)) > budget)
        if (!fewer_visits(&p, cost, n, v.enough, CHEAP * budget) && !fewer_added(&p, cost, n) &&
            !fewer_visits(&p, cost, n, v.least, 0) && !shorter(&p, n))
            break;
    return p;
}

/* Returns the next number of a Weyl sequence, mixed (splitmix64; Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void order_init(struct order *o, uint32_t n, uint64_t seed)
{
    uint32_t bits = 1;

    while (bits < 31 && (1u << bits) < n)
        bits++;
    o->n = n;
    o->stride = 0;
    o->mask = (1u << bits) - 1;
    o->shift = (bits + 1) / 2;
    for (unsigned i = 0; i < ORDER_ROUNDS; i++) {
        o->multiply[i] = (uint32_t)draw(&seed) | 1;
        o->add[i] = (uint32_t)draw(&seed);
    }
}

/* Permutes the numbers up to the mask: an odd factor, a sum, and an XOR with the upper half can
 * each be undone. */
static uint32_t mix(const struct order *o, uint32_t x)
{
    for (unsigned i = 0; i < ORDER_ROUNDS; i++) {
        x = (x * o->multiply[i] + o->add[i]) & o->mask;
        x ^= x >> o->shift;
    }
    return x;
}

/* Mixes again until the result is below n. Following a permutation from a number below n leads to
 * one below n, at the latest to itself; so this is a permutation of those below n. */
uint32_t order_at(const struct order *o, uint32_t t)
{
    t = t == o->n ? 0 : t;
    if (o->stride)
        return t % (o->n / o->stride) * o->stride + t / (o->n / o->stride);
    uint32_t x = mix(o, t);

    while (x >= o->n)
        x = mix(o, x);
    return x;
}
