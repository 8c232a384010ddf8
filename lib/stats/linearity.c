#include "lib/stats/linearity.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

/* Two-sided 99% quantile of the normal distribution. */
#define Z99 2.576

#define RHO_MOST 0.95 /* limit for the correlation of neighbouring groups */

const unsigned linearity_adds[LINEARITY_POINTS] = {0, 1, 2, 5, 10, 20, 50, 100, 1000};

/* Index of N = 1, which the others are measured from. */
#define REFERENCE 1

void linearity(const double location[LINEARITY_POINTS], double c, size_t n, double step,
               struct linearity_point points[LINEARITY_POINTS])
{
    for (int i = 0; i < LINEARITY_POINTS; i++) {
        unsigned adds = linearity_adds[i];
        struct linearity_point *p = &points[i];
        *p = (struct linearity_point){adds, location[i], UNKNOWN, UNKNOWN, i > REFERENCE};
        if (!(c > 0))
            continue;
        p->cycles = (location[i] - location[REFERENCE]) / c - ((double)adds - 1);
        if (n > 0)
            p->half = Z99 * step / (mathx_sqrt(2 * (double)n) * c);
    }
}

size_t linearity_windows(double half, double c, double step)
{
    if (!(c > 0) || !(half > 0))
        return 0;
    double root = Z99 * step / (half * c), windows = mathx_floor(root * root / 2) + 1;
    /* Limits the number: a half-width that no run can reach must not overflow to a small one. */
    return windows < 0x1p62 ? (size_t)windows : (size_t)1 << 62;
}

static bool is_whole(const struct linearity_group *group)
{
    for (int i = 0; i < LINEARITY_POINTS; i++)
        if (!is_known(group->location[i]))
            return false;
    return group->c > 0;
}

/* Returns the wider of the groups' own half-width and the one from the clock's step. */
static double half_of(const struct moments *errors, double step_half)
{
    double n = (double)errors->n;

    if (errors->n < 2)
        return step_half;
    double half = dist_t(0.995, n - 1) * moments_sd(errors) / mathx_sqrt(n);
    return half > step_half ? half : step_half;
}

static bool on_the_line(const struct linearity_point *p)
{
    return p->adds >= LINEARITY_FROM && is_known(p->cycles);
}

/* Ordinary least squares; the half-widths of slope and shadow from those of the points. */
static struct linearity_line line_through(const struct linearity_point points[LINEARITY_POINTS])
{
    struct linearity_line l = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, false};
    struct moments x = {0}, y = {0};
    double products = 0, slope_var = 0, mean_var = 0;

    for (int i = 0; i < LINEARITY_POINTS; i++)
        if (on_the_line(&points[i])) {
            moments_add(&x, points[i].adds);
            moments_add(&y, points[i].cycles);
        }
    if (x.n < 3)
        return l;
    for (int i = 0; i < LINEARITY_POINTS; i++) {
        double away = points[i].adds - x.mean, half = is_known(points[i].half) ? points[i].half : 0;
        if (!on_the_line(&points[i]))
            continue;
        products += away * points[i].cycles;
        slope_var += away * away * half * half;
        mean_var += half * half;
    }
    l.slope = products / x.squares;
    l.slope_half = mathx_sqrt(slope_var) / x.squares;
    l.shadow = l.slope * x.mean - y.mean;
    l.shadow_half = mathx_sqrt(mean_var) / (double)x.n + l.slope_half * x.mean;
    l.bend = 0;
    l.straight = mathx_size(l.slope) <= LINEARITY_SLOPE + l.slope_half;
    for (int i = 0; i < LINEARITY_POINTS; i++) {
        if (!on_the_line(&points[i]))
            continue;
        double off = mathx_size(points[i].cycles - (l.slope * points[i].adds - l.shadow));
        double half = is_known(points[i].half) ? points[i].half : 0;
        l.bend = mathx_larger(l.bend, off);
        l.straight = l.straight && off <= LINEARITY_BEND + half;
    }
    return l;
}

size_t linearity_over(const struct linearity_group *group, size_t groups, size_t n, double step,
                      struct linearity_point points[LINEARITY_POINTS], struct linearity_line *line)
{
    struct moments errors[LINEARITY_POINTS] = {0}, ticks[LINEARITY_POINTS] = {0}, c = {0};

    for (size_t g = 0; g < groups; g++) {
        struct linearity_point one[LINEARITY_POINTS];
        if (!is_whole(&group[g]))
            continue;
        linearity(group[g].location, group[g].c, 0, step, one);
        moments_add(&c, group[g].c);
        for (int i = 0; i < LINEARITY_POINTS; i++) {
            moments_add(&errors[i], one[i].cycles);
            moments_add(&ticks[i], one[i].ticks);
        }
    }
    double location[LINEARITY_POINTS];
    for (int i = 0; i < LINEARITY_POINTS; i++)
        location[i] = c.n ? ticks[i].mean : UNKNOWN;
    linearity(location, c.mean, n * (size_t)c.n, step, points);
    for (int i = 0; i < LINEARITY_POINTS && c.n; i++) {
        points[i].cycles = errors[i].mean;
        points[i].half = half_of(&errors[i], points[i].half);
    }
    *line = line_through(points);
    return (size_t)c.n;
}

/* One test over the groups: its value in each, as a multiple of its limit. */
struct off {
    unsigned whole, above, below;
    struct lag1 value;
};

static void add_off(struct off *o, double v)
{
    o->whole++;
    o->above += v > 1;
    o->below += v < -1;
    lag1_add(&o->value, v);
}

/* The points on the line come first, the slope last. */
static void add_group(struct off off[LINEARITY_TESTS], const struct linearity_group *group)
{
    struct linearity_point points[LINEARITY_POINTS];
    unsigned test = 0;

    linearity(group->location, group->c, 0, 0, points);
    struct linearity_line l = line_through(points);
    for (int i = 0; i < LINEARITY_POINTS; i++)
        if (on_the_line(&points[i]))
            add_off(&off[test++],
                    (points[i].cycles - (l.slope * points[i].adds - l.shadow)) / LINEARITY_BEND);
    add_off(&off[test], l.slope / LINEARITY_SLOPE);
}

/* Probability of at least k heads in n coin tosses: Abramowitz and Stegun 26.5.24. */
static double heads(unsigned k, unsigned n)
{
    return k == 0 ? 1 : dist_beta(k, n - k + 1, 0.5, 0.5);
}

/* Probability that Student's T is at least t: Abramowitz and Stegun 26.7.1. */
static double above_t(double t, double df)
{
    double half = dist_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2;

    return t > 0 ? half : 1 - half;
}

/* Probability that the mean lies this far beyond 1, with `side` its sign, for the number of groups
 * that are independent. The observed correlation has a standard error of 1 / sqrt(n). */
static double beyond_by_chance(const struct off *o, double side)
{
    double n = o->whole, variance = moments_variance(&o->value.all);
    double rho = lag1_correlation(&o->value) + 1 / mathx_sqrt(n), beyond;

    rho = rho < 0 ? 0 : rho > RHO_MOST ? RHO_MOST : rho;
    n *= (1 - rho) / (1 + rho);
    beyond = side * o->value.all.mean - 1;
    if (n <= 2 || beyond <= 0)
        return 1;
    return variance > 0 ? above_t(beyond / mathx_sqrt(variance / n), n - 1) : 0;
}

struct linearity_bend linearity_bend(const struct linearity_group *group, size_t groups,
                                     const struct linearity_bend *before)
{
    struct off off[LINEARITY_TESTS] = {{.whole = 0}};
    struct linearity_bend b = {.least = 1};

    for (size_t g = 0; g < groups; g++)
        if (is_whole(&group[g]))
            add_group(off, &group[g]);
    for (int i = 0; i < LINEARITY_TESTS; i++)
        for (int side = 0; side < 2; side++) {
            double *p = &b.p[i][side];
            *p = mathx_larger(heads(side ? off[i].below : off[i].above, off[i].whole),
                              beyond_by_chance(&off[i], side ? -1 : 1));
            if (before)
                *p = mathx_larger(before->p[i][side], *p);
            double any = LINEARITY_LOOKS * 2 * LINEARITY_TESTS * *p;
            b.least = any < b.least ? any : b.least;
        }
    return b;
}

/*
 * Measured, ticks per instruction, on a Zen 5 (TSC 2596 MHz, core 4.1 GHz) and on QEMU 7.2 there:
 *                       nop    add       imul   div    addsd
 *   silicon             0.08   0.68      2.1    9.9    2.1
 *   TCG                 0      0 or 0.7  2.1    13     13 to 19   0: folded while translating
 *   TCG -singlestep     133    140       144    141
 *   icount shift=7      128    128       128    128    128
 * A translator's integer code can be as fast as silicon's; its floating point cannot, because a
 * helper has to compute every bit and flag. Nops without cost prove nothing: on a TSC with steps of
 * 26 ticks, the 16 ticks of 192 nops cannot be distinguished from 0.
 */
/* docs/checks.md "Truth": an add takes one core cycle, which is 8 ticks on a core throttled to an
 * eighth of its TSC; the emulators above take 7 times as long and more. */
#define ADD_TICKS_MOST 20
/* docs/checks.md "Truth": in an interpreter's loop all take the same time; on silicon an imul takes
 * at least two adds. */
#define ALIKE 1.25
/* Latency of imul over add: 2 to 5, Prescott 10 (Fog, instruction tables); above: adds elided. */
#define IMUL_TO_ADD_MOST 16
/* Latencies of addsd over imul: 0.3 to 1.7 (Fog, likewise), translated 6 to 9. */
#define ADDSD_TO_IMUL_MOST 3
/* QEMU's icount shift is 0 to 10 (MAX_ICOUNT_SHIFT in its sources): 1 to 1024 ticks. */
#define COUNTED_TICKS_MOST 1024

const unsigned behave_lengths[BEHAVE_LENGTHS] = {64, 128, 256};
const char *const behave_names[BEHAVE_KINDS] = {"nop", "add", "imul", "div", "addsd"};
const char *const execution_names[] = {"silicon", "instructions", "emulated"};

/* Returns the ticks per link of a chain if all windows agree on one whole number; else 0. */
static uint64_t exact_ticks(uint64_t (*delta)[BEHAVE_REPEATS])
{
    for (int l = 0; l < BEHAVE_LENGTHS; l++)
        if (delta[l][0] != delta[l][BEHAVE_REPEATS - 1]) /* sorted in ascending order */
            return 0;
    uint64_t k = (delta[1][0] - delta[0][0]) / (behave_lengths[1] - behave_lengths[0]);
    for (int l = 1; l < BEHAVE_LENGTHS; l++)
        if (delta[l][0] - delta[l - 1][0] != k * (behave_lengths[l] - behave_lengths[l - 1]))
            return 0;
    return k;
}

static bool is_power_of_two(uint64_t k)
{
    return k != 0 && (k & (k - 1)) == 0;
}

/* QEMU's icount and Bochs: returns the one power of two that every kind takes; else 0. */
static uint64_t counted_ticks(struct behave *b)
{
    uint64_t k = exact_ticks(b->delta[0]);

    if (!is_power_of_two(k) || k > COUNTED_TICKS_MOST)
        return 0;
    for (int kind = 1; kind < BEHAVE_KINDS; kind++)
        if (exact_ticks(b->delta[kind]) != k)
            return 0;
    return k;
}

static double slope(uint64_t (*delta)[BEHAVE_REPEATS])
{
    double shortest = stats_quantile(delta[0], BEHAVE_REPEATS, 0.5),
           longest = stats_quantile(delta[BEHAVE_LENGTHS - 1], BEHAVE_REPEATS, 0.5);

    return (longest - shortest) / (behave_lengths[BEHAVE_LENGTHS - 1] - behave_lengths[0]);
}

static bool are_alike(double a, double b, double c)
{
    double least = a < b ? a : b, most = a < b ? b : a;

    least = c < least ? c : least;
    most = c > most ? c : most;
    return least > 0 && most <= ALIKE * least;
}

/* NULL: no sign of emulation. */
static const char *emulation_sign(const double *ticks)
{
    double nop = ticks[BEHAVE_NOP], add = ticks[BEHAVE_ADD], imul = ticks[BEHAVE_IMUL];

    if (imul <= 0)
        return "imuls take no time";
    if (add > ADD_TICKS_MOST)
        return "an add takes more than 20 ticks";
    if (are_alike(nop, add, imul))
        return "nop, add and imul take the same time";
    if (add * IMUL_TO_ADD_MOST < imul)
        return "adds take no time compared with imuls";
    if (ticks[BEHAVE_ADDSD] > ADDSD_TO_IMUL_MOST * imul)
        return "addsd takes more than 3 imuls";
    return NULL;
}

struct behave_verdict behave_judge(struct behave *b)
{
    struct behave_verdict v = {0};

    for (int kind = 0; kind < BEHAVE_KINDS; kind++) {
        for (int l = 0; l < BEHAVE_LENGTHS; l++)
            stats_sort(b->delta[kind][l], BEHAVE_REPEATS);
        v.ticks_per_op[kind] = slope(b->delta[kind]);
    }
    v.ticks_per_instruction = counted_ticks(b);
    if (v.ticks_per_instruction) {
        v.execution = EXEC_INSTRUCTIONS;
        v.why = "every instruction takes the same whole number of ticks";
        return v;
    }
    const char *sign = emulation_sign(v.ticks_per_op);
    v.execution = sign ? EXEC_EMULATED : EXEC_SILICON;
    v.why = sign ? sign : "latencies are in a CPU's proportions";
    return v;
}
