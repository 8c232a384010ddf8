/*
 * Which PCI functions could still write memory after their drivers are gone, and may be stopped:
 * bus mastering (bit 2 of the command register) is taken from every one that has it, except from
 * those that carry others' traffic or the console. Pure: configuration space comes as functions.
 *
 * Every bus number is asked in turn instead of following bridges: machines have root buses to which
 * no bridge leads, and a bridge that names a wrong bus, or a loop of them, cannot mislead. All ones
 * mean that no function answers. Source: PCI Local Bus Specification 3.0 sections 6.1, 6.2 and
 * 6.2.5; class codes: PCI Code and ID Assignment Specification.
 */
#ifndef LIB_FIRMWARE_PCI_H
#define LIB_FIRMWARE_PCI_H

#include <stdbool.h>
#include <stdint.h>

#define PCI_LISTED 32 /* functions that the report names */

struct pci_at {
    uint16_t segment;
    uint8_t bus, device, function;
};

struct pci_space {
    void *ctx;
    /* Registers by their offset, a multiple of 4; all ones where no function answers. */
    uint32_t (*read)(void *ctx, struct pci_at at, unsigned offset);
    /* The command register alone: the upper half of its word is the status, where ones clear. */
    void (*write_command)(void *ctx, struct pci_at at, uint16_t command);
};

/* What the console uses; 0: nothing. */
struct pci_console {
    uint64_t framebuffer;
    uint64_t serial; /* address of its registers, ... */
    bool serial_io;  /* ... which are I/O ports */
};

enum pci_fate {
    PCI_STOPPED, /* bus mastering was on and reads back off */
    PCI_STUCK,   /* it was written, and still reads back on */
    PCI_BRIDGE,  /* left alone: carries others' traffic */
    PCI_REMAPS,  /* left alone: an IOMMU, which translates others' */
    PCI_CONSOLE, /* left alone: the report goes out by it */
    PCI_FATES
};
/* "stopped", "stuck", "bridge", "iommu", "console" */
extern const char *const pci_fate_names[PCI_FATES];

struct pci_function {
    struct pci_at at;
    uint16_t vendor, device;
    uint8_t class_code, subclass;
    enum pci_fate fate;
};

struct pci_stop {
    unsigned functions;                     /* that answered */
    unsigned masters;                       /* of them, with bus mastering on */
    unsigned fate[PCI_FATES];               /* of those */
    struct pci_function listed[PCI_LISTED]; /* of those, the first */
    unsigned list;
};

/* Buses that one way into configuration space reaches. */
struct pci_range {
    uint16_t segment;
    uint8_t first, last;
};

/* Goes over all of them twice: for the console's devices, then for those to stop. */
void pci_stop_masters(struct pci_stop *stop, const struct pci_space *s,
                      const struct pci_range *ranges, unsigned n,
                      const struct pci_console *console);

#endif
