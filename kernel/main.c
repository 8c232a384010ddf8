/*
 * The order of events, from the kernel's first instruction on its own stack to power off, or back
 * to the firmware. Interrupts are disabled throughout; boot services are gone, or are not called.
 */
#include "kernel/entry.h"
#include "bench/run/run.h"
#include "kernel/cores/deadline.h"
#include "kernel/cores/smp.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/kernel.h"
#include "kernel/report/machine_facts.h"
#include "kernel/trap/traps.h"
#include "lib/text/fmt.h"

static struct kernel kernel; /* global, since traps take no context */

static void fatal(struct core *c, const struct trap_frame *f)
{
    c->deadline = 0;
    ending_fault(&kernel, c, f);
}

static const struct trap_hooks hooks = {
    .interrupt = deadline_interrupt,
    .own_nmi = deadline_nmi,
    .nmi = core_nmi,
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

    if (m->screen.on) /* lines too long for a serial terminal fit on it */
        kernel.report.columns = m->screen.text.columns;
    if (late)
        say_has_machine(m->handoff, late);
    screen_paint(&m->screen); /* after a hang from here on, the screen shows how far it got */
}

static void need(const char *why_not)
{
    ending_if_failed(&kernel, why_not);
}

static void take_machine(struct machine *m)
{
    cpu_decode(&m->cpu, cpuid_here, NULL);
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
    deadline_try(&m->deadlines);
    need(
        core_controls_apply_all(&m->controls, &m->handoff->options, &m->cpu, &m->arena, &m->cores));
}

static void probed(void *ctx, const struct run_facts *run)
{
    struct machine *m = ctx;

    if (run->execution == EXEC_INSTRUCTIONS)
        deadline_count_virtual(&m->deadlines);
}

static void head(void *ctx, const struct run_facts *run, const struct probe *probe)
{
    struct machine *m = ctx;

    facts_report(&kernel.platform, m, run, probe, &kernel.shown.essence, &kernel.report);
    screen_paint(&m->screen);
    selftest_machine(&kernel.platform, m, run, &kernel.report);
}

/* From here on the rows report NMIs. */
static void tell_nmis(void *ctx)
{
    (void)ctx;
    ending_tell_nmis(&kernel);
}

/* Restores settings, and reports what could not be restored and what happened to other cores. */
static void put_back(void *ctx, const struct run_facts *run)
{
    struct machine *m = ctx;

    core_controls_restore_all(&m->controls, true);
    warnings_left(m, &kernel.report);
    control_facts_advise(m, run, &kernel.report);
    cores_report_end(&m->cores, &kernel.report);
}

/* Runs on the arena's stack, with SSE usable. Never returns. */
static void kernel_main(void *nothing)
{
    struct machine *m = &kernel.machine;
    const struct run_steps steps = {m, probed, head, tell_nmis, put_back, ending_parts(&kernel)};
    char refused[400];
    struct sink_buf text;

    (void)nothing;
    take_machine(m);
    need(platform_init(&kernel.platform, &kernel.others, m));
    sink_buf_init(&text, refused, sizeof refused);
    enum status status = bench_run(&kernel.engine, &kernel.platform, &m->handoff->options, &steps,
                                   &kernel.report, &kernel.shown, &text.sink);
    if (status == STATUS_BAD_OPTIONS)
        ending_refused(&kernel, status, "error", refused);
    ending_leave(&kernel, status);
}

void kernel_traps(struct handoff *h)
{
    cpu_setup_traps();
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
    kernel_traps(h);
    cpu_setup();
    status = entry_visit(NULL, arena_kernel_stack(h, &guard), kernel_main, &h->way_back);
    cpu_state_restore(&firmware);
    cpu_state_cet_on(&firmware);
    if (kernel.machine.boot_core)
        h->nmis_late = kernel.machine.boot_core->nmis - kernel.nmis_at_end;
    return status;
}
