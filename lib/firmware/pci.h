/*
 * Stops PCI functions that could still write memory after their drivers are gone: clears bus
 * mastering (bit 2 of the command register) of every function that has it, except those that carry
 * others' traffic or the console. Pure: configuration space comes as functions.
 *
 * Probes every bus number instead of following bridges: some machines have root buses without a
 * bridge to them, and a bridge with a wrong bus number, or a loop of bridges, cannot mislead. All
 * ones mean that no function answers. Source: PCI Local Bus Specification 3.0 sections 6.1, 6.2 and
 * 6.2.5; class codes: PCI Code and ID Assignment Specification.
 */
#ifndef LIB_FIRMWARE_PCI_H
#define LIB_FIRMWARE_PCI_H

#include <stdbool.h>
#include <stdint.h>

#define PCI_LISTED 32 /* functions listed in the report */

struct pci_at {
    uint16_t segment;
    uint8_t bus, device, function;
};

struct pci_space {
    void *ctx;
    /* Reads a register by its offset, a multiple of 4; all ones if no function answers. */
    uint32_t (*read)(void *ctx, struct pci_at at, unsigned offset);
    /* Writes only the command register: the upper half of its word is status, where ones clear. */
    void (*write_command)(void *ctx, struct pci_at at, uint16_t command);
};

/* The resources of the console; 0: none. */
struct pci_console {
    uint64_t framebuffer;
    uint64_t serial; /* address of its registers */
    bool serial_io;  /* the registers are I/O ports */
};

enum pci_fate {
    PCI_STOPPED, /* bus mastering was on and reads back off */
    PCI_STUCK,   /* it was written, and still reads back on */
    PCI_BRIDGE,  /* not disabled: carries others' traffic */
    PCI_REMAPS,  /* not disabled: an IOMMU, which translates for others */
    PCI_CONSOLE, /* not disabled: the report uses it */
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
    unsigned functions;                     /* number that answered */
    unsigned masters;                       /* number of those with bus mastering on */
    unsigned fate[PCI_FATES];               /* number of masters by fate */
    struct pci_function listed[PCI_LISTED]; /* the first masters */
    unsigned list;
};

/* Buses that one access method to configuration space reaches. */
struct pci_range {
    uint16_t segment;
    uint8_t first, last;
};

/* Walks all functions twice: for the console's devices, then for those to stop. */
void pci_stop_masters(struct pci_stop *stop, const struct pci_space *s,
                      const struct pci_range *ranges, unsigned n,
                      const struct pci_console *console);

#endif
