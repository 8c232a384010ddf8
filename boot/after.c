/* After a borrowed machine's report: writes the files or sends them, then ends as finish= says. */
#include "boot/boot.h"
#include "kernel/cpu/cpu.h"
#include "lib/text/fmt.h"

static EFI_STATUS status_of(enum status status)
{
    switch (status) {
    case STATUS_SUCCESS:
        return EFI_SUCCESS;
    case STATUS_BAD_OPTIONS:
        return EFI_INVALID_PARAMETER;
    case STATUS_CHECK_FAILED:
        return EFI_ABORTED;
    case STATUS_STOPPED:
        return EFI_NOT_READY;
    case STATUS_NO_REPORT:
        return EFI_NO_MEDIA;
    case STATUS_FAULTED:
        break;
    }
    return EFI_DEVICE_ERROR;
}

/* Returns if the firmware cannot reset. */
static void reset(struct boot *b, EFI_RESET_TYPE type)
{
    b->st->RuntimeServices->ResetSystem(type, EFI_SUCCESS, 0, NULL);
}

/* Reports the NMIs that came after the report. */
static void say_nmis(struct boot *b)
{
    const struct handoff *h = b->handoff;
    uint64_t late = h->nmis_late + traps_borrowed_nmis() - h->nmis_told;

    if (late)
        fmt(&b->conout.sink, "baretick: NMIs that came too late for the report: %lu\n",
            (unsigned long)late);
}

EFI_STATUS boot_after(struct boot *b, enum status status)
{
    enum finish finish = b->handoff->options.finish;

    if (b->handoff->painted)
        conout_below(&b->conout);
    if (!(boot_sends(b) ? boot_send(b) : boot_stick(b)) && !b->handoff->shown) {
        fmt(&b->conout.sink,
            "baretick: the report could not be written: no serial port, no screen, "
            "and no volume or server for it\n");
        if (status == STATUS_SUCCESS)
            status = STATUS_NO_REPORT;
    }
    boot_unguard(b);
    say_nmis(b);
    boot_once_end(b, status);
    if (finish == FINISH_AUTO && b->handoff->qemu)
        qemu_exit(status);
    if (finish == FINISH_REBOOT)
        reset(b, EfiResetCold);
    if (finish == FINISH_POWEROFF)
        reset(b, EfiResetShutdown);
    if (finish != FINISH_AUTO && finish != FINISH_RETURN)
        cpu_halt();
    boot_let_read(b);
    boot_close(b);
    return status_of(status);
}
