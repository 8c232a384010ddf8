#include "bench/measure/sweep.h"
#include "bench/measure/cycle.h"
#include "lib/stats/median.h"

struct sweep sweep_of(const double *theta)
{
    struct sweep w = {.min = theta[0], .max = theta[0]};
    double sorted[LAYOUT_OFFSETS] = {0};

    for (unsigned i = 0; i < LAYOUT_OFFSETS; i++) {
        sorted[i] = theta[i];
        if (theta[i] < w.min)
            w.min = theta[w.best = i];
        if (theta[i] > w.max)
            w.max = theta[w.worst = i];
    }
    w.median = median(sorted, LAYOUT_OFFSETS);
    return w;
}

bool sweep_made(const struct engine *e, const struct row *row)
{
    return e->o->method == METHOD_DOUBLED && e->o->layout == LAYOUT_SWEEP && row->headline.known &&
           cycle_known(e);
}
