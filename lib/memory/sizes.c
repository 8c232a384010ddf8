#include "lib/memory/sizes.h"
#include "lib/stats/known.h"

#define LEAST_SIZES  2
#define LEAST_ROUNDS 2

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

static double seconds(const struct sizes_plan *p, const double *cost)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += p->rounds * p->visits[i] * cost[i];
    return sum;
}

/* Takes one measurement from the size that takes most time. Returns 0 if each has only one. */
static int fewer_visits(struct sizes_plan *p, const double *cost)
{
    size_t most = p->n;

    for (size_t i = 0; i < p->n; i++)
        if (p->visits[i] > 1 &&
            (most == p->n || p->visits[i] * cost[i] > p->visits[most] * cost[most]))
            most = i;
    if (most < p->n)
        p->visits[most]--;
    return most < p->n;
}

struct sizes_plan sizes_plan(const double *cost, size_t n, unsigned rounds, unsigned visits,
                             double budget)
{
    struct sizes_plan p = {.n = n, .rounds = rounds};

    for (size_t i = 0; i < n; i++)
        p.visits[i] = visits;
    while (seconds(&p, cost) > budget) {
        if (fewer_visits(&p, cost))
            continue;
        if (p.rounds > LEAST_ROUNDS)
            p.rounds--;
        else if (p.n > LEAST_SIZES)
            p.n--;
        else
            break;
    }
    p.seconds = seconds(&p, cost);
    return p;
}
