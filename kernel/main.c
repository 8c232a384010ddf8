/*
 * From the kernel's first instruction on its own stack to power off, or back to the firmware: the
 * order of events. Interrupts are off throughout; boot services are gone, or have no turn.
 */
#include "bench/api/report.h"
#include "bench/cores/plan.h"
#include "bench/measure/probe.h"
#include "bench/run.h"
#include "kernel/console/pager.h"
#include "kernel/machine/machine.h"
#include "kernel/platform.h"
#include "kernel/report/facts.h"
#include "kernel/report/quiet_facts.h"
#include "kernel/report/selftest.h"
#include "kernel/trap/fault.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* Reached by the fault handler, which has no other way to them; there is one machine. */
static struct machine machine;
static struct report report;
static struct engine engine;

_Noreturn static void leave(enum exit_status status)
{
    machine_leave(&machine, machine.handoff->options.finish, status);
}

static void say_has_machine(struct sink *out)
{
    if (report_table(&report))
        fmt(out, machine.handoff->borrowed ? "baretick: has the machine\r\n"
                                           : "baretick: left firmware\r\n");
}

/* The last lines; where the machine is borrowed, the log has room for them whatever came before. */
static void end(bool stopped)
{
    const struct report_log *log = machine.handoff->log;
    char message[128];

    if (log)
        report_log_end(machine.handoff->log);
    if (log && log->records.lost + log->text.lost > 0) {
        fmt_buf(message, sizeof message,
                "the stick's copy is cut: %llu records and %llu lines found no room in %llu KiB",
                (unsigned long long)log->records.lost, (unsigned long long)log->text.lost,
                (unsigned long long)(log->records.size + log->text.size) / 1024);
        report_event(&report, "warning", message);
    }
    facts_cost(&machine, &report);
    if (machine_halts(&machine, machine.handoff->options.finish))
        pager_hint(&machine.screen);
    report_end(&report, stopped);
}

/* A step that cannot be done without: said, and the report still ends whole. */
static void need(const char *why_not)
{
    if (!why_not)
        return;
    report_event(&report, "fault", why_not);
    report.failures++;
    end(false);
    leave(EXIT_FAULT);
}

/* After an exception's registers are on the console (kernel/trap/traps.h). */
_Noreturn void kernel_faulted(const struct trap_frame *f)
{
    char message[160];
    fault_describe(f, message, sizeof message);
    report_event(&report, "fault", message);
    report.failures++;
    engine_release(&engine); /* what it has started, where the machine is given back */
    end(false);
    leave(EXIT_FAULT);
}

/* Words that ask for what this machine has not: nothing is measured. */
static void refuse_wrong_cores(const struct platform *p, const struct options *o)
{
    char message[320];
    struct sink_buf text;
    sink_buf_init(&text, message, sizeof message);
    if (plan_check(p, o, &text.sink))
        return;
    report_event(&report, "error", message);
    report.failures++;
    report_end(&report, false);
    leave(EXIT_BAD_OPTIONS);
}

_Noreturn void kernel_main(struct handoff *h)
{
    struct machine *m = &machine;
    static struct platform platform;
    static struct probe probe;

    machine_cpu(m, h);
    machine_acpi(m);
    machine_console(m);
    report_init(&report, &m->console.sink, h->options.format);
    report.records = &m->records.sink;
    report.live = &m->live.sink;
    say_has_machine(report.out);
    need(machine_traps(m));
    need(machine_memory(m));
    struct sink *late = machine_console_late(m);
    if (late)
        say_has_machine(late);
    screen_paint(&m->screen); /* a hang from here on shows where it came */
    machine_dma(m);
    machine_irq(m);
    machine_clocks(m);
    need(machine_cores(m));
    need(machine_quiet(m));
    need(platform_init(&platform, m));
    refuse_wrong_cores(&platform, &h->options);

    engine_init(&engine, &platform, &h->options);
    probe_run(&engine, &probe);
    engine_timers(&engine);

    facts_report(m, &engine, &probe, &report);
    screen_paint(&m->screen);
    selftest_machine(m, &engine, &report);
    probe_judge(&engine, &probe, &report);
    cycle_judge(&engine, &report);
    probe_report(&engine, &probe, &report);
    bool stopped = bench_run(&engine, &report);
    engine_release(&engine);
    machine_unquiet(m, true);
    facts_left(m, &report);
    quiet_facts_advise(m, &engine, &report);
    bool faulted = cores_report_end(m, &report);
    end(stopped);

    leave(faulted ? EXIT_FAULT : report.failures ? EXIT_CHECK_FAILED : EXIT_SUCCESS);
}
