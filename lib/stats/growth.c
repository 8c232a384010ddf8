#include "lib/stats/growth.h"
#include "lib/stats/mathx.h"

#define LN_2 0.693147180559945309417

const char *const growth_names[GROWTH_CURVES] = {"constant", "log n", "n", "n log n", "n^2"};

static double log2_of(double n)
{
    return mathx_log(n) / LN_2;
}

static double curve_at(enum growth_curve curve, double n)
{
    switch (curve) {
    case GROWTH_LOG_N:
        return log2_of(n);
    case GROWTH_N:
        return n;
    case GROWTH_N_LOG_N:
        return n * log2_of(n);
    case GROWTH_N_SQUARED:
        return n * n;
    case GROWTH_CONSTANT:
    case GROWTH_CURVES:
        break;
    }
    return 1;
}

static bool counts(const struct growth_point *p)
{
    return p->n >= 1;
}

/* Returns the coefficient of one curve; UNKNOWN if the curve is 0 at all points. */
static double coefficient_of(const struct growth_point *points, size_t count,
                             enum growth_curve curve)
{
    double products = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        if (!counts(&points[i]))
            continue;
        double f = curve_at(curve, points[i].n);
        products += f * points[i].cost;
        squares += f * f;
    }
    return squares > 0 ? products / squares : UNKNOWN;
}

/* Root mean square error of a curve. */
static double error_of(const struct growth_point *points, size_t count, enum growth_curve curve,
                       double coefficient)
{
    double squares = 0, n = 0;

    for (size_t i = 0; i < count; i++) {
        if (!counts(&points[i]))
            continue;
        double off = points[i].cost - coefficient * curve_at(curve, points[i].n);
        squares += off * off;
        n++;
    }
    return mathx_sqrt(squares / n);
}

/* Returns the mean of the absolute costs, which errors are shares of. */
static double mean_of(const struct growth_point *points, size_t count, size_t *n)
{
    double sum = 0;

    *n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!counts(&points[i]))
            continue;
        sum += points[i].cost < 0 ? -points[i].cost : points[i].cost;
        ++*n;
    }
    return *n ? sum / (double)*n : UNKNOWN;
}

#define ALIKE 1e-12 /* shares of the mean: the rounding error between equally good curves */

struct growth growth_fit(const struct growth_point *points, size_t count)
{
    struct growth best = {.coefficient = UNKNOWN, .error = UNKNOWN};
    double mean = mean_of(points, count, &best.points);

    if (best.points < GROWTH_POINTS_LEAST)
        return best;
    for (enum growth_curve curve = 0; curve < GROWTH_CURVES; curve++) {
        double c = coefficient_of(points, count, curve);
        double error = error_of(points, count, curve, c);
        double share = mean > 0 ? error / mean : 0; /* all cost 0: a constant of 0 */
        if (!is_known(c) || (is_known(best.error) && !(share < best.error - ALIKE)))
            continue;
        best.curve = curve;
        best.coefficient = c;
        best.error = share;
    }
    best.fits = best.error <= GROWTH_ERROR_MOST && best.coefficient >= 0;
    return best;
}

enum end { APART, LO, HI };

/* The difference, or an end of its interval. */
static double at(const struct even_point *p, enum end end)
{
    return end == LO ? p->lo : end == HI ? p->hi : p->apart;
}

/* Returns the first whole count after the zero of the line from a (0 or more) to b (below 0). */
static uint32_t below_from(const struct even_point *a, const struct even_point *b, enum end end)
{
    const double up = at(a, end), down = at(b, end);

    return a->n + (uint32_t)((b->n - a->n) * (up / (up - down))) + 1;
}

static uint32_t find(const struct even_point *points, size_t count, enum end end)
{
    size_t first = count; /* the first of the points at the end that are all below 0 */

    while (first > 0 && at(&points[first - 1], end) < 0)
        first--;
    if (first == count)
        return 0;
    return first == 0 ? points->n : below_from(&points[first - 1], &points[first], end);
}

struct even even_find(const struct even_point *points, size_t count)
{
    return (struct even){
        .n = find(points, count, APART),
        .lo = find(points, count, LO),
        .hi = find(points, count, HI),
    };
}
