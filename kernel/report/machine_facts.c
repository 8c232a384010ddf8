#include "kernel/report/machine_facts.h"
#include "bench/api/declare.h"
#include "bench/output/summary.h"
#include "bench/output/head.h"
#include "bench/output/show.h"
#include "bench/output/tsc_facts.h"
#include "kernel/cpu/msr.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* The data for both forms of the head. */
struct facts {
    struct cpu_facts cpu;
    struct board board;
    struct tsc_facts tsc;
};

static void read_board(struct board *b, const struct handoff *h, const struct physmem *mem)
{
    const struct smbios_field fields[BOARD_FIELDS] = {
        [BOARD_BIOS_VENDOR] = SMBIOS_BIOS_VENDOR,
        [BOARD_BIOS_VERSION] = SMBIOS_BIOS_VERSION,
        [BOARD_BIOS_DATE] = SMBIOS_BIOS_DATE,
        [BOARD_SYSTEM_VENDOR] = SMBIOS_SYSTEM_MANUFACTURER,
        [BOARD_SYSTEM_PRODUCT] = SMBIOS_SYSTEM_PRODUCT,
        [BOARD_BOARD_VENDOR] = SMBIOS_BOARD_MANUFACTURER,
        [BOARD_BOARD_PRODUCT] = SMBIOS_BOARD_PRODUCT,
    };
    uint64_t entry = h->smbios3;

    smbios_processors(&b->processors, mem, entry);
    if (!b->processors.table) {
        entry = h->smbios;
        smbios_processors(&b->processors, mem, entry);
    }
    for (unsigned i = 0; i < BOARD_FIELDS; i++)
        smbios_string(mem, entry, fields[i], b->text[i], sizeof b->text[i]);
    smbios_memory(&b->memory, mem, entry);
    b->asked_processors = true;
}

static void take_facts(struct facts *f, const struct platform *platform, const struct machine *m)
{
    const struct cpu_source here = {cpuid_here, NULL, msr_here.read, NULL};
    const struct core_facts *core = &m->cores.facts[0];

    head_read_cpu(&f->cpu, platform, core->microcode, !m->cores.why_alone, &here);
    read_board(&f->board, m->handoff, &m->physical);
    f->tsc = (struct tsc_facts){
        m->clock.hz,        m->clock.source,
        clock_source_names, CLOCK_SOURCES,
        m->clock.used,      m->clock.stated_by,
        &m->clock,          core->has_tsc_adjust,
        core->tsc_adjust,   f->board.asked_processors ? &f->board.processors : NULL};
}

static void show_masked(const struct irq_masked *q, struct sink *out)
{
    fmt(out,
        "masked    IF off; PIC; %u IO-APIC (%u of %u entries open before); LAPIC (%u of %u entries "
        "open before)\r\n",
        q->ioapics, q->ioapic_masked, q->ioapic_entries, q->lvt_masked, q->lvt_entries);
    if (q->ioapic_kept + q->lvt_kept)
        fmt(out, "          left unmasked, since they deliver NMI or SMI: %u\r\n",
            q->ioapic_kept + q->lvt_kept);
}

static double cores_ms(const struct machine *m)
{
    return m->clock.hz ? (double)m->cores.start_ticks * 1e3 / (double)m->clock.hz : 0;
}

static void show_cores(const struct machine *m, struct sink *out)
{
    const struct cores *c = &m->cores;

    if (c->count == 1) {
        fmt(out, "cores     1\r\n");
        return;
    }
    fmt(out, "cores     %u by %s, ", c->count, c->from);
    if (c->why_alone) {
        fmt(out, "one is used: %s\r\n", c->why_alone);
        return;
    }
    fmt(out, "%u up in ", c->up + 1);
    num_f64(out, cores_ms(m), 1, 0);
    fmt(out, " ms, parked by %s%s%s\r\n", park_names[c->parking.how],
        m->irq.lapic.x2apic ? "; x2APIC" : "",
        m->handoff->borrowed && !m->handoff->lent ? "; not lent, but started by INIT" : "");
    if (c->parking.how == PARK_DEEP && m->clock.hz)
        fmt(out, "          MWAIT with hint %xh; %s wakes within %llu us\r\n", c->parking.hint,
            c->up > 1 ? "each" : "it",
            (unsigned long long)(c->wake_most * 1000000 / m->clock.hz + 1));
}

/* Returns how the port was found, in words; the record has the short names. */
static const char *serial_found(const char *from)
{
    if (str_eq(from, "spcr"))
        return "from SPCR";
    if (str_eq(from, "dbg2"))
        return "from DBG2";
    return str_eq(from, "com1") ? "found at COM1" : "named by serial=";
}

static void show_consoles(const struct machine *m, struct sink *out)
{
    const struct serial *s = &m->serial;
    const struct framebuffer *f = &m->handoff->framebuffer;
    const struct screen_layout *l = &m->screen.layout;

    if (s->on) {
        fmt(out, "console   serial %s 0x%llx", s->place.mmio ? "in memory at" : "at port",
            (unsigned long long)s->place.address);
        if (s->baud)
            fmt(out, ", %u baud", s->baud);
        fmt(out, " (%s)\r\n", serial_found(s->place.from));
        if (str_eq(s->place.from, "com1"))
            fmt(out,
                "          use serial=off if a device other than a terminal listens there\r\n");
    }
    if (m->screen.on)
        fmt(out, "console   screen of %ux%u pixels, %u columns, %u rows\r\n", f->width, f->height,
            l->columns, l->rows);
}

static const char *takeover_words(const struct handoff *h)
{
    return h->borrowed ? "borrow: boot services are alive, and not called; devices continue"
                       : "exit: boot services were ended";
}

static void show_head(const struct machine *m, const struct run_facts *run, const struct probe *p,
                      const struct facts *f, struct sink *out)
{
    const struct handoff *h = m->handoff;

    head_show(run, p, out);
    head_show_cpu(&f->cpu, m->handoff->qemu ? " (QEMU)" : "", out);
    fmt(out, "firmware  %s revision %x, UEFI %u.%u; ACPI %s\r\n", h->firmware_vendor,
        h->firmware_revision, h->uefi_revision >> 16, (h->uefi_revision & 0xffff) / 10,
        m->acpi.present ? m->acpi.oem_id : "none");
    board_show(&f->board, out);
    fmt(out, "memory    %llu MiB, %u-level pages%s", (unsigned long long)(h->memory_total >> 20),
        m->paging.tables.levels, m->paging.tables.page_1g ? ", some of 1 GiB" : "");
    board_show_modules(&f->board, out);
    fmt(out, "\r\n");
    board_show_nodes(&m->handoff->numa, out);
    tsc_facts_show(&f->tsc, run, out);
    thermal_show(&m->thermal, out);
    fmt(out, "takeover  %s\r\n", takeover_words(h));
    head_show_timers(run, out);
    show_masked(&m->irq, out);
    control_facts_show(m, out);
    show_cores(m, out);
    show_consoles(m, out);
    head_show_settings(run, lfence_state_names[m->lfence], h->options_from, out);
}

static void record_firmware(const struct machine *m, struct json *j)
{
    const struct handoff *h = m->handoff;

#include "bench/api/fields/run_firmware.def"
}

/* Returns the next source from `from` on that can end a row, in the order of use. */
static unsigned next_deadline(const struct machine *m, unsigned from)
{
    while (from < DEADLINE_SOURCES && deadline_source_of(&m->deadlines, from)->why_not)
        from++;
    return from;
}

static void record_machine(const struct machine *m, struct json *j)
{
    const struct handoff *h = m->handoff;
    const struct irq_masked *q = &m->irq;
    const struct cores *c = &m->cores;
    const struct serial_place *place = &m->serial.place;
    const struct framebuffer *f = &h->framebuffer;

#include "bench/api/fields/run_machine.def"
}

static void record_run(const struct machine *m, const struct run_facts *run, const struct probe *p,
                       const struct facts *f, struct report *r)
{
    const struct numa *numa = &m->handoff->numa;
    const struct memory_facts memory = {
        numa->from ? numa : NULL, numa->error.text[0] ? numa->error.text : NULL,
        m->handoff->memory_total, m->paging.tables.levels,
        m->paging.tables.page_1g, m->arena_type};
    struct json j;

    if (!report_record(r, &j, "run"))
        return;
    head_record(run, p, &j);
    record_firmware(m, &j);
    board_record(&f->board, &j);
    head_record_cpu(&f->cpu, lfence_state_names[m->lfence], &j);
    tsc_facts_record(&f->tsc, run, &j);
    head_record_timers(run, &j);
    board_record_memory(&f->board, &memory, &j);
    head_record_settings(run, m->handoff->options_from, &j);
    record_machine(m, &j);
    control_facts_record(m, &j);
    json_end(&j);
}

void facts_report(const struct platform *platform, const struct machine *m,
                  const struct run_facts *run, const struct probe *p, struct summary *summary,
                  struct report *r)
{
    static struct facts f; /* more than a page */

    take_facts(&f, platform, m);
    summary_machine(summary, run, platform->cores ? platform->cores->count : 1, &f.board);
    if (report_table(r))
        show_head(m, run, p, &f, r->out);
    record_run(m, run, p, &f, r);
    tsc_facts_warn(&f.tsc, r);
    warnings_report(m, run, r);
}

void facts_cost(const struct machine *m, struct report *r)
{
    const struct serial *s = &m->serial;

    if (!s->on || !report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "serial    %llu KB so far", (unsigned long long)((s->sent + 999) / 1000));
    if (s->baud) {
        /* A byte is 10 bits on the line: start, 8 data bits, stop. */
        unsigned tenths = (unsigned)((s->sent * 100 + s->baud / 2) / s->baud);
        fmt(r->out, ": %u.%u s at %u baud", tenths / 10, tenths % 10, s->baud);
    }
    if (r->format != FORMAT_TABLE && m->handoff->options.hist != HIST_FULL)
        fmt(r->out, "; at most %u KB a row", SHOW_ROW_BYTES / 1000);
    fmt(r->out, "\r\n");
}
