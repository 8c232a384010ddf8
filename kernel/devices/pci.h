/*
 * dma=off: no PCI device writes memory any more, but what the console needs (lib/firmware/pci.h decides).
 * Nothing is given back: the machine is ours for good, and its drivers are gone with the firmware.
 */
#ifndef KERNEL_DEVICES_PCI_H
#define KERNEL_DEVICES_PCI_H

#include "lib/firmware/pci.h"

struct machine;

struct dma {
    bool asked;
    const char *why_not;     /* nobody could be asked at all */
    const char *way;         /* into segment 0: "ports", "ecam" */
    unsigned segments;       /* that could be reached */
    unsigned unreached;      /* that MCFG lists, and could not */
    struct pci_stop stopped; /* what came of it */
};

/* Once ACPI's tables are read, our page tables stand, and the console is there. */
void machine_dma(struct machine *m);

#endif
