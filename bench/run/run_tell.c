#include "bench/run/run_state.h"
#include "bench/engine/duration.h"
#include "bench/api/report.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

void run_tell_gone(const struct run *run, unsigned k, const char *during)
{
    struct plan_core *pc = &run->plan->core[k];

    if (!pc->gone || pc->reported)
        return;
    pc->reported = true;
    report_eventf(run->report, "fault",
                  "core %u was lost during %s and is left out from here on: %s",
                  pc->engine.facts.core, during, pc->gone);
    run->report->faulted = true;
}

void run_tell_unlike(const struct run *run, unsigned k)
{
    struct plan_core *pc = &run->plan->core[k];
    char name[32];

    if (!pc->unlike[0])
        return;
    fmt_buf(name, sizeof name, "%s_core%u", pc->unlike_in, pc->engine.facts.core);
    report_selftest(run->report, name, SELFTEST_FAIL, pc->unlike);
    pc->reported = true;
}

void run_tell_interruptions(const struct run *run, uint64_t nmis, const struct bench *b)
{
    if (nmis == 0)
        return;
    run->summary->spoils.nmis += nmis;
    report_eventf(run->report, "nmi", "%llu NMIs or machine checks came %s%s%s%s",
                  (unsigned long long)nmis, b ? "with " : "after the last row", b ? b->suite : "",
                  b ? "/" : "", b ? b->name : "");
}

static void tell_timer(const struct run *run, const struct row *row, const char *timer,
                       uint64_t times, const char *what)
{
    if (times == 0)
        return;
    report_eventf(run->report, "warning", "%s/%s on core %u: %s failed while the row ran: %llu %s",
                  row->out.bench->suite, row->out.bench->name, row->out.core, timer,
                  (unsigned long long)times, what);
}

void run_tell_unlike_steps(const struct run *run, const struct row *row)
{
    if (!is_known(row->stepped.by_counter) || !row->stepped.unlike[0])
        return;
    report_eventf(
        run->report, "warning",
        "%s/%s on core %u: the counter of retired instructions disagrees with the steps: %s",
        row->out.bench->suite, row->out.bench->name, row->out.core, row->stepped.unlike);
}

void run_tell_timers(const struct run *run, unsigned k, const struct row *row)
{
    const struct engine *e = &run->plan->core[k].engine;

    if (e->facts.clock.used)
        tell_timer(run, row, e->facts.clock.used->name, row->method.clock_failed,
                   "readings of this clock were given up");
    if (e->facts.cycle.counter.used && row_counter_failed(row))
        tell_timer(run, row, e->facts.cycle.counter.used->name, row->taken.unread,
                   "blocks have no reading of this counter");
}

void run_tell_one_round(const struct run *run)
{
    if (!run->plan->one_for_memory)
        return;
    report_eventf(
        run->report, "warning",
        "one round is made, not rounds=%u: between rounds the rows would take more than %u MiB "
        "of memory on this many cores",
        run->first->facts.o->rounds, PLAN_STORE >> 20);
}

/* Warns from twice the deadline on: the guess may be too long by a factor of 2. */
void run_warn_of_deadline(const struct run *run, const struct bench *b)
{
    const struct engine *e = run->first;
    const struct progress_sum *all = &run->progress.all;
    double ticks = duration_windows(e, b) * (all->guess > 0 ? all->taken / all->guess : 1);
    double seconds = run_has_hz(&e->facts) ? ticks / e->facts.tsc_hz : 0;

    if (!bench_has_windows(b))
        return; /* it limits its own time */
    if (e->facts.execution != EXEC_SILICON || seconds < 2.0 * e->facts.o->deadline)
        return;
    report_eventf(
        run->report, "warning",
        "%s/%s may take about %llu s and will be ended after deadline=%u; use a larger deadline=",
        b->suite, b->name, (unsigned long long)seconds, e->facts.o->deadline);
}

void run_tell_ended(const struct run *run, const struct outcome *out)
{
    if (!out->ended)
        return;
    report_eventf(run->report, "fault", "%s/%s on core %u: %s", out->bench->suite, out->bench->name,
                  out->core, out->why);
    report_failed(run->report, out->bench->suite, out->bench->name);
}

/* A run without figures must fail, so that a script does not take it for a success. */
void run_tell_nothing_measured(const struct run *run)
{
    if (run->measured || !run->not_measured[0])
        return;
    report_eventf(run->report, "warning", "no row could be measured, so the run has failed. %s",
                  run->not_measured);
    report_failed(run->report, "nothing was measured", NULL);
}
