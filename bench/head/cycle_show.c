#include "bench/head/cycle_show.h"
#include "bench/model/cycles.h"
#include "lib/text/fmt.h"

static const char *left_out(const struct run_facts *run)
{
    if (!run->cycle.source.used)
        return "no source of cycle= starts: core cycles are left out";
    if (cycle_is(&run->cycle, CYCLE_TSC) || cycle_is(&run->cycle, CYCLE_RDTSCP))
        return "core cycles are left out: the TSC's ticks are those of a reference clock";
    return "core cycles are left out, as asked";
}

void cycle_show(const struct run_facts *run, struct sink *out)
{
    const struct cycle *c = &run->cycle;

    timer_show(&c->source, "cycle", out);
    if (c->by == CYCLES_UNKNOWN)
        fmt(out, "          %s\r\n", left_out(run));
    if (c->by == CYCLES_RULER && (c->counter.used || c->counter.refusals))
        timer_show(&c->counter, "counter", out);
}

void cycle_record(const struct run_facts *run, struct json *j)
{
    timer_record(&run->cycle.source, "cycle", j);
    if (run->cycle.by == CYCLES_RULER)
        timer_record(&run->cycle.counter, "cycle_counter", j);
}

void cycle_warn(const struct run_facts *run, struct report *r)
{
    if (!run->cycle.source.used)
        report_event(r, "warning", left_out(run));
}
