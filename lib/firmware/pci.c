#include "lib/firmware/pci.h"

#include <stddef.h>

/* PCI 3.0 figure 6-1: offsets. */
#define PCI_ID      0x00
#define PCI_COMMAND 0x04
#define PCI_CLASS   0x08 /* class code in bits 31:24, subclass in 23:16 */
#define PCI_HEADER  0x0c /* header type in bits 23:16 */
#define PCI_BAR     0x10

#define COMMAND_MASTER 4u
#define HEADER_MULTI   0x80u
#define HEADER_TYPE    0x7fu
#define CLASS_BRIDGE   0x06
#define CLASS_SYSTEM   0x08
#define SYSTEM_IOMMU   0x06
#define DEVICES        32
#define FUNCTIONS      8
#define BARS           6
#define NO_FUNCTION    0xffffffffu

const char *const pci_fate_names[PCI_FATES] = {
    [PCI_STOPPED] = "stopped", [PCI_STUCK] = "stuck",     [PCI_BRIDGE] = "bridge",
    [PCI_REMAPS] = "iommu",    [PCI_CONSOLE] = "console",
};

/* The function with an address has the highest base at or below it: BARs do not overlap. */
struct owner {
    uint64_t address, base; /* base 0: not found yet */
    bool io;
    struct pci_at at;
};

struct walk {
    const struct pci_space *s;
    struct owner owner[2]; /* of the framebuffer; of the serial port */
    struct pci_stop *stop;
};

static uint32_t get(const struct walk *w, struct pci_at at, unsigned offset)
{
    return w->s->read(w->s->ctx, at, offset);
}

static unsigned header(const struct walk *w, struct pci_at at)
{
    return get(w, at, PCI_HEADER) >> 16 & 0xff;
}

/* A BAR's base is a multiple of its size (section 6.2.5.1), which limits its end. */
static void consider(struct owner *o, struct pci_at at, uint64_t base, bool io)
{
    bool holds = base != 0 && o->address >= base && o->address - base < (base & -base);

    if (o->address == 0 || o->io != io || !holds || base < o->base)
        return;
    o->base = base;
    o->at = at;
}

static void look_for_console(struct walk *w, struct pci_at at)
{
    if ((header(w, at) & HEADER_TYPE) != 0)
        return;
    for (unsigned i = 0; i < BARS; i++) {
        uint32_t low = get(w, at, PCI_BAR + 4 * i);
        bool io = low & 1;
        uint64_t base = low & (io ? ~3u : ~0xfu);
        if (!io && (low >> 1 & 3) == 2 && i + 1 < BARS) /* 64 bits wide */
            base |= (uint64_t)get(w, at, PCI_BAR + 4 * ++i) << 32;
        for (unsigned k = 0; k < 2; k++)
            consider(&w->owner[k], at, base, io);
    }
}

static bool same(struct pci_at a, struct pci_at b)
{
    return a.segment == b.segment && a.bus == b.bus && a.device == b.device &&
           a.function == b.function;
}

static enum pci_fate stop_one(struct walk *w, struct pci_at at, const struct pci_function *f)
{
    uint32_t command = get(w, at, PCI_COMMAND);

    if (f->class_code == CLASS_BRIDGE || (header(w, at) & HEADER_TYPE) != 0)
        return PCI_BRIDGE;
    if (f->class_code == CLASS_SYSTEM && f->subclass == SYSTEM_IOMMU)
        return PCI_REMAPS;
    for (unsigned k = 0; k < 2; k++)
        if (w->owner[k].base != 0 && same(w->owner[k].at, at))
            return PCI_CONSOLE;
    w->s->write_command(w->s->ctx, at, (uint16_t)(command & ~COMMAND_MASTER));
    return get(w, at, PCI_COMMAND) & COMMAND_MASTER ? PCI_STUCK : PCI_STOPPED;
}

static void stop_if_master(struct walk *w, struct pci_at at)
{
    struct pci_stop *stop = w->stop;
    uint32_t id = get(w, at, PCI_ID), class_code = get(w, at, PCI_CLASS);
    struct pci_function f = {.at = at,
                             .vendor = (uint16_t)id,
                             .device = (uint16_t)(id >> 16),
                             .class_code = (uint8_t)(class_code >> 24),
                             .subclass = (uint8_t)(class_code >> 16)};

    stop->functions++;
    if (!(get(w, at, PCI_COMMAND) & COMMAND_MASTER))
        return;
    f.fate = stop_one(w, at, &f);
    stop->masters++;
    stop->fate[f.fate]++;
    if (stop->list < PCI_LISTED)
        stop->listed[stop->list++] = f;
}

static void walk_device(struct walk *w, struct pci_at at,
                        void (*visit)(struct walk *w, struct pci_at at))
{
    bool several = false;

    for (unsigned function = 0; function < FUNCTIONS; function++) {
        at.function = (uint8_t)function;
        uint32_t id = get(w, at, PCI_ID);
        bool there = id != NO_FUNCTION && id != 0; /* some hosts answer zero for no function */
        if (function == 0)
            several = there && header(w, at) & HEADER_MULTI;
        if (there)
            visit(w, at);
        if (!several)
            return;
    }
}

static void walk(struct walk *w, const struct pci_range *ranges, unsigned n,
                 void (*visit)(struct walk *w, struct pci_at at))
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned bus = ranges[i].first; bus <= ranges[i].last; bus++)
            for (unsigned device = 0; device < DEVICES; device++)
                walk_device(w,
                            (struct pci_at){.segment = ranges[i].segment,
                                            .bus = (uint8_t)bus,
                                            .device = (uint8_t)device},
                            visit);
}

void pci_stop_masters(struct pci_stop *stop, const struct pci_space *s,
                      const struct pci_range *ranges, unsigned n, const struct pci_console *console)
{
    struct walk w = {.s = s, .stop = stop};

    w.owner[0].address = console->framebuffer;
    w.owner[1].address = console->serial;
    w.owner[1].io = console->serial_io;
    *stop = (struct pci_stop){0};
    walk(&w, ranges, n, look_for_console);
    walk(&w, ranges, n, stop_if_master);
}
