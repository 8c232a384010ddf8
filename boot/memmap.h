/* The firmware's memory map, read while boot services are alive. Entries have the firmware's
 * descriptor size, which may differ from our header's. Source: UEFI 2.10 section 7.2.3. */
#ifndef BOOT_MEMMAP_H
#define BOOT_MEMMAP_H

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/memory/handoff.h"

struct memmap {
    EFI_BOOT_SERVICES *bs;
    uint8_t *bytes;   /* NULL: not allocated */
    UINTN room, size; /* bytes of the buffer; bytes of the map in it */
    UINTN key;        /* the key for ExitBootServices */
    UINTN descriptor_size;
    struct memory_region *region; /* room for each entry that the buffer can hold */
};

/* Allocates the buffer, with room for the map to grow, and reads the map. */
EFI_STATUS memmap_open(struct memmap *m, EFI_BOOT_SERVICES *bs);
/* Reads the map again into the same buffer; allocates nothing. */
EFI_STATUS memmap_refresh(struct memmap *m);
void memmap_close(struct memmap *m);

/* Fills the regions; the handoff points to them. Makes no firmware call. */
void memmap_hand_over(const struct memmap *m, struct handoff *h);

#endif
