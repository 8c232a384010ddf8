#include "bench/result/cycles.h"
#include "lib/stats/mathx.h"
#include "lib/text/str.h"

bool cycle_is(const struct cycle *c, unsigned id)
{
    char name[TIMER_NAME_MAX];

    timer_name(CYCLE_WORDS, id, name);
    return c->source.used && str_eq(c->source.used->name, name);
}

static double magnitude(double v)
{
    return v < 0 ? -v : v;
}

/* Returns the length of the interval's side towards the other figure. */
static double side_of(const struct estimate *e, double other)
{
    double side = estimate_side(e, other);

    return is_known(side) ? side : 0;
}

bool cycle_disagree(const struct estimate *ruler, const struct estimate *counter)
{
    double size = magnitude(ruler->theta) > 1 ? magnitude(ruler->theta) : 1;
    double within =
        CYCLE_WITHIN * size + side_of(ruler, counter->theta) + side_of(counter, ruler->theta);

    return magnitude(counter->theta - ruler->theta) > within; /* false if either is not known */
}
