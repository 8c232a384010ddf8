#include "lib/stats/coverage.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/moments.h"

#define BOOTSTRAPS 1000 /* the standard error itself is then accurate to 2% */

static bool is_covered(const struct coverage_row *promised, const struct coverage_row *seen)
{
    return promised->lo <= seen->figure && seen->figure <= promised->hi;
}

/* For every ordered pair of launches, stores two numbers: the rows judged, and how many of them are
 * covered. */
static void judge_pairs(const struct coverage_row *rows, size_t launches, size_t count,
                        double *pairs)
{
    for (size_t i = 0; i < launches; i++)
        for (size_t j = 0; j < launches; j++, pairs += 2) {
            pairs[0] = pairs[1] = 0;
            for (size_t k = 0; i != j && k < count; k++) {
                const struct coverage_row *promised = &rows[i * count + k];
                const struct coverage_row *seen = &rows[j * count + k];
                if (is_known(promised->figure) && is_known(seen->figure)) {
                    pairs[0]++;
                    pairs[1] += is_covered(promised, seen);
                }
            }
        }
}

/* Returns the share over all pairs, with launch l counted times[l] times. A launch is not paired
 * with itself or its own copies. */
static struct coverage pool(const double *pairs, const double *times, size_t launches)
{
    double judged = 0, inside = 0;

    for (size_t i = 0; i < launches; i++)
        for (size_t j = 0; j < launches; j++, pairs += 2) {
            judged += times[i] * times[j] * pairs[0];
            inside += times[i] * times[j] * pairs[1];
        }
    return (struct coverage){.pairs = judged, .share = inside / judged};
}

/* Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014 (SplitMix64). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double bootstrap(const double *pairs, double *times, size_t launches, uint64_t seed)
{
    struct moments shares = {0};

    for (int round = 0; round < BOOTSTRAPS; round++) {
        for (size_t i = 0; i < launches; i++)
            times[i] = 0;
        for (size_t i = 0; i < launches; i++)
            times[(unsigned __int128)next_random(&seed) * launches >> 64]++;
        struct coverage drawn = pool(pairs, times, launches);
        if (drawn.pairs > 0) /* the same launch every time: nothing to judge */
            moments_add(&shares, drawn.share);
    }
    return moments_sd(&shares);
}

struct coverage coverage(const struct coverage_row *rows, size_t launches, size_t count,
                         double wanted, uint64_t seed, double *scratch)
{
    double *pairs = scratch, *times = scratch + 2 * launches * launches;

    judge_pairs(rows, launches, count, pairs);
    for (size_t i = 0; i < launches; i++)
        times[i] = 1;
    struct coverage all = pool(pairs, times, launches);
    /* Two launches have only one set of pairs: each draw is the same. */
    all.se = launches > 2 ? bootstrap(pairs, times, launches, seed) : UNKNOWN;
    all.fails = all.share + 2 * all.se < wanted;
    return all;
}
