#include "bench/run_end.h"

static void finish(const struct run_end *end, struct report *r, const struct essence *essence,
                   bool stopped)
{
    if (end->first)
        end->first(end->ctx);
    if (essence)
        essence_show(essence, r);
    if (end->hint)
        end->hint(end->ctx);
    report_end(r, stopped);
}

void run_end(const struct run_end *end, struct report *r, const struct shown *shown, bool stopped)
{
    finish(end, r, &shown->essence, stopped);
}

void run_end_failed(const struct run_end *end, struct report *r, struct shown *shown,
                    const char *type, const char *why)
{
    grouped_show(&shown->grouped, r);
    report_event(r, type, why);
    report_failed(r, type, NULL);
    finish(end, r, NULL, false);
}
