#include "lib/stats/even.h"

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
