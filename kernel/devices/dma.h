/*
 * dma=off: stops all PCI devices from writing memory, except those that the console needs
 * (lib/firmware/pci.h decides). Nothing is restored: the firmware's drivers are gone, and the
 * machine does not return to it.
 */
#ifndef KERNEL_DEVICES_DMA_H
#define KERNEL_DEVICES_DMA_H

#include "kernel/cpu/paging.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/pci.h"

struct dma {
    bool asked;
    const char *why_not;     /* why no device could be accessed at all; or NULL */
    const char *way;         /* access to segment 0: "ports", "ecam" */
    unsigned unreached;      /* ranges of MCFG that could not be accessed */
    struct pci_stop stopped; /* the result */
};

/* Stops the devices. Needs our page tables. `console`: devices that are not stopped. */
void dma_stop(struct dma *d, const struct acpi *acpi, struct paging *paging,
              const struct pci_console *console);

/* Returns the address at which the configuration space of PCI device 0:0.0 is mapped. 0: MCFG does
 * not name it, or it cannot be mapped. Needs our page tables. */
uint64_t dma_ecam(const struct acpi *acpi, struct paging *paging);

#endif
