/* From the firmware's call to the kernel's first instruction, and back if the machine is borrowed.
 * Help, lists and errors are answered here, while the firmware's console still works. */
#include "boot/boot.h"
#include "kernel/cpu/cpu.h"
#include "kernel/entry.h"
#include "lib/text/fmt.h"

/* An event between the two calls may change the map once or twice, not on every try. */
#define TRIES 16

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st);

/* Firmware resets the machine 5 minutes after it starts a program, unless told not to (UEFI
 * 7.5.1). */
static void watchdog_off(const struct boot *b)
{
    b->bs->SetWatchdogTimer(0, 0, 0, NULL);
}

static bool has_serial(const struct boot *b)
{
    struct serial serial = boot_serial(b);
    bool there = serial.on;

    serial_release(&serial);
    return there || boot_serial_in_memory(b);
}

/* Decides whether the machine is borrowed from the firmware or taken for good. */
static void choose_takeover(struct boot *b)
{
    struct handoff *h = b->handoff;
    bool wants = h->options.takeover == TAKEOVER_BORROW || h->options.finish == FINISH_RETURN ||
                 h->options.upload.kind == UPLOAD_URL;
    bool may = h->options.takeover == TAKEOVER_AUTO;

    /* Without a console the report can only go to the stick, which needs boot services. */
    h->borrowed = wants || (may && h->framebuffer.size == 0 && !has_serial(b));
}

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

/* Runs the kernel while boot services are held: they stay in memory, but do not run until the
 * machine is given back. Then the firmware continues as before, except that NMIs are still
 * counted. */
static EFI_STATUS borrow_machine(struct boot *b)
{
    struct boot_hold held;
    enum status status;
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
        return boot_answer(b);
    }
    held = boot_hold(b);
    status = (enum status)kernel_borrow(b->handoff);
    boot_unhold(b, held);
    boot_lend_end(b);
    return boot_after(b, status);
}

bool boot_leave(struct boot *b)
{
    for (uint32_t i = 1; i <= TRIES; i++) {
        /* Between a first failure and success only these two calls are allowed (UEFI 7.4.6). */
        if (EFI_ERROR(memmap_refresh(&b->map)))
            continue;
        if (EFI_ERROR(b->bs->ExitBootServices(b->image, b->map.key)))
            continue;
        cli();
        kernel_traps(b->handoff); /* first: the firmware's handlers are gone */
        b->handoff->exit_tries = i;
        memmap_hand_over(&b->map, b->handoff);
        return true;
    }
    cli();
    return false;
}

/* Ends boot services; the machine is never given back. */
_Noreturn static void take_machine(struct boot *b)
{
    boot_guard(b);
    fmt(&b->conout.sink, "baretick: leaving firmware\n");
    if (!boot_leave(b))
        boot_stuck(b);
    kernel_enter(b->handoff);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st)
{
    struct boot b;

    if (!boot_open(&b, image, st))
        return EFI_OUT_OF_RESOURCES;
    watchdog_off(&b);
    boot_facts(&b);
    boot_once(&b);
    if (!boot_options(&b) || b.handoff->options.help || b.handoff->options.list)
        return boot_answer(&b);
    boot_cores(&b);
    choose_takeover(&b);
    if (!boot_arena(&b))
        return boot_answer(&b);
    boot_area(&b);
    if (b.handoff->borrowed)
        return borrow_machine(&b);
    take_machine(&b);
}
