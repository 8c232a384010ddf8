/*
 * The firmware's memory map: read while boot services live, stepped through by the firmware's own
 * descriptor size, never by our idea of it. Source: UEFI 2.10 section 7.2.3.
 */
#ifndef BOOT_MEMMAP_H
#define BOOT_MEMMAP_H

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/memory/handoff.h"

struct memmap {
    EFI_BOOT_SERVICES *bs;
    uint8_t *bytes;   /* NULL: not allocated */
    UINTN room, size; /* of the buffer; of the map in it */
    UINTN key;        /* what ExitBootServices wants back */
    UINTN descriptor_size;
    struct memory_region *region; /* room for each entry that the buffer can hold */
};

/* Allocates the buffer, with room for the map to grow, and reads the map. */
EFI_STATUS memmap_open(struct memmap *m, EFI_BOOT_SERVICES *bs);
/* Reads it again into the same buffer; allocates nothing. */
EFI_STATUS memmap_refresh(struct memmap *m);
void memmap_close(struct memmap *m);

/* The regions for the handoff, which points to them. Makes no firmware call. */
void memmap_hand_over(const struct memmap *m, struct handoff *h);

#endif
