#include "lib/stats/regress.h"
#include "lib/stats/known.h"
#include "lib/stats/moments.h"

static unsigned spurious(const uint64_t *least, unsigned points)
{
    unsigned n = 0;

    for (unsigned i = 1; i < points; i++)
        n += least[i] < least[i - 1] && least[i - 1] < UINT64_MAX;
    return n;
}

struct regression regress(const uint64_t *least, unsigned points, unsigned step, double unit)
{
    struct regression r = {0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, spurious(least, points)};
    struct moments x = {0}, y = {0};
    double products = 0, missed = 0;

    for (unsigned i = 0; i < points; i++)
        if (least[i] < UINT64_MAX) {
            moments_add(&x, (double)i * step);
            moments_add(&y, (double)least[i] / unit);
        }
    if (x.n < 3 || !(unit > 0))
        return r;
    for (unsigned i = 0; i < points; i++)
        if (least[i] < UINT64_MAX)
            products += ((double)i * step - x.mean) * ((double)least[i] / unit - y.mean);
    r.n = (unsigned)x.n;
    r.slope = products / x.squares;
    r.intercept = y.mean - r.slope * x.mean;
    r.residual_max = 0;
    for (unsigned i = 0; i < points; i++) {
        double off = (double)least[i] / unit - (r.intercept + r.slope * i * step);
        if (least[i] == UINT64_MAX)
            continue;
        missed += off * off;
        off = off < 0 ? -off : off;
        r.residual_max = off > r.residual_max ? off : r.residual_max;
    }
    if (y.squares > 0)
        r.r2 = 1 - missed / y.squares;
    return r;
}
