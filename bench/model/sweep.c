#include "bench/model/sweep.h"
#include "lib/stats/stats.h"

const char *const layout_part_names[LAYOUT_PARTS] = {"code", "stack", "data"};

/*
 * Code by bytes over one line; the stack by lines over a page, since stores and loads 4 KiB apart
 * can collide; data by words over eight lines: data that straddles a line, and data that does not.
 */
const uint32_t layout_part_step[LAYOUT_PARTS] = {1, 64, 8};

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

bool sweep_made(const struct run_facts *run, const struct row *row)
{
    return run->o->method == METHOD_DOUBLED && run->o->layout == LAYOUT_SWEEP &&
           row->headline.known && run_has_cycles(run);
}
