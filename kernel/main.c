/*
 * From the kernel's first instruction on its own stack to power off, or back to the firmware: the
 * order of events. Interrupts are off throughout; boot services are gone, or are not called.
 */
#include "kernel/main.h"
#include "bench/cores/plan.h"
#include "bench/measure/cycle.h"
#include "bench/measure/engine.h"
#include "bench/measure/probe.h"
#include "bench/run.h"
#include "bench/show/linearity_show.h"
#include "bench/show/selftests.h"
#include "kernel/cores/deadline.h"
#include "kernel/cores/run.h"
#include "kernel/ending.h"
#include "kernel/platform.h"
#include "kernel/report/facts.h"
#include "kernel/report/quiet_facts.h"
#include "kernel/report/selftest.h"
#include "kernel/trap/step.h"
#include "kernel/trap/guard.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

static struct kernel kernel; /* traps, which take no context, need a way to it */

static void fatal(struct core *c, const struct trap_frame *f)
{
    guard_drop(c);
    c->deadline = 0;
    ending_fault(&kernel, c, f);
}

static const struct trap_hooks hooks = {
    .interrupt = deadline_interrupt,
    .own_nmi = deadline_nmi,
    .step = step_trap,
    .nmi = core_nmi,
    .leave = guard_fault,
    .fatal = fatal,
};

static void say_has_machine(const struct handoff *h, struct sink *out)
{
    if (report_says(&kernel.report))
        fmt(out, h->borrowed ? "baretick: has the machine\r\n" : "baretick: left firmware\r\n");
}

static void begin_report(struct machine *m)
{
    ending_report(&kernel);
    say_has_machine(m->handoff, kernel.report.out);
}

static void open_late_console(struct machine *m)
{
    struct sink *late = machine_console_late(m);

    if (m->screen.on) /* lines that a serial terminal breaks are whole there */
        kernel.report.columns = m->screen.text.columns;
    if (late)
        say_has_machine(m->handoff, late);
    screen_paint(&m->screen); /* a hang from here on shows where it came */
}

static void need(const char *why_not)
{
    ending_if_failed(&kernel, why_not);
}

/* Words of cores= that ask for what this machine has not: nothing is measured. */
static void need_cores(const struct platform *p, const struct options *o)
{
    char message[320];
    struct sink_buf text;

    sink_buf_init(&text, message, sizeof message);
    if (!plan_check(p, o, &text.sink))
        ending_refused(&kernel, EXIT_BAD_OPTIONS, "error", message);
}

/* Words that need a timer which does not start here: the same. */
static void need_timers(const struct engine *e)
{
    char message[400];
    struct sink_buf text;

    sink_buf_init(&text, message, sizeof message);
    if (!engine_check(e, &text.sink))
        ending_refused(&kernel, EXIT_BAD_OPTIONS, "error", message);
}

static void take_machine(struct machine *m)
{
    machine_cpu(m);
    machine_acpi(m);
    machine_console(m);
    begin_report(m);
    need(machine_checks(m));
    need(machine_memory(m));
    open_late_console(m);
    machine_dma(m);
    machine_irq(m);
    machine_clocks(m);
    need(machine_cores(m));
    machine_deadline(m);
    need(machine_quiet(m));
}

/* Who executes this code, its clocks, and what a cycle is: what every row relies on. */
static void open_engine(struct machine *m, struct engine *e, struct probe *probe)
{
    struct platform *p = &kernel.platform;

    need(platform_init(p, &kernel.others, m));
    need_cores(p, &m->handoff->options);
    engine_init(e, p, &m->handoff->options);
    probe_run(e, probe);
    if (e->facts.execution == EXEC_INSTRUCTIONS)
        deadline_count_virtual(&m->deadlines);
    engine_timers(e);
    need_timers(e);
}

static void report_machine(struct machine *m, struct engine *e, const struct probe *probe,
                           struct report *r)
{
    facts_report(m, e, probe, &kernel.shown.essence, r);
    screen_paint(&m->screen);
    selftest_machine(m, e, r);
    struct probe_check linearity = probe_judge(e, probe);
    struct cycle_check counter = cycle_judge(e);
    selftests_core(&e->facts, &linearity, &counter, r);
    linearity_show(&e->facts, probe, r);
}

/* Settings and timers as they were found, and what is to be said of that. */
static void put_back(struct machine *m, struct engine *e, struct report *r)
{
    engine_release(e);
    quiet_restore_all(&m->quiet, true);
    facts_left(m, r);
    quiet_facts_advise(m, e, r);
}

static enum exit_status status_of(const struct report *r, bool core_faulted, bool stopped)
{
    if (core_faulted)
        return EXIT_FAULT;
    if (r->failures)
        return EXIT_CHECK_FAILED;
    return stopped ? EXIT_STOPPED : EXIT_SUCCESS;
}

void kernel_main_traps(struct handoff *h)
{
    machine_traps(&kernel.machine, h, &hooks);
}

uint64_t kernel_main_nmis(void)
{
    const struct core *c = kernel.machine.boot_core;

    return c ? c->nmis - kernel.nmis_at_end : 0;
}

_Noreturn void kernel_main(void)
{
    struct machine *m = &kernel.machine;
    struct report *r = &kernel.report;
    struct engine *e = &kernel.engine;
    static struct probe probe;
    bool stopped, core_faulted;

    take_machine(m);
    open_engine(m, e, &probe);
    report_machine(m, e, &probe, r);
    ending_tell_nmis(&kernel); /* from here on the rows tell */
    stopped = bench_run(e, r, &kernel.shown);
    put_back(m, e, r);
    core_faulted = cores_report_end(&m->cores, r);
    ending_measured(&kernel, stopped, status_of(r, core_faulted, stopped));
}
