#include "lib/stats/linearity.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"

/* Two-sided 99% quantile of the normal distribution. */
#define Z99 2.576

const unsigned linearity_adds[LINEARITY_POINTS] = {0, 1, 2, 5, 10, 20, 50, 100, 1000};

/* Point 1 of the table is N = 1, what the others are measured from. */
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
    /* A bar that no run can meet must not wrap round to a small number. */
    return windows < 0x1p62 ? (size_t)windows : (size_t)1 << 62;
}
