#include "kernel/report/machine_facts.h"
#include "bench/api/tsc.h"
#include "bench/output/head.h"
#include "kernel/cpu/msr.h"
#include "lib/text/fmt.h"

/* --- self-tests ------------------------------------------------------------------------------- */

#define MONOTONIC_RUN 10000

static void report_judged(struct report *r, const char *name, bool pass, const char *detail)
{
    report_selftest(r, name, pass ? SELFTEST_PASS : SELFTEST_FAIL, detail);
}

static void test_interrupts(const struct machine *m, struct report *r)
{
    char detail[96];
    unsigned stuck = m->irq.ioapic_stuck + m->irq.lvt_stuck;
    bool enabled = read_rflags() & RFLAGS_IF;

    fmt_buf(detail, sizeof detail, "IF is %s, %u sources still open after masking",
            enabled ? "SET" : "clear", stuck);
    report_judged(r, "interrupts", !enabled && stuck == 0, detail);
}

static void test_fixup(struct report *r)
{
    uint64_t value;
    bool there = mem_read(0, &value);

    report_judged(r, "fixup", !there,
                  there ? "address 0 can be read: it should not be mapped"
                        : "a read of address 0 faulted and was survived");
}

static void test_monotonic(struct report *r)
{
    char detail[96];
    unsigned back = 0;
    uint64_t last = tsc_now();

    for (unsigned i = 0; i < MONOTONIC_RUN; i++) {
        uint64_t now = tsc_now();
        back += now < last;
        last = now;
    }
    fmt_buf(detail, sizeof detail, "%u of %u fenced TSC readings were below the previous one", back,
            MONOTONIC_RUN);
    report_judged(r, "tsc_monotonic", back == 0, detail);
}

static void test_sources(const struct machine *m, const struct run_facts *run, struct report *r)
{
    unsigned known = 0;
    char detail[96];

    for (unsigned i = 0; i < CLOCK_VOTERS; i++)
        known += m->clock.source[i].known;
    fmt_buf(detail, sizeof detail, "%u sources, the farthest %u ppm from %s", known,
            (unsigned)(m->clock.worst_ppm + 0.5),
            m->clock.hz ? clock_source_names[m->clock.used] : "none");
    if (known < 2)
        report_selftest(r, "tsc_sources", SELFTEST_NOT_JUDGED, "fewer than two sources answer");
    else if (run->execution == EXEC_EMULATED)
        report_selftest(r, "tsc_sources", SELFTEST_NOT_JUDGED, detail);
    else
        report_judged(r, "tsc_sources", m->clock.agree, detail);
}

static void test_memory(const struct machine *m, struct report *r)
{
    bool wp = read_cr0() & CR0_WP;

    if (wp && !m->paging.tables.nx) {
        report_selftest(r, "protection", SELFTEST_NOT_JUDGED,
                        "code is read-only; this CPU or its setup has no Execute Disable");
        return;
    }
    report_judged(r, "protection", wp,
                  wp ? "code is read-only, data is not executable" : "CR0.WP is clear");
}

struct calls {
    unsigned n, core; /* number of calls, and the core of the last one */
};

static void note_call(void *ctx, unsigned core)
{
    struct calls *calls = ctx;

    calls->n++;
    calls->core = core_current()->index == core ? core : 0;
}

/* Calls each core that came up once, while all others, including this one, sleep. */
static void test_cores(const struct machine *m, const struct platform *platform, struct report *r)
{
    const struct platform_cores *c = platform->cores;
    unsigned usable = 0, right = 0;
    char detail[128];

    if (!c) {
        report_selftest(r, "cores", SELFTEST_NOT_JUDGED,
                        m->cores.why_alone ? m->cores.why_alone : "there is one core only");
        return;
    }
    for (unsigned i = 1; i < c->count; i++) {
        struct calls calls = {0};
        if (c->facts[i].why_not)
            continue;
        usable++;
        right += !c->run(platform, i, note_call, &calls) && calls.n == 1 && calls.core == i;
    }
    fmt_buf(detail, sizeof detail, "%u of %u other cores did what they were called for, once",
            right, usable);
    report_judged(r, "cores", right == usable && usable > 0, detail);
}

/* Reports the sources of deadlines; each was tested when the machine was taken over. */
static void test_deadline(const struct machine *m, struct report *r)
{
    char detail[400];
    struct sink_buf text;
    unsigned work = 0;

    sink_buf_init(&text, detail, sizeof detail);
    for (unsigned i = 0; i < DEADLINE_SOURCES; i++) {
        const struct deadline_source *s = deadline_source_of(&m->deadlines, i);
        work += !s->why_not;
        fmt(&text.sink, "%s%s %s%s", i ? "; " : "", s->name, s->why_not ? "not: " : "ends a loop",
            s->why_not ? s->why_not : "");
    }
    report_selftest(r, "deadline", work ? SELFTEST_PASS : SELFTEST_NOT_JUDGED, detail);
    if (!work)
        report_event(r, "warning",
                     "no source can end a row that does not return: deadline= has no effect");
}

void selftest_machine(const struct platform *platform, const struct machine *m,
                      const struct run_facts *run, struct report *r)
{
    test_interrupts(m, r);
    test_memory(m, r);
    test_fixup(r);
    test_monotonic(r);
    test_sources(m, run, r);
    test_cores(m, platform, r);
    test_deadline(m, r);
}

/* --- warnings --------------------------------------------------------------------------------- */

#define WARN(r, ...) report_eventf(r, "warning", __VA_ARGS__)

static void warn_of_consoles(const struct machine *m, struct report *r)
{
    const struct handoff *h = m->handoff;

    if (h->framebuffer.size == 0 && h->screen_refused[0])
        WARN(r, "no screen: %s", h->screen_refused);
    for (unsigned i = 0; i < m->places.refused_n; i++)
        WARN(r, "serial port: %s names address 0x%llx, but it is %s: not tried",
             m->places.refused[i].from, (unsigned long long)m->places.refused[i].address,
             m->places.refused[i].taken);
    if (m->serial.lacks)
        WARN(r, "serial port: used because the table SPCR names it, but it is %s", m->serial.lacks);
    if (!m->console_missing)
        return;
    WARN(r, "console=: the %s that was asked for is not there (%s)", m->console_missing,
         m->serial.on ? m->screen.why_not : m->serial.why_not);
}

static void warn_of_table(struct report *r, const struct acpi_error *e)
{
    if (e->text[0] == '\0')
        return;
    WARN(r, "ACPI: %s: using the entries before it", e->text);
}

/* Warns of invalid ACPI tables. */
static void warn_of_tables(const struct machine *m, struct report *r)
{
    if (m->acpi.bad)
        WARN(r,
             "%u ACPI tables are skipped: outside memory, too short, or with a "
             "wrong checksum",
             m->acpi.bad);
    warn_of_table(r, &m->fadt.error);
    warn_of_table(r, &m->hpet.error);
    warn_of_table(r, &m->madt_error);
    warn_of_table(r, &m->places.spcr_error);
    warn_of_table(r, &m->places.dbg2_error);
}

static void warn_settings(const struct core_controls *q, struct report *r)
{
    for (unsigned i = 0; i < CONTROL_IDS; i++) {
        const struct control *s = &q->core[0].of[i];
        if (s->asked && q->failed[i] > 0)
            WARN(r, "%s= is not in force on %u of %u cores: %s", control_names[i], q->failed[i],
                 q->cores, s->why_not ? s->why_not : "they are not as the boot core");
    }
}

static void warn_dma(const struct dma *d, struct report *r)
{
    if (d->why_not)
        WARN(r, "dma=off: %s", d->why_not);
    if (d->unreached || d->stopped.fate[PCI_STUCK])
        WARN(r, "dma=off: %u devices did not stop bus mastering, %u entries of MCFG cannot be used",
             d->stopped.fate[PCI_STUCK], d->unreached);
}

static void warn_watchdog(const struct watchdog *w, struct report *r)
{
    char text[240];
    struct sink_buf buf;

    if (!w->table)
        return;
    sink_buf_init(&buf, text, sizeof text);
    watchdog_text(w, &buf.sink);
    report_event(r, "warning", text);
}

static void warn_bmc(const struct machine *m, struct report *r)
{
    unsigned seconds = m->bmc.watchdog.tenths / 10;

    if (m->bmc.watchdog.runs && !m->bmc.why_not)
        WARN(r,
             "the watchdog of the BMC runs: it is fed now, and resets the machine %u s after the "
             "end",
             seconds);
    else if (m->bmc.watchdog.runs)
        WARN(r, "the watchdog of the BMC resets the machine in %u s: it cannot be fed: %s",
             m->bmc.watchdog.present / 10, m->bmc.why_not);
    else if (m->bmc.why_not)
        WARN(r, "the watchdog of the BMC is not known: %s", m->bmc.why_not);
    if (m->bmc.watchdog.runs && seconds < 2 * m->handoff->options.deadline)
        WARN(r,
             "the watchdog of the BMC allows %u s, and 2 times deadline= is %u s: a long row may "
             "end in a reset",
             seconds, 2 * m->handoff->options.deadline);
}

/* Warns of settings that are not as requested, and of watchdogs. */
static void warn_of_controls(const struct machine *m, struct report *r)
{
    warn_settings(&m->controls, r);
    warn_dma(&m->dma, r);
    for (unsigned i = m->guard.armed; i < sizeof m->watchdog / sizeof m->watchdog[0]; i++)
        warn_watchdog(&m->watchdog[i], r);
    warn_bmc(m, r);
    if (m->guard.timer_why_not)
        WARN(r, "once: %s; HPET: %s: a run that hangs needs a power cycle, unless a BMC ends it",
             m->guard.why_not, m->guard.timer_why_not);
    else if (m->guard.timed && m->wdat.bytes)
        WARN(r, "once: %s: an NMI of the HPET ends a run that hangs", m->guard.why_not);
}

static void warn_of_run(const struct machine *m, const struct run_facts *run, struct report *r)
{
    const struct handoff *h = m->handoff;

    if (h->foreign_options[0])
        WARN(r, "load options of another program ignored: \"%s\"", h->foreign_options);
    if (h->once_warning[0])
        WARN(r, "%s", h->once_warning);
    warn_of_controls(m, r);
    control_facts_warn(m, run, r);
    head_warn(run, r);
    if (m->clock.hz && !m->clock.agree && run->execution != EXEC_INSTRUCTIONS)
        WARN(r, "sources of the TSC's frequency disagree; see tsc");
    if (m->lfence == LFENCE_COULD_NOT && run->execution == EXEC_SILICON)
        WARN(r, "LFENCE is not serialising here and could not be made so: bodies may leak out of "
                "their windows");
    if (!m->others_stopped && !h->borrowed)
        WARN(r, "the other cores, if there are any, could not be stopped: they may disturb");
    if (m->arena_type != MTRR_WB)
        WARN(r, "the benchmark's memory is not write-back by its MTRR");
    if (m->irq.ioapic_stuck + m->irq.lvt_stuck)
        WARN(r, "some interrupt sources could not be masked");
    if (m->madt && m->madt->ioapics_left_out)
        WARN(r, "%u IO-APICs are left out, with their interrupts: at most %u are supported",
             m->madt->ioapics_left_out, MADT_IOAPIC_MAX);
    if (!m->paging.tables.nx)
        WARN(r, "Execute Disable is off (CPUID 80000001h EDX[20]): data can be executed");
    if (m->mce.stale)
        WARN(r, "%u machine-check banks already held an error at boot", m->mce.stale);
    warn_of_consoles(m, r);
    warn_of_tables(m, r);
    if (m->paging.regions_left_out)
        WARN(r, "%u regions of memory lie where the page tables cannot map them, and are not used",
             m->paging.regions_left_out);
}

static void warn_of_list(const struct cores_list *l, struct report *r)
{
    if (l->invalid)
        WARN(r, "%u processors of the firmware's list are left out: no core has APIC id 0x%x%s",
             l->invalid, l->invalid_id, l->invalid > 1 ? ", the first of them" : "");
    if (l->left_out)
        WARN(r, "%u cores are left out: at most %u are supported", l->left_out, l->room);
    if (l->count > 1 && !l->boot_listed)
        WARN(r, "the core that runs is not in the firmware's own list of cores");
}

static void warn_of_cores(const struct machine *m, struct report *r)
{
    const struct cores *c = &m->cores;

    warn_of_list(&c->list, r);
    if (c->why_alone) {
        WARN(r, "%u other cores are not used: %s%s", c->count - 1, c->why_alone,
             !handoff_starts_cores(m->handoff) && !m->handoff->lent && !m->handoff->cores_busy
                 ? "; with finish=reboot baretick starts them itself, by INIT"
                 : "");
        return;
    }
    for (unsigned i = 1; i < c->count; i++) {
        if (!c->facts[i].why_not)
            continue;
        WARN(r, "core %u (APIC id %u) is not used: %s", i, c->facts[i].apic_id,
             c->facts[i].why_not);
    }
    if (c->parking.refused)
        WARN(r, "park=%s: %s, so it is hlt", park_names[m->handoff->options.park],
             c->parking.refused);
    if (c->lvt_stuck)
        WARN(r, "other cores have interrupt sources that could not be masked");
    if (c->lfence_not)
        WARN(r, "LFENCE does not serialise alike on all cores");
}

void warnings_report(const struct machine *m, const struct run_facts *run, struct report *r)
{
    warn_of_run(m, run, r);
    warn_of_cores(m, r);
}

/* Returns whether a counter is stuck on any core. */
static bool counter_is_stuck(const struct machine *m)
{
    bool stuck = m->boot_core->cycles.stuck;

    for (unsigned i = 1; i < m->cores.count; i++)
        stuck = stuck || (m->cores.core[i] && m->cores.core[i]->cycles.stuck);
    return stuck;
}

void warnings_left(const struct machine *m, struct report *r)
{
    if (m->controls.stuck)
        WARN(r, "turbo=, prefetch= or freq=: an MSR does not read back as it was found");
    if (counter_is_stuck(m))
        WARN(r, "the cycle counter's MSRs do not read back as they were found");
    if (watchdog_bmc_lost(m))
        WARN(r, "the watchdog of the BMC resets the machine: it was not fed %u times in a row: %s",
             m->bmc.failed, m->bmc.why_not);
}
