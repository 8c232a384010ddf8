#include "bench/show/per_op.h"
#include "bench/measure/cycle.h"
#include "lib/stats/known.h"
#include "bench/show/units.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"

/* Whether there are columns for instructions beside the figure's own. */
static bool has_steps(const struct report *r, const struct engine *e)
{
    return r->columns >= REPORT_COLUMNS_WIDE && !units_are_instructions(e) &&
           e->o->instructions != INSTRUCTIONS_OFF;
}

void per_op_heading(struct report *r, const struct engine *e, const char *error)
{
    if (units_are_instructions(e))
        fmt(r->out, " %9s", "instr/op");
    else if (cycle_known(e))
        fmt(r->out, " %9s %6s", "cycles/op", error);
    else
        fmt(r->out, " %9s", "ticks/op");
    if (units_have_ns(e))
        fmt(r->out, " %7s", "ns/op");
    if (has_steps(r, e))
        fmt(r->out, " %9s %6s", "instr/op", "IPC");
    fmt(r->out, "\r\n");
}

void per_op_number(struct report *r, double v, int decimals, int width)
{
    fmt(r->out, " ");
    if (is_known(v))
        num_f64(r->out, v, decimals, width);
    else
        fmt(r->out, "%*s", width, "?");
}

struct per_op per_op_of(const struct engine *e, const struct headline *h)
{
    if (units_are_instructions(e))
        return (struct per_op){"instructions", h->known ? units_of(e, h->ticks) : UNKNOWN, UNKNOWN};
    if (!cycle_known(e))
        return (struct per_op){"ticks", h->known ? h->ticks : UNKNOWN, UNKNOWN};
    return (struct per_op){"cycles", h->known ? h->cycles.theta : UNKNOWN,
                           h->known ? estimate_longer_side(&h->cycles) : UNKNOWN};
}

void per_op_show(struct report *r, const struct engine *e, const struct row *row)
{
    const struct headline *h = &row->headline;
    struct per_op op = per_op_of(e, h);

    if (!h->known)
        return;
    per_op_number(r, op.value, 3, 9);
    if (!units_are_instructions(e) && cycle_known(e))
        per_op_number(r, op.half, 3, 6);
    if (units_have_ns(e))
        per_op_number(r, units_ns(e, h->ticks), 3, 7);
    if (!has_steps(r, e))
        return;
    per_op_number(r, units_instructions(e, row), 3, 9);
    if (is_known(units_ipc(e, row)))
        per_op_number(r, units_ipc(e, row), 2, 6);
}
