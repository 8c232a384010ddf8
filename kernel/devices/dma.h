/*
 * dma=off: no PCI device writes memory any more, but what the console needs (lib/firmware/pci.h
 * decides). Nothing is given back: the machine is ours for good, and the drivers of its devices are
 * gone with the firmware.
 */
#ifndef KERNEL_DEVICES_DMA_H
#define KERNEL_DEVICES_DMA_H

#include "kernel/cpu/paging.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/pci.h"

struct dma {
    bool asked;
    const char *why_not;     /* no device could be asked at all; else NULL */
    const char *way;         /* into segment 0: "ports", "ecam" */
    unsigned unreached;      /* that MCFG lists, and could not */
    struct pci_stop stopped; /* what came of it */
};

/* Needs our page tables. `console`: devices that are left alone. */
void dma_stop(struct dma *d, const struct acpi *acpi, struct paging *paging,
              const struct pci_console *console);

#endif
