/*
 * The order of events, from the kernel's first instruction on its own stack to power off, or back
 * to the firmware; the ends of a run, after a measurement, without one, or by a fault. Interrupts
 * are disabled throughout; boot services are gone, or are not called.
 */
#include "kernel/kernel.h"
#include "bench/api/platform.h"
#include "bench/api/registry.h"
#include "bench/engine/place.h"
#include "bench/run/run.h"
#include "kernel/report/machine_facts.h"
#include "lib/text/fmt.h"

/* Global, since traps take no context. */
static struct {
    struct machine machine;
    struct platform platform;
    struct platform_cores others; /* platform.cores, if there are other cores */
    struct report report;         /* `out` NULL: not begun, so nothing can be written */
    struct engine engine;
    struct shown shown;
    unsigned faults; /* fatal faults on the boot core so far */
    bool told_nmis;
    uint64_t nmis_at_end; /* the boot core's NMIs at the report's end */
} kernel;

/* --- the ends of a run ------------------------------------------------------------------------ */

/* Begins the report on the consoles that are open. */
static void begin_report(void)
{
    struct machine *m = &kernel.machine;

    report_init(&kernel.report, &m->console.sink, m->handoff->options.format);
    kernel.report.records = &m->records.sink;
    if (report_table(&kernel.report)) {
        kernel.report.live = &m->live.sink;
        kernel.report.steady = &m->steady.sink;
    }
}

/* Reports the NMIs and machine checks before the first row as an event. Further calls do nothing.
 * */
static void report_early_nmis(void *ctx)
{
    const struct core *c = kernel.machine.boot_core;
    uint64_t borrowed = traps_borrowed_nmis(), own = c ? c->nmis + c->machine_checks : 0;

    (void)ctx;
    if (kernel.told_nmis)
        return;
    kernel.told_nmis = true;
    kernel.machine.handoff->nmis_reported = borrowed;
    if (borrowed + own == 0)
        return;
    report_eventf(&kernel.report, "nmi", "%llu NMIs or machine checks came before the first row",
                  (unsigned long long)(borrowed + own));
}

/* Closes the log of a borrowed machine; it has reserved room for the lines that follow. */
static void close_log(void)
{
    struct report_log *log = kernel.machine.handoff->log;

    if (!log)
        return;
    report_log_end(log);
    if (log->records.lost + log->text.lost == 0)
        return;
    report_eventf(
        &kernel.report, "warning",
        "the stick's copy is incomplete: %llu records and %llu lines did not fit into %llu KiB",
        (unsigned long long)log->records.lost, (unsigned long long)log->text.lost,
        (unsigned long long)(log->records.size + log->text.size) / 1024);
}

static void begin_end(void *ctx)
{
    (void)ctx;
    close_log();
    facts_cost(&kernel.machine, &kernel.report);
}

/* Returns whether the machine will halt with its report on the screen. */
static bool halts(const struct handoff *h)
{
    enum finish finish = h->options.finish;

    /* With a borrowed machine, boot/ halts instead. */
    return !h->borrowed && (finish == FINISH_HALT || (finish == FINISH_AUTO && !h->qemu));
}

static void show_hint(void *ctx)
{
    struct machine *m = ctx;

    if (halts(m->handoff))
        pager_hint(&m->screen);
}

/* Returns the kernel's parts of the end of a report. */
static struct run_end end_parts(void)
{
    return (struct run_end){.ctx = &kernel.machine, .first = begin_end, .hint = show_hint};
}

/* Ends as finish= says, with a report that is complete. */
static _Noreturn void leave(enum status status)
{
    struct machine *m = &kernel.machine;

    if (m->boot_core)
        kernel.nmis_at_end = m->boot_core->nmis;
    machine_leave(m, m->handoff->options.finish, status);
}

/* Ends a run that cannot measure; an event of this type says why. */
static _Noreturn void end_refused(enum status status, const char *type, const char *why)
{
    const struct run_end parts = end_parts();

    report_early_nmis(NULL);
    run_end_failed(&parts, &kernel.report, &kernel.shown, type, why);
    leave(status);
}

static void print_fault(const struct core *c, const struct trap_frame *f)
{
    fault_print(&kernel.machine.console.sink, kernel.machine.handoff, c, f, place_name_at);
    screen_paint(&kernel.machine.screen);
}

static _Noreturn void end_boot_core(const struct core *c, const struct trap_frame *f)
{
    const bool early = !kernel.report.out;
    char message[160];

    kernel.faults++;
    /* The fault came while an earlier one was reported, or in a step of machine_leave(), when the
     * report is already closed. */
    if (kernel.faults > 1 || kernel.machine.left > 0)
        leave(STATUS_FAULTED);
    if (early) {
        machine_console_early(&kernel.machine);
        begin_report();
    }
    print_fault(c, f);
    if (early)
        cpu_setup(); /* the code below uses SSE */
    fault_describe(c, f, message, sizeof message);
    /* Stops counters that the engine started, if the machine is given back. */
    engine_release(&kernel.engine);
    end_refused(STATUS_FAULTED, "fault", message);
}

/*
 * Handles a fatal exception on any core, in its handler. Prints registers and backtrace. Then the
 * boot core ends the run; any other core stops, and the boot core reports it. A fault while the run
 * ends ends the program at once. If no console is open, this opens those that need no ACPI table:
 * COM1, or the port of serial=, and the firmware's framebuffer.
 */
static void fatal(struct core *c, const struct trap_frame *f)
{
    c->deadline = 0;
    if (c->origin)
        core_faulted(c, f, print_fault);
    end_boot_core(c, f);
}

/* --- the order of events ---------------------------------------------------------------------- */

static void say_has_machine(const struct handoff *h, struct sink *out)
{
    if (report_says(&kernel.report))
        fmt(out, h->borrowed ? "baretick: has the machine\r\n" : "baretick: left firmware\r\n");
}

static void begin_on_consoles(struct machine *m)
{
    begin_report();
    say_has_machine(m->handoff, kernel.report.out);
}

static void continue_on_all_consoles(struct machine *m, struct sink *late)
{
    if (m->screen.on) /* lines too long for a serial terminal fit on it */
        kernel.report.columns = m->screen.text.columns;
    if (late)
        say_has_machine(m->handoff, late);
    screen_paint(&m->screen); /* after a hang from here on, the screen shows how far it got */
}

/* Ends the run if a required step failed. `why_not` NULL: does nothing. */
static void need(const char *why_not)
{
    if (why_not)
        end_refused(STATUS_FAULTED, "fault", why_not);
}

static void probed(void *ctx, const struct run_facts *run)
{
    struct machine *m = ctx;

    if (run->execution == EXEC_INSTRUCTIONS)
        deadline_count_virtual(&m->deadlines);
}

static void report_head(void *ctx, const struct run_facts *run, const struct probe *probe)
{
    struct machine *m = ctx;

    facts_report(&kernel.platform, m, run, probe, &kernel.shown.summary, &kernel.report);
    screen_paint(&m->screen);
    selftest_machine(&kernel.platform, m, run, &kernel.report);
}

/* After the last row: reports an event for each core that was interrupted by NMIs or machine
 * checks, or that faulted outside a row. Sets r->faulted if a core faulted. */
static void report_cores(const struct cores *c, struct report *r)
{
    for (unsigned i = 1; i < c->count; i++) {
        const struct core *core = c->core[i];
        if (!core)
            continue;
        /* If a row ran on it, the row's record reports the fault. */
        if (core->faulted && !core->row_suite) {
            report_eventf(r, "fault", "core %u (APIC id %u): %s", i, core->apic_id, core->fault);
            report_failed(r, "a core", "fault");
        }
        if (core->nmis + core->machine_checks > 0)
            report_eventf(r, "nmi", "core %u (APIC id %u): %llu NMIs or machine checks in all", i,
                          core->apic_id, (unsigned long long)(core->nmis + core->machine_checks));
    }
    r->faulted = r->faulted || c->faulted > 0;
}

/* Restores settings, and reports what could not be restored and what happened to other cores. */
static void restore_settings(void *ctx, const struct run_facts *run)
{
    struct machine *m = ctx;

    core_controls_restore_all(m, true);
    warnings_left(m, &kernel.report);
    control_facts_advise(m, run, &kernel.report);
    report_cores(&m->cores, &kernel.report);
}

/* Runs on the arena's stack, with SSE usable. Never returns. */
static void kernel_main(void *nothing)
{
    struct machine *m = &kernel.machine;
    const struct run_steps steps = {.ctx = m,
                                    .probed = probed,
                                    .head = report_head,
                                    .rows = report_early_nmis,
                                    .left = restore_settings,
                                    .end = end_parts()};
    char refused[400];
    struct sink_buf text;

    (void)nothing;
    need(machine_take(m, begin_on_consoles, continue_on_all_consoles));
    need(platform_init(&kernel.platform, &kernel.others, m));
    sink_buf_init(&text, refused, sizeof refused);
    enum status status = bench_run(&kernel.engine, &kernel.platform, &m->handoff->options, &steps,
                                   &kernel.report, &kernel.shown, &text.sink);
    if (status == STATUS_BAD_OPTIONS)
        end_refused(status, "error", refused);
    leave(status);
}

/* Several sources can share one NMI, so each is asked. */
static bool own_nmi(struct core *c, struct trap_frame *f)
{
    bool guards = c == kernel.machine.boot_core && watchdog_nmi(&kernel.machine);
    bool row = deadline_nmi(c, f);

    c->own_nmis += guards && !row;
    return guards || row;
}

static bool lent_nmi(void)
{
    return watchdog_nmi(&kernel.machine);
}

void kernel_unguard(void)
{
    watchdog_stop(&kernel.machine);
}

void kernel_traps(struct handoff *h)
{
    static const struct trap_hooks hooks = {
        .interrupt = deadline_interrupt,
        .own_nmi = own_nmi,
        .lent_nmi = lent_nmi,
        .nmi = core_nmi,
        .fatal = fatal,
    };

    /* Both would change the meaning of our descriptors. */
    write_cr4(read_cr4() & ~(CR4_CET | CR4_FRED));
    machine_traps(&kernel.machine, h, &hooks);
}

_Noreturn void kernel_enter(struct handoff *h)
{
    uint64_t guard;

    cpu_setup();
    entry_switch(NULL, arena_kernel_stack(h, &guard), kernel_main);
}

int kernel_borrow(struct handoff *h)
{
    struct cpu_state firmware;
    uint64_t guard;
    int status;

    cpu_state_save(&firmware);
    cpu_state_cet_off(&firmware);
    h->way_back = 0;
    kernel.machine.firmware_cr3 = firmware.cr3;
    kernel_traps(h);
    cpu_setup();
    status = entry_visit(NULL, arena_kernel_stack(h, &guard), kernel_main, &h->way_back);
    cpu_state_restore(&firmware);
    cpu_state_cet_on(&firmware);
    if (kernel.machine.boot_core)
        h->nmis_late = kernel.machine.boot_core->nmis - kernel.nmis_at_end;
    return status;
}
