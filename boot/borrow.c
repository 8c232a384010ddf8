/* Borrows the machine: boot services stay in memory, but do not run until it is given back. */
#include "boot/boot.h"
#include "kernel/entry.h"
#include "lib/text/fmt.h"

/* Reads the current map; nothing is allocated after this. */
static EFI_STATUS read_map(struct boot *b)
{
    EFI_STATUS status = memmap_refresh(&b->map);

    if (status == EFI_BUFFER_TOO_SMALL) {
        b->handoff->regions = 0; /* they are freed with the buffer */
        memmap_close(&b->map);
        status = memmap_open(&b->map, b->bs);
    }
    if (!EFI_ERROR(status))
        memmap_hand_over(&b->map, b->handoff);
    return status;
}

bool boot_borrow(struct boot *b, enum status *status)
{
    struct boot_hold held;
    EFI_STATUS map;

    boot_guard(b);
    fmt(&b->conout.sink, "baretick: borrowing the machine\n");
    boot_lend(b);
    map = read_map(b);
    if (EFI_ERROR(map)) {
        boot_lend_end(b);
        boot_unguard(b);
        fmt(boot_error(b), "memory map: cannot be read: ");
        boot_status(&b->error_sink.sink, map);
        return false;
    }
    held = boot_hold(b);
    *status = (enum status)kernel_borrow(b->handoff);
    boot_unhold(b, held);
    boot_lend_end(b);
    return true;
}
