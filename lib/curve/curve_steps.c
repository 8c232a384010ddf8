#include "lib/curve/curve_steps.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define SIDE_POINTS 4 /* fewest of a level: three more than the point at the step */
#define NEIGHBOURS  3
#define QUARTER     0.25

/* The points that have a value, with their neighbours' medians. */
struct known_points {
    size_t n;
    struct step_point at[CURVE_POINTS_MOST];
    double y[CURVE_POINTS_MOST];       /* smoothed */
    double highest[CURVE_POINTS_MOST]; /* of the points up to this one */
    double lowest[CURVE_POINTS_MOST];  /* of the points from this one on */
};

static double median_around(const struct known_points *k, size_t i)
{
    size_t first = i == 0 ? 0 : i + 1 == k->n ? k->n - 3 : i - 1;
    double three[] = {k->at[first].y, k->at[first + 1].y, k->at[first + 2].y};

    return median(three, 3);
}

/* Returns whether there are points enough for a rule. */
static bool take_known(struct known_points *k, const struct step_point *point, size_t n)
{
    k->n = 0;
    for (size_t i = 0; i < n && k->n < CURVE_POINTS_MOST; i++)
        if (is_known(point[i].y) && point[i].y > 0)
            k->at[k->n++] = point[i];
    if (k->n < NEIGHBOURS)
        return false;
    for (size_t i = 0; i < k->n; i++) {
        k->y[i] = median_around(k, i);
        k->highest[i] = i > 0 && k->highest[i - 1] > k->y[i] ? k->highest[i - 1] : k->y[i];
    }
    for (size_t i = k->n; i-- > 0;)
        k->lowest[i] = i + 1 < k->n && k->lowest[i + 1] < k->y[i] ? k->lowest[i + 1] : k->y[i];
    return true;
}

/* Points i and j, and the factor by which all values from j on are higher than those up to i. */
struct candidate {
    size_t i, j;
    double rise;
};

/* Returns x of j over x of i. */
static double factor(const struct known_points *k, size_t i, size_t j)
{
    return (double)k->at[j].x / k->at[i].x;
}

/* Returns the first point of the side before i, and the last one of the side after j: those within
 * the factor `side`, but at least SIDE_POINTS, over at least the factor `step`. */
static size_t side_before(const struct known_points *k, size_t i, double side, double step)
{
    size_t first = i;

    while (first > 0 && (i - first + 1 < SIDE_POINTS || factor(k, first - 1, i) <= side ||
                         factor(k, first, i) < step))
        first--;
    return first;
}

static size_t side_after(const struct known_points *k, size_t j, double side, double step)
{
    size_t last = j;

    while (last + 1 < k->n && (last - j + 1 < SIDE_POINTS || factor(k, j, last + 1) <= side ||
                               factor(k, j, last) < step))
        last++;
    return last;
}

static bool is_flat_around(const struct known_points *k, const struct candidate *c, double within)
{
    double side = within * mathx_sqrt(within), step = factor(k, c->i, c->j);
    size_t first = side_before(k, c->i, side, step), last = side_after(k, c->j, side, step);
    double before = k->highest[c->i], after = k->lowest[c->j], rise = mathx_sqrt(c->rise);

    if (c->i - first + 1 < SIDE_POINTS || last - c->j + 1 < SIDE_POINTS ||
        factor(k, first, c->i) < step || factor(k, c->j, last) < step)
        return false; /* the curve begins or ends before */
    return before <= rise * k->y[first] && k->y[last] <= rise * after;
}

/* Returns whether the step is outside of all that were found, and of their sides. */
static bool is_apart(const struct candidate *c, const struct candidate *found, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c->j + 1 >= found[i].i && c->i <= found[i].j + 1)
            return false;
    return true;
}

/* Returns whether the values of i and j differ by more than their intervals. */
static bool is_certain(const struct known_points *k, const struct candidate *c)
{
    const struct step_point *i = &k->at[c->i], *j = &k->at[c->j];

    return known_or(j->lo, j->y) > known_or(i->hi, i->y);
}

/* Finds the steepest step that is left. Of equal ones the narrowest. */
static bool steepest(const struct known_points *k, const struct curve_rule *rule,
                     const struct candidate *found, size_t n, struct candidate *best)
{
    best->rise = 0;
    for (size_t i = 0; i + 1 < k->n; i++)
        for (size_t j = i + 1; j < k->n; j++) {
            struct candidate c = {i, j, k->lowest[j] / k->highest[i]};
            if (j > i + 1 && k->at[j].x > rule->within * k->at[i].x)
                break;
            if (c.rise >= rule->rise && c.rise > best->rise && is_certain(k, &c) &&
                is_apart(&c, found, n) && is_flat_around(k, &c, rule->within))
                *best = c;
        }
    return best->rise > 0;
}

static struct curve_step step_of(const struct known_points *k, const struct candidate *c)
{
    double before = k->highest[c->i], after = k->lowest[c->j];
    double quarter = QUARTER * (after - before), middle = (before + after) / 2;
    size_t at = c->i;

    while (at + 1 < c->j && k->y[at + 1] < middle)
        at++;
    size_t from = at, to = at + 1;
    while (from > c->i && (k->y[from] > before + quarter || known_or(k->at[from].hi, 0) > middle))
        from--;
    while (to < c->j && (k->y[to] < after - quarter || known_or(k->at[to].lo, after) < middle))
        to++;
    return (struct curve_step){k->at[at].x, k->at[from].x, k->at[to].x, before, after};
}

static void sort(struct candidate *c, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && c[k].i < c[k - 1].i; k--) {
            struct candidate other = c[k];
            c[k] = c[k - 1];
            c[k - 1] = other;
        }
}

static size_t leave(const struct known_points *k, double above, struct curve_step *step)
{
    size_t at, from, to;
    double level = k->y[1], limit = above * level;

    for (at = 0; at + 1 < k->n && k->highest[at + 1] <= limit; at++)
        ;
    for (to = k->n; to > 0 && k->lowest[to - 1] > limit; to--)
        ;
    if (to == k->n || k->lowest[k->n - 1] < level * (1 + 2 * (above - 1)))
        return 0;
    for (from = at; from > 0 && known_or(k->at[from].hi, 0) > limit; from--)
        ;
    for (; to + 1 < k->n && known_or(k->at[to].lo, limit) < limit; to++)
        ;
    *step =
        (struct curve_step){k->at[at].x, k->at[from].x, k->at[to].x, k->highest[at], k->lowest[to]};
    return 1;
}

size_t curve_steps_find(const struct step_point *point, size_t n, const struct curve_rule *rule,
                        struct curve_step step[CURVE_STEPS_MOST])
{
    struct candidate found[CURVE_STEPS_MOST];
    struct known_points k;
    size_t count = 0;

    if (!take_known(&k, point, n))
        return 0;
    if (rule->leaves > 0)
        return leave(&k, rule->leaves, step);
    while (count < CURVE_STEPS_MOST && steepest(&k, rule, found, count, &found[count]))
        count++;
    sort(found, count);
    for (size_t i = 0; i < count; i++)
        step[i] = step_of(&k, &found[i]);
    return count;
}

bool curve_steps_fall(const struct step_point *point, size_t n, uint32_t *at)
{
    struct known_points k;

    if (!take_known(&k, point, n))
        return false;
    for (size_t i = 0; i < k.n; i++)
        if (k.y[i] * CURVE_STEPS_FALL < k.highest[i]) {
            *at = k.at[i].x;
            return true;
        }
    return false;
}

/* --- where to measure next -------------------------------------------------------------------- */

struct gap {
    uint32_t from, to;
    double bend; /* factor between the values at either end; of a half, its square root */
};

static bool can_halve(const struct gap *g, uint32_t finest)
{
    return g->bend > CURVE_STEPS_BEND && g->to - g->from > 1 &&
           (g->to - g->from) * finest > g->from;
}

static void insert(uint32_t *x, size_t n, uint32_t value)
{
    for (; n > 0 && x[n - 1] > value; n--)
        x[n] = x[n - 1];
    x[n] = value;
}

size_t curve_steps_refine(const struct step_point *point, size_t n, uint32_t finest, uint32_t *x,
                          size_t most)
{
    struct gap gap[2 * CURVE_POINTS_MOST];
    size_t gaps = 0, added = 0;

    for (size_t i = 0; i + 1 < n && gaps < CURVE_POINTS_MOST; i++) {
        double a = point[i].y, b = point[i + 1].y;
        double bend = a > 0 && b > 0 ? (a > b ? a / b : b / a) : 0;
        gap[gaps++] = (struct gap){point[i].x, point[i + 1].x, is_known(bend) ? bend : 0};
    }
    while (added < most && gaps < 2 * CURVE_POINTS_MOST) {
        struct gap *best = NULL;
        for (size_t i = 0; i < gaps; i++)
            if (can_halve(&gap[i], finest) && (!best || gap[i].bend > best->bend))
                best = &gap[i];
        if (!best)
            break;
        uint32_t middle = best->from + (best->to - best->from) / 2;
        insert(x, added++, middle);
        best->bend = mathx_sqrt(best->bend);
        gap[gaps++] = (struct gap){middle, best->to, best->bend};
        best->to = middle;
    }
    return added;
}
