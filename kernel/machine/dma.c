#include "kernel/machine/machine.h"

/* PCI 3.0 section 3.2.2.3.2: configuration mechanism 1. */
#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_ENABLE  (1u << 31)

#define COMMAND        4          /* the register's offset */
#define BUS_BYTES      (1u << 20) /* bytes of configuration space (ECAM) per bus, ... */
#define FUNCTION_BYTES 4096u      /* ... and per function */

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

static void find_ways(struct ways *w, struct dma *d, const struct acpi *acpi, struct paging *paging)
{
    struct mcfg mcfg = read_mcfg(acpi);

    w->ports = ports_answer();
    if (w->ports)
        w->range[w->n++] = (struct pci_range){.last = 255};
    for (unsigned i = 0; i < mcfg.n; i++) {
        uint64_t first = mcfg.entry[i].address + (uint64_t)mcfg.entry[i].first * BUS_BYTES;
        uint64_t buses = mcfg.entry[i].last - mcfg.entry[i].first + 1u;
        if (w->ports && mcfg.entry[i].segment == 0)
            continue;
        if (!paging_map_mmio(paging, first, buses * BUS_BYTES)) {
            d->unreached++;
            continue;
        }
        w->bus_0[w->n] = (volatile uint8_t *)mcfg.entry[i].address;
        w->range[w->n++] =
            (struct pci_range){mcfg.entry[i].segment, mcfg.entry[i].first, mcfg.entry[i].last};
    }
    d->unreached += mcfg.left_out;
}

/* `console`: devices that are not stopped. */
static void stop_masters(struct dma *d, const struct acpi *acpi, struct paging *paging,
                         const struct pci_console *console)
{
    struct ways ways = {0};
    const struct pci_space space = {&ways, read_config, write_command};

    find_ways(&ways, d, acpi, paging);
    if (ways.n == 0) {
        d->why_not = "no PCI: ports CF8h and CFCh do not answer, and no MCFG can be used";
        return;
    }
    d->way = ways.ports ? "ports" : "ecam";
    pci_stop_masters(&d->stopped, &space, ways.range, ways.n, console);
}

/* Returns the address at which the configuration space of PCI device 0:0.0 is mapped. 0: MCFG does
 * not name it, or it cannot be mapped. */
static uint64_t map_ecam(const struct acpi *acpi, struct paging *paging)
{
    struct mcfg mcfg = read_mcfg(acpi);

    for (unsigned i = 0; i < mcfg.n; i++)
        if (mcfg.entry[i].segment == 0 && mcfg.entry[i].first == 0)
            return (uint64_t)paging_map_mmio(paging, mcfg.entry[i].address, FUNCTION_BYTES);
    return 0;
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
        stop_masters(&m->dma, &m->acpi, &m->paging, &console);
    m->ecam = map_ecam(&m->acpi, &m->paging);
}
