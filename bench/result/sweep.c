#include "bench/result/sweep.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

const char *const layout_part_names[LAYOUT_PARTS] = {"code", "stack", "data"};

/*
 * Code by bytes over one line; the stack by lines over a page, since stores and loads 4 KiB apart
 * can collide; data by words over eight lines: data that straddles a line, and data that does not.
 */
const uint32_t layout_part_step[LAYOUT_PARTS] = {1, 64, 8};

struct sweep sweep_of(const double *theta)
{
    struct sweep w = {.min = UNKNOWN, .median = UNKNOWN, .max = UNKNOWN};
    double sorted[LAYOUT_OFFSETS];

    for (unsigned i = 0; i < LAYOUT_OFFSETS; i++) {
        if (!is_known(theta[i]))
            continue;
        if (w.known == 0 || theta[i] < w.min)
            w.min = theta[w.best = i];
        if (w.known == 0 || theta[i] > w.max)
            w.max = theta[w.worst = i];
        sorted[w.known++] = theta[i];
    }
    if (w.known)
        w.median = median(sorted, w.known);
    return w;
}

bool sweep_made(const struct run_facts *run, const struct row *row)
{
    return run->o->method == METHOD_DOUBLED && run->o->layout == LAYOUT_SWEEP &&
           row->figure.known && run_has_cycles(run);
}
