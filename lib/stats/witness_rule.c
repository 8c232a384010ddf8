#include "lib/stats/witness_rule.h"

#define BIN_WIDTH    0.01 /* of the natural logarithm */
#define SPREAD       4    /* bins on either side that belong to one level without noise */
#define SPREAD_NOISE 2.5  /* with noise, this many standard errors */
#define NEAR         12   /* bins next to those, with few readings of an exclusive core */
#define TIGHT        0.85 /* a level's minimum share of the readings in all of these bins */
#define LEAST        8    /* minimum number of readings in runs for a level */
#define ONE_IN       500  /* ... and a minimum of one in this number of all in runs */
#define BELOW_MOST   0.1  /* share of all readings: those with a disturbed ruler */
#define HELD         0.8  /* a level with this share of all readings is accepted at any width */
#define HELD_OF      256  /* ... once there are this many readings */

/* Two readings are alike if they differ by no more than this, or than their noise. */
#define ALIKE           0.04
#define ALIKE_NOISE     3.5
#define EXCLUSIVE_NOISE 3.5 /* one of 1000 exclusive readings is above */

#define WIDTH_OFF 0.025 /* a level is a core's width if it is this near to half a NOP per cycle */
#define WIDTH_IS  0.02  /* ... and is set to that width */

#define NOISE_WANTED 0.016
#define PLAN_WINDOWS 2 /* minimum: one may be interrupted */
#define MOST_WINDOWS WITNESS_WINDOWS
#define LEAST_CYCLES 128 /* that the NOPs of a window take: several times the window's own cost */
#define MOST_CYCLES  2048

/* --- levels ----------------------------------------------------------------------------------- */

static size_t bin_of(double level)
{
    size_t i = (size_t)(mathx_log(level / WITNESS_LEAST) / BIN_WIDTH);

    return i < WITNESS_BINS ? i : WITNESS_BINS - 1;
}

/* The middle of a bin. */
static double level_of(size_t bin)
{
    return WITNESS_LEAST * mathx_exp(((double)bin + 0.5) * BIN_WIDTH);
}

/* Returns the bins on either side that belong to one level. */
static size_t spread(const struct witness *w)
{
    double bins = SPREAD_NOISE * w->noise / BIN_WIDTH;

    return bins > SPREAD ? bins < WITNESS_BINS ? (size_t)bins : WITNESS_BINS : SPREAD;
}

/* Counts the values within this number of bins of one; *level gets their mean. */
static uint32_t within(const struct witness *w, size_t bin, size_t bins, double *level)
{
    size_t from = bin < bins ? 0 : bin - bins;
    size_t to = bin + bins < WITNESS_BINS ? bin + bins : WITNESS_BINS - 1;
    uint32_t n = 0;
    double sum = 0;

    for (size_t i = from; i <= to; i++) {
        n += w->shown[i];
        if (level)
            sum += w->shown[i] * level_of(i);
    }
    if (level && n)
        *level = sum / n;
    return n;
}

static uint32_t around(const struct witness *w, size_t bin)
{
    return within(w, bin, spread(w), NULL);
}

/* From a flank to the top, over equally full bins; descend() continues to the next valley. */
static size_t climb(const struct witness *w, size_t i)
{
    uint32_t here = around(w, i);

    for (size_t next = i + 1; next < WITNESS_BINS && next <= i + spread(w); next++) {
        uint32_t there = around(w, next);
        if (there > here) {
            here = there;
            i = next;
        }
    }
    return i;
}

static size_t descend(const struct witness *w, size_t i)
{
    uint32_t here = around(w, i);

    for (uint32_t next; i + 1 < WITNESS_BINS && (next = around(w, i + 1)) <= here; here = next)
        i++;
    return i;
}

/* --- widths ----------------------------------------------------------------------------------- */

/* Returns the level of the nearest whole or half width. */
static double width_near(double level)
{
    double halves = mathx_nearest(2 / level);

    return halves >= 1 ? 2 / halves : 2;
}

static double off(double a, double b)
{
    return a > b ? a / b - 1 : b / a - 1;
}

static bool is_tight(const struct witness *w, size_t bin, uint32_t n)
{
    return n >= TIGHT * within(w, bin, spread(w) + NEAR, NULL);
}

/* With a neighbour, the core's share varies, so any level has faster readings below it. */
static bool is_fastest(const struct witness *w, size_t bin)
{
    uint32_t below = 0;

    for (size_t i = 0; i + spread(w) < bin; i++)
        below += w->seen[i];
    return below <= BELOW_MOST * w->ranged;
}

static bool is_own_width(const struct witness *w, double level, uint32_t n)
{
    bool held = w->readings >= HELD_OF && n >= HELD * w->readings;

    return held || off(level, width_near(level)) <= WIDTH_OFF;
}

static void look_for_best(struct witness *w)
{
    uint32_t need = w->counted / ONE_IN;

    if (need < LEAST)
        need = LEAST;
    for (size_t i = 0; i < WITNESS_BINS; i++) {
        double level = 0;
        if (around(w, i) < need)
            continue;
        i = climb(w, i);
        uint32_t n = within(w, i, spread(w), &level);
        if (is_tight(w, i, n) && is_own_width(w, level, n) && is_fastest(w, i)) {
            double width = width_near(level);
            w->best = off(level, width) <= WIDTH_IS ? width : level;
            return;
        }
        i = descend(w, i);
    }
    w->best = 0;
}

/* --- readings --------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void count(struct witness *w, double level)
{
    w->shown[bin_of(level)]++;
    w->counted++;
}

/* Adds the reading to the run; if it is not alike, it starts the next run. */
static bool goes_on(struct witness *w, double level, double noise)
{
    bool alike = w->length > 0 && off(level, w->mean) <= larger(ALIKE, ALIKE_NOISE * noise);

    w->length = alike ? w->length + 1 : 1;
    w->mean = alike ? w->mean + (level - w->mean) / w->length : level;
    if (w->length <= WITNESS_RUN)
        w->run[w->length - 1] = level;
    return alike;
}

void witness_add(struct witness *w, double level, double noise, bool steady)
{
    bool in_range = is_known(level) && level > WITNESS_LEAST && level < WITNESS_MOST;

    w->readings++;
    if (in_range) {
        w->seen[bin_of(level)]++;
        w->ranged++;
    }
    if (!steady || !in_range) {
        w->length = 0;
        return;
    }
    w->noise += (noise - w->noise) / w->readings;
    if (!goes_on(w, level, noise) || w->length < WITNESS_RUN)
        return;
    if (w->length == WITNESS_RUN)
        for (unsigned i = 0; i < WITNESS_RUN; i++)
            count(w, w->run[i]);
    else
        count(w, level);
    /* The search visits all bins: at first after each reading, then less often. */
    if (w->counted >= w->look || level < w->best * (1 - WITNESS_ABOVE)) {
        look_for_best(w);
        w->look = w->counted + 1 + w->counted / 16;
    }
}

bool witness_is_exclusive(const struct witness *w, double level, double noise)
{
    return w->best > 0 && level <= w->best * (1 + larger(WITNESS_ABOVE, EXCLUSIVE_NOISE * noise)) &&
           level >= w->best * (1 - larger(WITNESS_BELOW, EXCLUSIVE_NOISE * noise));
}

/* Difference of two readings of a clock that steps by s: the sum of two uniform errors. */
#define STEP_SD     0.408 /* 1 / sqrt(6) */
#define STEADY_STEP 2
#define STEADY      0.02

bool witness_steady(double sd, double step, double ticks)
{
    return sd <= STEADY_STEP * STEP_SD * step + STEADY * ticks;
}

/* --- the plan of a reading -------------------------------------------------------------------- */

struct moments witness_undisturbed(const double *ticks, size_t n, double times)
{
    struct moments kept = {0};
    double least = ticks[0];

    for (size_t i = 1; i < n; i++)
        least = ticks[i] < least ? ticks[i] : least;
    for (size_t i = 0; i < n; i++)
        if (ticks[i] <= times * least)
            moments_add(&kept, ticks[i]);
    return kept;
}

/* Noise as in witness_steady(), of two means of this number of windows. */
static double noise_of(const struct witness_plan *plan, double step, double level)
{
    double cycles = level * plan->nops;
    double clock = (cycles + plan->window) / (plan->adds + plan->ruler_window);

    return STEP_SD * step / mathx_sqrt(plan->windows) * mathx_sqrt(1 + clock * clock) / cycles;
}

struct witness_plan witness_plan(double step, double level, double window)
{
    struct witness_plan plan = {
        .windows = PLAN_WINDOWS, .nops = WITNESS_UNIT, .window = window, .ruler_window = window};

    while (level * plan.nops < LEAST_CYCLES)
        plan.nops += WITNESS_UNIT;
    for (;;) {
        plan.adds = (unsigned)(level * plan.nops) / 64 * 64 + 64;
        plan.noise = noise_of(&plan, step, level);
        bool longer = level * plan.nops < MOST_CYCLES, more = plan.windows < MOST_WINDOWS;
        if (plan.noise <= NOISE_WANTED || (!longer && !more))
            return plan;
        /* Longer windows first: the cost of their ends counts too. */
        if (longer && (!more || level * plan.nops < 512 * plan.windows / PLAN_WINDOWS))
            plan.nops += WITNESS_UNIT;
        else
            plan.windows++;
    }
}
