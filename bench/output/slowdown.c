#include "bench/output/show.h"
#include "bench/api/declare.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

static double root_of_squares(double a, double b)
{
    return mathx_sqrt(a * a + b * b);
}

/* Returns the difference. Independent errors add as squares, each side separately. */
static struct slowdown difference(const struct row *row)
{
    const struct estimate *now = &row->figure.cycles;
    const struct core_figure *alone = &row->beside.alone;
    double by = now->theta - alone->cycles;
    double below = root_of_squares(now->theta - now->lo, alone->hi - alone->cycles);
    double above = root_of_squares(now->hi - now->theta, alone->cycles - alone->lo);

    return (struct slowdown){false, row->figure.ticks - alone->ticks, by, by - below, by + above};
}

/* Independent relative errors add as squares, each side separately (Zou and Donner, "Construction
 * of confidence limits about effect measures", 2008). */
struct slowdown slowdown_of(const struct row *row)
{
    const struct estimate *now = &row->figure.cycles;
    const struct core_figure *alone = &row->beside.alone;
    double quotient = now->theta / alone->cycles;

    if (estimate_is_near_zero(alone->cycles, alone->lo, row->loop.cycles))
        return difference(row);
    double below = root_of_squares(1 - now->lo / now->theta, alone->hi / alone->cycles - 1);
    double above = root_of_squares(now->hi / now->theta - 1, 1 - alone->lo / alone->cycles);
    return (struct slowdown){true, row->figure.ticks / alone->ticks, quotient,
                             quotient * (1 - below), quotient * (1 + above)};
}

static bool has_slowdown(const struct run_facts *run, const struct row *row)
{
    return row->beside.together > 0 && row->figure.known && is_known(row->beside.alone.ticks) &&
           run->execution != EXEC_EMULATED;
}

static const char *unit(const struct run_facts *run)
{
    return run->execution == EXEC_INSTRUCTIONS ? "instructions" : "cycles";
}

void slowdown_show(struct report *r, const struct run_facts *run, const struct row *row)
{
    if (!has_slowdown(run, row))
        return;
    struct slowdown s = slowdown_of(row);
    int decimals = s.relative ? 3 : 2; /* differences may be wide, and a line has 80 columns */
    fmt(r->out,
        s.relative ? "  slowdown by %u cores at once: ticks "
                   : "  slower by %u cores at once: ticks/op ",
        row->beside.together);
    num_f64(r->out, s.ticks, decimals, 0);
    if (is_known(s.cycles)) {
        num_fmt(r->out, ", %s %.*f (%.*f to %.*f)", unit(run), decimals, s.cycles, decimals, s.low,
                decimals, s.high);
    }
    fmt(r->out, "\r\n");
}

void slowdown_record(struct json *j, const struct run_facts *run, const struct row *row)
{
    bool has = has_slowdown(run, row), counted = run->execution == EXEC_INSTRUCTIONS;
    struct slowdown s = has ? slowdown_of(row) : (struct slowdown){0};

#include "bench/api/fields/row_slowdown.def"
}
