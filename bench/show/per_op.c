#include "bench/show/per_op.h"
#include "bench/measure/cycle.h"
#include "lib/stats/known.h"
#include "bench/show/units.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"

void per_op_heading(struct report *r, const struct engine *e, const char *error)
{
    if (units_are_instructions(e))
        fmt(r->out, " %9s", "instr/op");
    else if (cycle_known(e))
        fmt(r->out, " %9s %6s", "cycles/op", error);
    else
        fmt(r->out, " %9s", "ticks/op");
    fmt(r->out, units_have_ns(e) ? " %7s\r\n" : "\r\n", "ns/op");
}

void per_op_number(struct report *r, double v, int decimals, int width)
{
    fmt(r->out, " ");
    if (is_known(v))
        num_f64(r->out, v, decimals, width);
    else
        fmt(r->out, "%*s", width, "?");
}

void per_op_show(struct report *r, const struct engine *e, const struct headline *h)
{
    if (!h->known)
        return;
    if (units_are_instructions(e)) {
        per_op_number(r, units_of(e, h->ticks), 3, 9);
    } else if (cycle_known(e)) {
        per_op_number(r, h->cycles.theta, 3, 9);
        per_op_number(r, h->cycles.half, 3, 6);
    } else {
        per_op_number(r, h->ticks, 3, 9);
    }
    if (units_have_ns(e))
        per_op_number(r, units_ns(e, h->ticks), 3, 7);
}
