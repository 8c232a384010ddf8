/*
 * stats_step: the step in which the TSC moves. docs/window.md "The step" has the safeguards: a
 * machine whose windows show only a few values, or modes at chance distances, also has a common
 * divisor or a good period.
 */
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include <stdbool.h>

#define STEP_LARGEST 512
#define DELTAS_LEAST 32  /* a chance of 1 in 2^32 that all are even */
#define SAMPLE       512 /* number of deltas examined; strays may be 1% of them */
#define SOME(n)      ((n) / 100 + 1)
#define GOLDEN       0x9e3779b97f4a7c15u /* 2^64 times the golden ratio's fraction */

/*
 * The search runs over f = 1/s in steps of 2^-15. For deltas up to 4096 ticks that is an eighth of
 * a turn per step, so the grid point nearest to a peak of 0.9 shows at least 0.83. Longer deltas
 * are left out.
 */
#define GRID        0x1p-15
#define GRID_LEAST  0.8
#define LONGEST     4096
#define SCANNED_MAX 256
/* docs/window.md. Rounding to whole ticks keeps a non-integer step below 5.6 under this peak. */
#define PEAK_LEAST 0.9
/* A delta is the difference of two readings, each cut to whole ticks; half a tick for s itself. */
#define ROUNDING 1.5

/* Takes at most SAMPLE deltas that are not zero, spread over all of them by the golden ratio:
 * evenly, and not in step with any pattern in the order of the windows. Ascending. */
static size_t take_sample(const uint64_t *deltas, size_t n, uint64_t *sample)
{
    size_t m = 0, most = n < SAMPLE ? n : SAMPLE;

    for (uint64_t i = 0; i < most; i++) {
        size_t at = (size_t)i;
        if (n > SAMPLE) {
            uint64_t fraction = i * GOLDEN;
            at = (size_t)((unsigned __int128)fraction * n >> 64);
        }
        if (deltas[at])
            sample[m++] = deltas[at];
    }
    stats_sort(sample, m);
    return m;
}

struct spread {
    size_t others;     /* deltas on neither of the two fullest multiples */
    size_t neighbours; /* deltas that have a counterpart on the next multiple */
};

/* Distribution of the sample over the multiples of s (s = 1: over its values). */
static struct spread spread_over(const uint64_t *sample, size_t m, double s)
{
    size_t first = 0, second = 0, count_before = 0;
    double k_before = -1;
    struct spread spread = {0};

    for (size_t i = 0, end; i < m; i = end) {
        double k = mathx_nearest((double)sample[i] / s);
        for (end = i + 1; end < m && mathx_nearest((double)sample[end] / s) == k;)
            end++;
        size_t count = end - i;
        if (k == k_before + 1)
            spread.neighbours += count < count_before ? count : count_before;
        if (count > first) {
            second = first;
            first = count;
        } else if (count > second) {
            second = count;
        }
        count_before = count;
        k_before = k;
    }
    spread.others = m - first - second;
    return spread;
}

static unsigned largest_divisor(const uint64_t *deltas, size_t n)
{
    size_t counted = 0;

    for (size_t i = 0; i < n; i++)
        counted += deltas[i] != 0;
    for (unsigned s = STEP_LARGEST; s > 1; s--) {
        size_t misses = 0;
        for (size_t i = 0; i < n && misses <= counted / 1000; i++)
            misses += deltas[i] % s != 0;
        if (misses <= counted / 1000)
            return s;
    }
    return 1;
}

/* Least squares: returns the s for which the deltas are nearest to whole multiples of it. */
static double refine(const uint64_t *sample, size_t m, double s)
{
    double kt = 0, kk = 0;

    for (size_t i = 0; i < m; i++) {
        double k = mathx_nearest((double)sample[i] / s);
        kt += k * (double)sample[i];
        kk += k * k;
    }
    return kk > 0 ? kt / kk : 0;
}

static bool are_multiples(const uint64_t *sample, size_t m, double s)
{
    double slack = s / 4 < ROUNDING ? s / 4 : ROUNDING;
    size_t strays = 0;

    for (size_t i = 0; i < m; i++) {
        double t = (double)sample[i], away = t - s * mathx_nearest(t / s);
        strays += away > slack || away < -slack;
    }
    return strays < SOME(m);
}

/* There must be at least three multiples of s, two of them neighbours, each with more deltas than
 * strays: on any machine, one or two clusters of values lie near multiples of some s. */
static bool is_lattice(const uint64_t *sample, size_t m, double s)
{
    struct spread spread = spread_over(sample, m, s);

    return spread.others >= SOME(m) && spread.neighbours >= SOME(m);
}

static double coherence(const uint64_t *sample, size_t m, double s)
{
    double sum = 0;

    for (size_t i = 0; i < m; i++)
        sum += mathx_cos_turns((double)sample[i] / s);
    return sum / (double)m;
}

/* Refines and examines a peak of the grid at s; keeps the better of it and the best so far. */
static void consider(const uint64_t *sample, size_t m, double s, double *best, double *best_peak)
{
    s = refine(sample, m, refine(sample, m, s));
    if (!(s >= 2 && s <= STEP_LARGEST) || !are_multiples(sample, m, s) || !is_lattice(sample, m, s))
        return;
    double peak = coherence(sample, m, s);
    if (peak > PEAK_LEAST && peak > *best_peak) {
        *best_peak = peak;
        *best = s;
    }
}

/* The cosines at all grid points by cos((j+1) w) = 2 cos(w) cos(j w) - cos((j-1) w), on a part of
 * the sample. Most of the time is spent here: at most 16384 points of 256 values. */
static double scaled_step(const uint64_t *sample, size_t m)
{
    double now[SCANNED_MAX], before[SCANNED_MAX], factor[SCANNED_MAX];
    size_t scanned = m < SCANNED_MAX ? m : SCANNED_MAX;
    /* No step is longer than the shortest delta that is not a stray. */
    double longest = (double)sample[SOME(m) - 1] + ROUNDING;
    double f = 1 / (longest < STEP_LARGEST ? longest : STEP_LARGEST);

    for (size_t i = 0; i < scanned; i++) {
        double t = (double)sample[i * m / scanned];
        now[i] = mathx_cos_turns(t * f);
        before[i] = mathx_cos_turns(t * (f - GRID));
        factor[i] = 2 * mathx_cos_turns(t * GRID);
    }

    double best = 1, best_peak = 0, last = -1, last_but_one = -1;
    for (bool end = false; !end; f += GRID) {
        end = f > 0.5;
        double sum = 0;
        for (size_t i = 0; i < scanned; i++) {
            sum += now[i];
            double next = factor[i] * now[i] - before[i];
            before[i] = now[i];
            now[i] = next;
        }
        double mean = end ? -1 : sum / (double)scanned;
        if (last >= GRID_LEAST && last >= last_but_one && last > mean)
            consider(sample, m, 1 / (f - GRID), &best, &best_peak);
        last_but_one = last;
        last = mean;
    }
    return best;
}

double stats_step(const uint64_t *deltas, size_t n)
{
    uint64_t sample[SAMPLE];
    size_t m = take_sample(deltas, n, sample), short_ones = 0;

    if (m < DELTAS_LEAST || spread_over(sample, m, 1).others < SOME(m))
        return 1;
    unsigned divisor = largest_divisor(deltas, n);
    if (divisor > 1)
        return divisor;
    while (short_ones < m && sample[short_ones] <= LONGEST)
        short_ones++;
    return 2 * short_ones > m ? scaled_step(sample, short_ones) : 1;
}
