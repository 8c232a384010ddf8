/*
 * The data that the UEFI phase passes on: boot/ fills it while the firmware is alive, and kernel/
 * reads it afterwards. Every address is physical and identity-mapped. Nothing here points into the
 * firmware's memory unless a comment states that it does.
 */
#ifndef KERNEL_MEMORY_HANDOFF_H
#define KERNEL_MEMORY_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/config/options.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/firmware/numa.h"
#include "lib/text/framebuffer.h"

struct lent;
struct report_log;

/* One region of the final memory map, without the fields that are not needed. UEFI 2.10 section
 * 7.2.3. */
struct memory_region {
    uint32_t type; /* EFI_MEMORY_TYPE */
    uint64_t start, size;
    uint64_t attribute;
};

#define HANDOFF_TEXT 96

/* The needs of the selected rows. */
struct handoff_rows {
    uint64_t data;  /* bytes of the data buffer */
    uint64_t area;  /* bytes of each area for curves over sizes; 0: no row needs one */
    unsigned areas; /* at most */
    uint64_t rows;  /* selected rows, on all cores */
    uint64_t pairs; /* pairs of cores in rows of several cores: figures of a matrix */
};

/* A block of LoaderData for curves over sizes, on a boundary of 2 MiB. Its content is undefined. */
#define HANDOFF_AREAS 16
struct handoff_area {
    uint64_t at, size;     /* at most needs.area bytes */
    int node;              /* of the memory (handoff.numa); NUMA_NONE: not known */
    uint64_t block, pages; /* what the firmware gave for it */
};

struct handoff {
    struct options options;
    char options_from[64];           /* "baretick.conf, load options", "defaults", ... */
    char foreign_options[160];       /* load options of another program, quoted; or empty */
    char once_warning[HANDOFF_TEXT]; /* what of once= did not work; or empty */

    char firmware_vendor[HANDOFF_TEXT];
    uint32_t firmware_revision, uefi_revision;
    uint64_t rsdp;                        /* 0: not in the configuration table */
    uint64_t smbios, smbios3;             /* entry points; 0: none */
    struct framebuffer framebuffer;       /* of the first usable screen; size 0: none */
    char screen_refused[FRAMEBUFFER_WHY]; /* why the last unusable screen was refused; or empty */

    uint64_t image_base, image_size;
    bool secure_boot; /* the firmware runs only signed programs */
    bool qemu;        /* by the hypervisor bit and ACPI or SMBIOS: QEMU's ports can be written */
    /* RuntimeServices->ResetSystem: code of the firmware, called with its memory
     * identity-mapped. */
    uint64_t reset_system;

    /* Cores by EFI_MP_SERVICES_PROTOCOL, for machines without a MADT; 0: no such protocol. */
    unsigned mp_cpus;
    struct madt_cpu mp_cpu[MADT_CPU_MAX];
    unsigned mp_left_out; /* beyond MADT_CPU_MAX, or without an id */
    unsigned cores;       /* cores that the arena has room for, including the boot core */
    struct lent *lent;    /* lent cores, in our procedure; NULL: the firmware lends none */
    char lent_refused[HANDOFF_TEXT]; /* why none are lent; or empty */
    bool cores_busy;                 /* the firmware may be using the other cores */
    uint64_t low_page; /* LOW_PAGES pages below 1 MiB for starting cores; 0: none allocated */

    /* One block of LoaderData for the kernel and the benchmark: tables, stacks, code buffer,
     * samples. kernel/memory/memory_map.h allocates from it. */
    uint64_t arena, arena_size;
    struct handoff_rows needs; /* boot/memory.c fills it */
    struct numa numa;          /* the nodes; numa.from NULL: not known */
    /* One area for each node that has memory, that of the boot core first. Where the nodes are not
     * known there is one. */
    struct handoff_area area[HANDOFF_AREAS];
    unsigned areas;

    bool shown;             /* a serial port or a screen got the whole report */
    bool painted;           /* baretick painted the screen: the firmware's console does not know */
    bool borrowed;          /* boot services are alive; the machine is given back at the end */
    uint64_t way_back;      /* then the firmware's stack (kernel/trap/traps.asm); 0: still in use */
    uint64_t nmis_late;     /* NMIs after the report's end, on the boot core with our IDT */
    uint64_t nmis_reported; /* NMIs with a borrowed IDT in the report (kernel/trap/traps.h) */
    /* The report for the stick, which the kernel keeps in the arena. NULL: no log. */
    struct report_log *log;

    /* The whole map that ExitBootServices accepted, in a block of LoaderData. */
    struct memory_region *region;
    uint32_t regions;
    uint32_t descriptor_size, exit_tries;
    uint64_t memory_total; /* bytes of RAM in this map */
};

/* Returns whether a borrowed machine goes back to the firmware's menu or shell at the end. */
static inline bool handoff_goes_back(const struct handoff *h)
{
    return h->options.finish == FINISH_AUTO || h->options.finish == FINISH_RETURN;
}

/* Returns whether the other cores are started by INIT: after that the firmware cannot use them. */
static inline bool handoff_starts_cores(const struct handoff *h)
{
    return !h->borrowed || (!h->lent && !h->cores_busy && !handoff_goes_back(h));
}

/* One page for the code that a core starts in, one for the root of its first page tables. */
#define LOW_PAGES 2
#define LOW_END   0x100000ull /* limit of start-up vectors (SDM vol. 3A section 11.6.1) */

#endif
