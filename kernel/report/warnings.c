#include "kernel/report/machine_facts.h"
#include "bench/output/head.h"
#include "kernel/cpu/registers.h"
#include "lib/text/fmt.h"

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
    if (!m->console_missing)
        return;
    WARN(r, "console=: the %s that was asked for is not there (%s)", m->console_missing,
         m->serial.on ? m->screen.why_not : m->serial.why_not);
}

static void refused(struct report *r, const struct acpi_error *e)
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
    refused(r, &m->fadt.error);
    refused(r, &m->hpet.error);
    refused(r, &m->madt_error);
    refused(r, &m->places.spcr_error);
    refused(r, &m->places.dbg2_error);
}

static void warn_of_run(const struct machine *m, const struct run_facts *run, struct report *r)
{
    const struct handoff *h = m->handoff;

    if (h->foreign_options[0])
        WARN(r, "load options of another program ignored: \"%s\"", h->foreign_options);
    if (h->once_warning[0])
        WARN(r, "%s", h->once_warning);
    control_facts_warn(m, r);
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
    if (m->mce.stale)
        WARN(r, "%u machine-check banks already held an error at boot", m->mce.stale);
    warn_of_consoles(m, r);
    warn_of_tables(m, r);
    if (m->paging.regions_left_out)
        WARN(r, "%u regions of memory lie beyond what this CPU can address, and are not used",
             m->paging.regions_left_out);
}

static void warn_of_cores(const struct machine *m, struct report *r)
{
    const struct cores *c = &m->cores;

    if (c->why_alone) {
        WARN(r, "%u other cores are not used: %s", c->count - 1, c->why_alone);
        return;
    }
    for (unsigned i = 1; i < c->count; i++) {
        if (!c->facts[i].why_not)
            continue;
        WARN(r, "core %u (APIC id %u) is not used: %s", i, c->facts[i].apic_id,
             c->facts[i].why_not);
    }
    if (c->list.left_out)
        WARN(r, "%u cores are left out: at most %u are supported", c->list.left_out, c->list.room);
    if (c->count > 1 && !c->list.boot_listed)
        WARN(r, "the core that runs is not in the firmware's own list of cores");
    if (c->parking.refused)
        WARN(r, "%s", c->parking.refused);
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
}
