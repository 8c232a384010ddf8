#include "lib/stats/even.h"

/* The difference, moved by so many half-widths. */
static double moved(const struct even_point *p, double halves)
{
    return p->apart + halves * p->half;
}

/* The first whole count behind the zero of the line from a (0 or more) to b (below 0). */
static uint32_t below_from(const struct even_point *a, const struct even_point *b, double halves)
{
    const double up = moved(a, halves), down = moved(b, halves);
    return a->n + (uint32_t)((b->n - a->n) * (up / (up - down))) + 1;
}

static uint32_t find(const struct even_point *points, size_t count, double halves)
{
    size_t first = count; /* of those at the end that are all below 0 */
    while (first > 0 && moved(&points[first - 1], halves) < 0)
        first--;
    if (first == count)
        return 0;
    return first == 0 ? points->n : below_from(&points[first - 1], &points[first], halves);
}

struct even even_find(const struct even_point *points, size_t count)
{
    return (struct even){
        .n = find(points, count, 0),
        .lo = find(points, count, -1),
        .hi = find(points, count, +1),
    };
}
