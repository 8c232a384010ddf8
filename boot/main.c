/* From the firmware's call to the kernel's first instruction, and back if the machine is borrowed.
 * Help, lists and errors are answered here, while the firmware's console still works. */
#include "boot/boot.h"
#include "kernel/entry.h"
#include "lib/text/fmt.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st);

/* Firmware resets the machine 5 minutes after it starts a program, unless told not to (UEFI
 * 7.5.1). */
static void watchdog_off(const struct boot *b)
{
    b->bs->SetWatchdogTimer(0, 0, 0, NULL);
}

/* Holds boot services during the measurement, then gives the machine back to the firmware. */
static EFI_STATUS borrow_machine(struct boot *b)
{
    enum status status;

    return boot_borrow(b, &status) ? boot_after(b, status) : boot_answer(b);
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
    boot_takeover(&b);
    if (!boot_arena(&b))
        return boot_answer(&b);
    boot_area(&b);
    if (b.handoff->borrowed)
        return borrow_machine(&b);
    take_machine(&b);
}
