#include "kernel/kernel.h"
#include "bench/engine/place.h"
#include "kernel/cores/smp.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/report/machine_facts.h"
#include "kernel/trap/traps.h"
#include "lib/text/fmt.h"

void ending_report(struct kernel *k)
{
    struct machine *m = &k->machine;

    report_init(&k->report, &m->console.sink, m->handoff->options.format);
    k->report.records = &m->records.sink;
    if (report_table(&k->report)) {
        k->report.live = &m->live.sink;
        k->report.steady = &m->steady.sink;
    }
}

void ending_tell_nmis(struct kernel *k)
{
    const struct core *c = k->machine.boot_core;
    uint64_t borrowed = traps_borrowed_nmis(), own = c ? c->nmis + c->machine_checks : 0;

    if (k->told_nmis)
        return;
    k->told_nmis = true;
    k->machine.handoff->nmis_told = borrowed;
    if (borrowed + own == 0)
        return;
    report_eventf(&k->report, "nmi", "%llu NMIs or machine checks came before the first row",
                  (unsigned long long)(borrowed + own));
}

/* Closes the log of a borrowed machine; it has reserved room for the lines that follow. */
static void close_log(struct kernel *k)
{
    struct report_log *log = k->machine.handoff->log;

    if (!log)
        return;
    report_log_end(log);
    if (log->records.lost + log->text.lost == 0)
        return;
    report_eventf(
        &k->report, "warning",
        "the stick's copy is incomplete: %llu records and %llu lines did not fit into %llu KiB",
        (unsigned long long)log->records.lost, (unsigned long long)log->text.lost,
        (unsigned long long)(log->records.size + log->text.size) / 1024);
}

static void first(void *ctx)
{
    struct kernel *k = ctx;

    close_log(k);
    facts_cost(&k->machine, &k->report);
}

static void hint(void *ctx)
{
    struct machine *m = &((struct kernel *)ctx)->machine;

    if (machine_halts(m, m->handoff->options.finish))
        pager_hint(&m->screen);
}

struct run_end ending_parts(struct kernel *k)
{
    return (struct run_end){.ctx = k, .first = first, .hint = hint};
}

_Noreturn void ending_leave(struct kernel *k, enum status status)
{
    struct machine *m = &k->machine;

    if (m->boot_core)
        k->nmis_at_end = m->boot_core->nmis;
    machine_leave(m, m->handoff->options.finish, status);
}

_Noreturn void ending_refused(struct kernel *k, enum status status, const char *type,
                              const char *why)
{
    const struct run_end parts = ending_parts(k);

    ending_tell_nmis(k);
    run_end_failed(&parts, &k->report, &k->shown, type, why);
    ending_leave(k, status);
}

void ending_if_failed(struct kernel *k, const char *why_not)
{
    if (why_not)
        ending_refused(k, STATUS_FAULTED, "fault", why_not);
}

static void print(struct kernel *k, const struct core *c, const struct trap_frame *f)
{
    fault_print(&k->machine.console.sink, k->machine.handoff, c, f, place_name_at);
    screen_paint(&k->machine.screen);
}

static _Noreturn void fault_elsewhere(struct kernel *k, struct core *c, const struct trap_frame *f)
{
    if (core_fault_begin(c, f)) {
        print(k, c, f);
        core_fault_end(c);
    }
    core_fault_stop(c);
}

static _Noreturn void fault_here(struct kernel *k, const struct core *c, const struct trap_frame *f)
{
    const bool early = !k->report.out;
    char message[160];

    k->faults++;
    if (k->faults > 2)
        cpu_halt();
    /* The fault came while an earlier one was reported, or in the firmware's ResetSystem, when the
     * report is already closed. */
    if (k->faults == 2 || k->machine.leaving)
        machine_leave(&k->machine, FINISH_AUTO, STATUS_FAULTED);
    if (early) {
        machine_console_early(&k->machine);
        ending_report(k);
    }
    print(k, c, f);
    if (early)
        cpu_setup(); /* the code below uses SSE */
    fault_describe(c, f, message, sizeof message);
    engine_release(&k->engine); /* stops counters that it started, if the machine is given back */
    ending_refused(k, STATUS_FAULTED, "fault", message);
}

_Noreturn void ending_fault(struct kernel *k, struct core *c, const struct trap_frame *f)
{
    if (c->origin)
        fault_elsewhere(k, c, f);
    fault_here(k, c, f);
}
