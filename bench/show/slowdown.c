#include "bench/show/slowdown.h"
#include "bench/measure/headline.h"
#include "lib/stats/known.h"
#include "lib/decimal/json_f64.h"
#include "lib/decimal/num.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

#define Z_99 2.5758293035489004 /* the normal distribution's .995 quantile */

struct slowdown {
    double ticks;             /* by the TSC: a core's clock that falls when all run is in it */
    double cycles, low, high; /* by the ruler beside it: what cores share is left */
};

static double square(double x)
{
    return x * x;
}

/* The relative half of a figure's interval, squared, for this boot: without what boots differ by
 * (lib/stats/estimate.h: twice the variance of one, in both terms). */
static double variance(double figure, double half)
{
    double v = square(half / figure) - 2 * square(Z_99 * HEADLINE_KAPPA);
    return v > 0 ? v / 2 : 0;
}

/* A quotient of two figures whose errors are independent: relative ones add as squares. */
static struct slowdown slowdown_of(const struct row *row)
{
    const struct estimate *now = &row->headline.cycles;
    const struct core_figure *alone = &row->alone;
    struct slowdown s = {row->headline.ticks / alone->ticks, now->theta / alone->cycles, 0, 0};
    double half = s.cycles * mathx_sqrt(variance(now->theta, now->half) +
                                        variance(alone->cycles, alone->half));
    s.low = s.cycles - half;
    s.high = s.cycles + half;
    return s;
}

/* A row that takes nothing has no quotient. */
static bool has_slowdown(const struct engine *e, const struct row *row)
{
    return row->together > 0 && row->headline.known && row->alone.ticks > 0 &&
           row->headline.ticks > 0 && e->execution != EXEC_EMULATED;
}

static const char *unit(const struct engine *e)
{
    return e->execution == EXEC_INSTRUCTIONS ? "instructions" : "cycles";
}

void slowdown_show(struct report *r, const struct engine *e, const struct row *row)
{
    if (!has_slowdown(e, row))
        return;
    struct slowdown s = slowdown_of(row);
    fmt(r->out, "  slowdown by %u cores at once: ticks ", row->together);
    num_f64(r->out, s.ticks, 3, 0);
    if (is_known(s.cycles)) {
        fmt(r->out, ", %s ", unit(e));
        num_f64(r->out, s.cycles, 3, 0);
        fmt(r->out, " (");
        num_f64(r->out, s.low, 3, 0);
        fmt(r->out, " to ");
        num_f64(r->out, s.high, 3, 0);
        fmt(r->out, ")");
    }
    fmt(r->out, "\r\n");
}

void slowdown_record(struct json *j, const struct engine *e, const struct row *row)
{
    if (row->together == 0)
        return;
    json_str(j, "share", "together");
    json_u64(j, "together", row->together);
    if (!has_slowdown(e, row))
        return;
    struct slowdown s = slowdown_of(row);
    json_object(j, "alone");
    json_f64(j, "ticks", row->alone.ticks, 6);
    json_f64(j, unit(e), row->alone.cycles, 6);
    json_close(j);
    json_object(j, "slowdown");
    json_f64(j, "ticks", s.ticks, 6);
    json_f64(j, unit(e), s.cycles, 6);
    json_f64(j, "lo", s.low, 6);
    json_f64(j, "hi", s.high, 6);
    json_close(j);
}
