#include "bench/show/cycle_show.h"
#include "bench/measure/cycle.h"
#include "lib/text/fmt.h"

static const char *left_out(const struct engine *e)
{
    if (!e->cycle.source.used)
        return "no source of cycle= starts: core cycles are left out";
    if (cycle_is(e, CYCLE_TSC) || cycle_is(e, CYCLE_RDTSCP))
        return "core cycles are left out: the TSC's ticks are those of a reference clock";
    return "core cycles are left out, as asked";
}

void cycle_show(const struct engine *e, struct sink *out)
{
    const struct cycle *c = &e->cycle;

    timer_show(&c->source, "cycle", out);
    if (c->by == CYCLES_UNKNOWN)
        fmt(out, "          %s\r\n", left_out(e));
    if (c->by == CYCLES_RULER && (c->counter.used || c->counter.refusals))
        timer_show(&c->counter, "beside", out);
}

void cycle_record(const struct engine *e, struct json *j)
{
    timer_record(&e->cycle.source, "cycle", j);
    if (e->cycle.by == CYCLES_RULER)
        timer_record(&e->cycle.counter, "cycle_counter", j);
}

void cycle_warn(const struct engine *e, struct report *r)
{
    if (!e->cycle.source.used)
        report_event(r, "warning", left_out(e));
}
