/* The steps of kernel/machine/machine.h, except consoles, controls and the ways out. */
#include "kernel/machine/machine.h"
#include "kernel/cpu/msr.h"

/* PCI 3.0 section 3.2.2.3.2: configuration mechanism 1. */
#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_ENABLE  (1u << 31)

#define COMMAND        4          /* the register's offset */
#define BUS_BYTES      (1u << 20) /* bytes of configuration space (ECAM) per bus, ... */
#define FUNCTION_BYTES 4096u      /* ... and per function */

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

/* Reads the MTRRs and loads our page tables. Returns NULL, or why not. */
static const char *load_page_tables(struct machine *m)
{
    const char *why_not;

    m->has_mtrr = mtrr_read(&m->mtrr, &m->cpu);
    find_arena_type(m);
    why_not = paging_init(&m->paging, m->handoff, &m->arena, &m->cpu, m->has_mtrr ? &m->mtrr : NULL,
                          m->boot_core);
    if (!why_not && !paging_rights(&m->paging, (uint64_t)traps_idt, sizeof traps_idt, PAGE_EXEC))
        why_not = "page tables: no room for the IDT's";
    return why_not;
}

/* Reads the ACPI tables. Does not need our page tables: what it reads is in the memory map. */
static void read_acpi(struct machine *m)
{
    struct acpi_table t;

    m->physical = memory_physical(m->handoff);
    acpi_open(&m->acpi, &m->physical, m->handoff->rsdp);

    t = acpi_find(&m->acpi, "FACP");
    m->has_fadt = t.bytes && acpi_fadt(&t, &m->fadt);
    t = acpi_dsdt(&m->acpi);
    m->has_s5 = t.bytes && acpi_s5(&t, &m->s5);
    t = acpi_find(&m->acpi, "HPET");
    m->has_hpet = t.bytes && acpi_hpet(&t, &m->hpet);
    t = acpi_find(&m->acpi, "APIC");
    m->madt = arena_take(&m->arena, sizeof(*m->madt));
    if (t.bytes && m->madt && !acpi_madt(&t, m->madt))
        m->madt_error = m->madt->error;
    if (m->madt && m->madt->cpus == 0 && m->madt->ioapics == 0)
        m->madt = NULL; /* no MADT, or no usable entry */

    watchdog_find(m);
}

/* --- dma=off ---------------------------------------------------------------------------------- */

struct ways {
    bool ports; /* segment 0 is accessed by ports */
    unsigned n; /* number of ranges; the first uses ports if they answer */
    struct pci_range range[MCFG_MAX + 1];
    volatile uint8_t *bus_0[MCFG_MAX + 1]; /* NULL: access by ports */
};

static volatile uint8_t *mapped_register(const struct ways *w, struct pci_at at, unsigned offset)
{
    for (unsigned i = 0; i < w->n; i++)
        if (w->bus_0[i] && w->range[i].segment == at.segment && at.bus >= w->range[i].first &&
            at.bus <= w->range[i].last)
            return w->bus_0[i] + ((uint64_t)at.bus << 20 | (uint32_t)at.device << 15 |
                                  (uint32_t)at.function << 12 | offset);
    return NULL;
}

static void select_register(struct pci_at at, unsigned offset)
{
    out32(CONFIG_ADDRESS, CONFIG_ENABLE | (uint32_t)at.bus << 16 | (uint32_t)at.device << 11 |
                              (uint32_t)at.function << 8 | offset);
}

static uint32_t read_config(void *ctx, struct pci_at at, unsigned offset)
{
    volatile uint8_t *place = mapped_register(ctx, at, offset);

    if (place)
        return *(volatile uint32_t *)place;
    select_register(at, offset);
    return in32(CONFIG_DATA);
}

static void write_command(void *ctx, struct pci_at at, uint16_t command)
{
    volatile uint8_t *place = mapped_register(ctx, at, COMMAND);

    if (place) {
        *(volatile uint16_t *)place = command;
        return;
    }
    select_register(at, COMMAND);
    out16(CONFIG_DATA, command);
}

/* The address register reads back what was written; without PCI the register does not exist. */
static bool ports_answer(void)
{
    out32(CONFIG_ADDRESS, CONFIG_ENABLE);
    return in32(CONFIG_ADDRESS) == CONFIG_ENABLE;
}

static struct mcfg read_mcfg(const struct acpi *acpi)
{
    struct acpi_table t = acpi_find(acpi, "MCFG");
    struct mcfg mcfg = {0};

    if (t.bytes)
        (void)acpi_mcfg(&t, &mcfg);
    return mcfg;
}

static void find_ways(struct ways *w, struct dma *d, const struct mcfg *mcfg, struct paging *paging)
{
    w->ports = ports_answer();
    if (w->ports)
        w->range[w->n++] = (struct pci_range){.last = 255};
    for (unsigned i = 0; i < mcfg->n; i++) {
        uint64_t first = mcfg->entry[i].address + (uint64_t)mcfg->entry[i].first * BUS_BYTES;
        uint64_t buses = mcfg->entry[i].last - mcfg->entry[i].first + 1u;
        if (w->ports && mcfg->entry[i].segment == 0)
            continue;
        if (!paging_map_mmio(paging, first, buses * BUS_BYTES)) {
            d->unreached++;
            continue;
        }
        w->bus_0[w->n] = (volatile uint8_t *)mcfg->entry[i].address;
        w->range[w->n++] =
            (struct pci_range){mcfg->entry[i].segment, mcfg->entry[i].first, mcfg->entry[i].last};
    }
    d->unreached += mcfg->left_out;
}

/* `console`: devices that are not stopped. */
static void stop_masters(struct dma *d, const struct mcfg *mcfg, struct paging *paging,
                         const struct pci_console *console)
{
    struct ways ways = {0};
    const struct pci_space space = {&ways, read_config, write_command};

    find_ways(&ways, d, mcfg, paging);
    if (ways.n == 0) {
        d->why_not = "no PCI: ports CF8h and CFCh do not answer, and no MCFG can be used";
        return;
    }
    d->way = ways.ports ? "ports" : "ecam";
    pci_stop_masters(&d->stopped, &space, ways.range, ways.n, console);
}

/* Returns the address at which the configuration space of PCI device 0:0.0 is mapped. 0: MCFG does
 * not name it, or it cannot be mapped. */
static uint64_t map_ecam(const struct mcfg *mcfg, struct paging *paging)
{
    for (unsigned i = 0; i < mcfg->n; i++)
        if (mcfg->entry[i].segment == 0 && mcfg->entry[i].first == 0)
            return (uint64_t)paging_map_mmio(paging, mcfg->entry[i].address, FUNCTION_BYTES);
    return 0;
}

/* Applies dma=off: stops all PCI devices from writing memory, except those that the console needs
 * (lib/firmware/pci.h decides). Nothing is restored: the firmware's drivers are gone. Also maps the
 * configuration space of one PCI device, for rows. */
static void apply_dma(struct machine *m)
{
    const struct mcfg mcfg = read_mcfg(&m->acpi);
    const struct serial *s = &m->serial;
    struct pci_console console = {
        .framebuffer = m->handoff->framebuffer.address,
        .serial = s->on ? s->place.address : 0,
        .serial_io = s->on && !s->place.mmio,
    };

    m->dma.asked = m->handoff->options.dma == SETTING_OFF;
    if (m->dma.asked && m->handoff->borrowed) /* takeover=auto found no screen */
        m->dma.why_not = "the machine is borrowed, and its firmware's drivers live on";
    else if (m->dma.asked)
        stop_masters(&m->dma, &mcfg, &m->paging, &console);
    m->ecam = map_ecam(&mcfg, &m->paging);
}

/* --- interrupts, clocks, cores ---------------------------------------------------------------- */

/* Masks interrupts at their sources, and stops the other cores. */
static void mask_interrupts(struct machine *m)
{
    bool borrowed = m->handoff->borrowed;

    m->irq = irq_mask(&m->paging, &m->cpu, m->madt,
                      borrowed ? arena_take(&m->arena, sizeof(struct irq_opened)) : NULL);
    /* Lent cores are in our procedure; the firmware needs them afterwards. */
    m->others_stopped =
        handoff_starts_cores(m->handoff) && m->irq.lapic.present && machine_stop_others(m);
    if (!m->irq.lapic.present)
        return;
    /* An interrupt that the APIC was delivering when it was masked comes as a spurious one once
     * interrupts are enabled (SDM vol. 3A section 11.9): now, and to our vector, not in a row. */
    park_accept(&(struct parking){.lapic = &m->irq.lapic});
    take_irqs();
}

/* Makes LFENCE serializing, on which the clock reads rely. Then sets up counters, TSC frequency and
 * thermal status. */
static void open_clocks(struct machine *m)
{
    m->lfence = lfence_make_serializing(&m->cpu);
    counters_init(&m->counters, m->has_fadt ? &m->fadt : NULL, m->has_hpet ? &m->hpet : NULL,
                  paging_map_mmio, &m->paging);
    m->clock = clocks_measure(
        &m->cpu, tsc_rate_decode(&m->cpu, cpuid_here, NULL, msr_here.read, NULL), &m->counters);
    thermal_init(&m->thermal, &m->cpu, cpuid_here);
}

/* Starts or borrows the other cores, compares their TSCs and parks them. m->cores names those that
 * are not available. NULL, or why nothing can be measured. */
static const char *bring_up_cores(struct machine *m)
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
    watchdog_open(m);
    return cores_bring_up(&m->cores);
}

/* Each step relies on those before it. */
const char *machine_take(struct machine *m, void (*opened)(struct machine *m),
                         void (*opened_late)(struct machine *m, struct sink *late))
{
    const char *why_not;

    cpu_decode(&m->cpu, cpuid_here, NULL);
    read_acpi(m);
    machine_console(m);
    opened(m);
    if (!m->boot_core)
        return "exception stacks: the arena is too small";
    m->mce = mce_enable(&m->cpu); /* machine checks are reported from here on */
    why_not = load_page_tables(m);
    if (why_not)
        return why_not;
    opened_late(m, machine_console_late(m));
    apply_dma(m);
    mask_interrupts(m);
    open_clocks(m);
    why_not = bring_up_cores(m);
    if (why_not)
        return why_not;
    watchdog_arm(m);
    deadline_try(&m->deadlines);
    return core_controls_apply_all(m);
}
