/* The steps of kernel/machine/machine.h, except the consoles. */
#include "kernel/clock/clocks.h"
#include "kernel/cores/smp.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/registers.h"
#include "kernel/machine/machine.h"

void machine_traps(struct machine *m, struct handoff *h, const struct trap_hooks *hooks)
{
    m->handoff = h;
    arena_init(&m->arena, h);
    m->boot_core = core_new(&m->arena, 0);
    if (!m->boot_core)
        return;
    traps_init(hooks);
    core_load(m->boot_core);
    traps_load();
}

const char *machine_checks(struct machine *m)
{
    if (!m->boot_core)
        return "exception stacks: the arena is too small";
    m->mce = mce_enable(&m->cpu);
    return NULL;
}

static void find_arena_type(struct machine *m)
{
    const struct handoff *h = m->handoff;

    m->arena_type = MTRR_WB;
    if (!m->has_mtrr)
        return;
    for (uint64_t at = h->arena; at < h->arena + h->arena_size; at += ARENA_PAGE) {
        uint8_t type = mtrr_type(&m->mtrr, at);
        if (type != MTRR_WB)
            m->arena_type = type;
    }
}

const char *machine_memory(struct machine *m)
{
    uint64_t sev, idt, idt_size;
    const char *why_not;

    /* Page tables without the encryption bit would make this guest's memory unreadable. */
    if (cpu_is_amd(&m->cpu) && m->cpu.hypervisor && msr_read(MSR_SEV_STATUS, &sev) &&
        sev & SEV_ENABLED)
        return "page tables: a guest with encrypted memory (AMD SEV) is not supported";
    m->has_mtrr = mtrr_read(&m->mtrr, &m->cpu);
    find_arena_type(m);
    why_not = paging_init(&m->paging, m->handoff, &m->arena, &m->cpu, m->has_mtrr ? &m->mtrr : NULL,
                          m->boot_core);
    idt = traps_idt(&idt_size);
    if (!why_not && !paging_open(&m->paging, idt, idt_size, false))
        why_not = "page tables: no room for the IDT's";
    return why_not;
}

static void find_watchdogs(struct machine *m)
{
    struct acpi_table t = acpi_find(&m->acpi, "WDAT");

    m->has_wdat = t.bytes != NULL;
    if (t.bytes)
        (void)acpi_wdat(&t, &m->wdat);
    t = acpi_find(&m->acpi, "WDDT");
    m->has_wddt = t.bytes != NULL;
    if (t.bytes)
        (void)acpi_wddt(&t, &m->wddt);
}

void machine_acpi(struct machine *m)
{
    struct acpi_table t;

    m->physical = memory_physical(m->handoff);
    acpi_open(&m->acpi, &m->physical, m->handoff->rsdp);

    t = acpi_find(&m->acpi, "FACP");
    m->has_fadt = t.bytes && acpi_fadt(&t, &m->fadt);
    t = acpi_find(&m->acpi, "HPET");
    m->has_hpet = t.bytes && acpi_hpet(&t, &m->hpet);
    t = acpi_find(&m->acpi, "APIC");
    m->madt = arena_take(&m->arena, sizeof(*m->madt));
    if (t.bytes && m->madt && !acpi_madt(&t, m->madt))
        m->madt_error = m->madt->error;
    if (m->madt && m->madt->cpus == 0 && m->madt->ioapics == 0)
        m->madt = NULL; /* no MADT, or no usable entry */

    find_watchdogs(m);
}

void machine_dma(struct machine *m)
{
    const struct serial *s = &m->serial;
    struct pci_console console = {
        .framebuffer = m->handoff->framebuffer.address,
        .serial = s->on ? s->place.address : 0,
        .serial_io = s->on && !s->place.mmio,
    };

    m->dma.asked = m->handoff->options.dma == SETTING_OFF;
    if (m->dma.asked && m->handoff->borrowed) /* takeover=auto found no console */
        m->dma.why_not = "the machine is borrowed, and its firmware's drivers live on";
    else if (m->dma.asked)
        dma_stop(&m->dma, &m->acpi, &m->paging, &console);
    m->ecam = dma_ecam(&m->acpi, &m->paging);
}

void machine_irq(struct machine *m)
{
    bool borrowed = m->handoff->borrowed;

    m->irq = irq_mask(&m->paging, &m->cpu, m->madt,
                      borrowed ? arena_take(&m->arena, sizeof(struct irq_opened)) : NULL);
    /* The firmware's cores continue in its loops; the firmware needs them afterwards. */
    m->others_stopped = !borrowed && m->irq.lapic.present && lapic_stop_others(&m->irq.lapic);
}

void machine_clocks(struct machine *m)
{
    m->lfence = lfence_make_serializing(&m->cpu);
    counters_init(&m->counters, m->has_fadt ? &m->fadt : NULL, m->has_hpet ? &m->hpet : NULL,
                  paging_map_device, &m->paging);
    m->clock = clocks_measure(
        &m->cpu, tsc_rate_decode(&m->cpu, cpuid_here, NULL, msr_here.read, NULL), &m->counters);
    thermal_init(&m->thermal, &m->cpu, cpuid_here);
}

const char *machine_cores(struct machine *m)
{
    m->cores.given = (struct cores_given){
        .handoff = m->handoff,
        .cpu = &m->cpu,
        .madt = m->madt,
        .mtrr = m->has_mtrr ? &m->mtrr : NULL,
        .arena = &m->arena,
        .paging = &m->paging,
        .irq = &m->irq,
        .lfence = m->lfence,
        .tsc_hz = m->clock.hz,
        .others_stopped = m->others_stopped,
        .boot = m->boot_core,
    };
    /* Before each core gets its own buffers: their tables copy the devices' pages. */
    deadline_open(&m->deadlines, &m->cores, &m->paging, m->madt, m->has_hpet ? &m->hpet : NULL);
    return cores_bring_up(&m->cores);
}
