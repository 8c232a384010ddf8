/*
 * All that the UEFI phase leaves behind. Filled by boot/ while firmware is alive, read by kernel/
 * once boot services are gone. Every address is physical and identity-mapped. Nothing here points
 * into firmware's memory except where a comment names it.
 */
#ifndef KERNEL_MEMORY_HANDOFF_H
#define KERNEL_MEMORY_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/config/options.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_madt.h"
#include "lib/screen/framebuffer.h"

struct lent;
struct report_log;

/* One region of the final memory map, without the fields that are not needed. UEFI 2.10 section
 * 7.2.3. */
struct memory_region {
    uint32_t type; /* EFI_MEMORY_TYPE as the firmware says */
    uint64_t start, size;
    uint64_t attribute;
};

#define HANDOFF_TEXT 96

/* What the rows that the options select need of the machine. */
struct handoff_rows {
    uint64_t data;  /* bytes of the data buffer */
    uint64_t rows;  /* that are selected, on all cores */
    uint64_t pairs; /* of cores, in rows of several: figures of a matrix */
};

struct handoff {
    struct options options;
    char options_from[64];     /* "baretick.conf, load options", "defaults", ... */
    char foreign_options[160]; /* load options that were another program's, quoted; else empty */

    char firmware_vendor[HANDOFF_TEXT];
    uint32_t firmware_revision, uefi_revision;
    uint64_t rsdp;                  /* 0: none in the configuration table */
    uint64_t smbios, smbios3;       /* entry points, 0: none */
    struct framebuffer framebuffer; /* the first screen's that can be drawn on; size 0: none */
    char screen_refused[FRAMEBUFFER_WHY]; /* why the one before was not taken; else empty */

    uint64_t image_base, image_size;
    bool secure_boot; /* the firmware runs what is signed, and nothing else */
    bool qemu; /* hypervisor bit, and ACPI or SMBIOS says so: QEMU's own ports can be touched */
    /* RuntimeServices->ResetSystem: firmware's code, called with its memory mapped as firmware
     * left it. */
    uint64_t reset_system;

    /* Cores by EFI_MP_SERVICES_PROTOCOL, for machines without a MADT; 0: it is not there. */
    unsigned mp_cpus;
    struct madt_cpu mp_cpu[MADT_CPU_MAX];
    unsigned cores;    /* that the arena has room for, the boot core included */
    struct lent *lent; /* those that wait in a procedure of ours; NULL: the firmware lends none */
    char lent_refused[HANDOFF_TEXT]; /* why; else empty */
    uint64_t low_page; /* LOW_PAGES below 1 MiB for cores that start; 0: the firmware had none */

    /* One block of LoaderData for all that the kernel and the benchmark need: tables, stacks, code
     * buffer, samples. kernel/memory/arena.h hands it out. */
    uint64_t arena, arena_size;
    struct handoff_rows needs; /* kernel_arena_need() fills it */

    bool shown;         /* a serial port or a screen had the report to its end */
    bool painted;       /* a screen did: the firmware's console does not know of it */
    bool borrowed;      /* boot services are alive: the machine is given back at the end */
    uint64_t way_back;  /* the firmware's stack then (kernel/cpu/entry.h); 0: not left yet */
    uint64_t nmis_late; /* NMIs after the report's end, on the boot core with our IDT */
    uint64_t nmis_told; /* NMIs with a borrowed IDT that are in the report (kernel/trap/traps.h) */
    /* The kernel's, in the arena: the report for the stick. NULL: none was begun. */
    struct report_log *log;

    /* The map that ExitBootServices accepted, all of it, in a block of LoaderData. */
    struct memory_region *region;
    uint32_t regions;
    uint32_t descriptor_size, exit_tries;
    uint64_t memory_total; /* bytes of RAM by that map */
};

/* The code that a core starts in, and the root of the page tables that it loads first. */
#define LOW_PAGES 2
#define LOW_END   0x100000ull /* where a start-up vector can lie (SDM vol. 3A section 11.6.1) */

#endif
