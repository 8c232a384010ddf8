/* Ends boot services. */
#include "boot/boot.h"
#include "kernel/entry.h"

/* An event between the two calls may change the map once or twice, not on every try. */
#define TRIES 16

bool boot_leave(struct boot *b)
{
    for (uint32_t i = 1; i <= TRIES; i++) {
        /* Between a first failure and success only these two calls are allowed (UEFI 7.4.6). */
        if (EFI_ERROR(memmap_refresh(&b->map)))
            continue;
        if (EFI_ERROR(b->bs->ExitBootServices(b->image, b->map.key)))
            continue;
        __asm__ volatile("cli" : : : "memory");
        kernel_traps(b->handoff); /* first: the firmware's handlers are gone */
        b->handoff->exit_tries = i;
        memmap_hand_over(&b->map, b->handoff);
        return true;
    }
    __asm__ volatile("cli" : : : "memory");
    return false;
}
