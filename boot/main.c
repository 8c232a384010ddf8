/* From the firmware's call to the kernel's first instruction, and back if the machine is borrowed.
 * Help, lists, dumps and errors are answered here, while the firmware's console still works. */
#include "boot/boot.h"
#include "build_id.h"
#include "kernel/devices/reset.h"
#include "kernel/kernel.h"
#include "lib/text/fmt.h"

/* An event between the two calls may change the map once or twice, not on every try. */
#define TRIES 16

#define FIRMWARE_100NS 100000000 /* ResetSystem is given up after 10 s */

/* In seconds, what a start by `once` may take before the machine is borrowed, or for its dump, and
 * what the firmware may take to write the report. */
#define WATCHDOG_START  300
#define WATCHDOG_REPORT 600
#define WATCHDOG_CODE   0x10000 /* those below are the firmware's (UEFI 2.10 section 7.5) */

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st);

/*
 * Under Secure Boot, shim starts only programs with a section .sbat that names the components and
 * their generations (shim, SBAT.md: component, generation, vendor, package, version, URL; CSV
 * lines). A generation is increased when older builds must no longer start.
 */
/* Generation 1, since no build was revoked. There is no URL, and a field may not be empty. */
#define SBAT                                                                                       \
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"                \
    "baretick,1,The baretick authors,baretick," BARETICK_VERSION ",-\n"

static const char sbat[sizeof SBAT - 1] __attribute__((section(".sbat"), used)) = SBAT;

/* Firmware resets the machine 5 minutes after it starts a program, unless told not to (UEFI 7.5.1).
 * A start by `once` gets this time instead; 0: no limit. */
static void limit_time(struct boot *b, UINTN seconds)
{
    b->bs->SetWatchdogTimer(b->once ? seconds : 0, WATCHDOG_CODE, 0, NULL);
}

static bool has_serial(struct boot *b)
{
    struct serial serial = boot_serial(b);
    bool there = serial.on;

    serial_release(&serial);
    return there;
}

/* Decides whether the machine is borrowed from the firmware or taken for good. Without a screen
 * nobody may be listening to a serial port that answers, so the report is written to the stick,
 * which needs boot services. */
static void choose_takeover(struct boot *b)
{
    struct handoff *h = b->handoff;
    bool wants = h->options.takeover == TAKEOVER_BORROW || h->options.finish == FINISH_RETURN ||
                 h->options.upload.kind == UPLOAD_URL;
    bool may = h->options.takeover == TAKEOVER_AUTO && h->framebuffer.size == 0;

    h->borrowed = wants || (may && (boot_report_fits(b) || !has_serial(b)));
}

static const EFI_STATUS efi_statuses[] = {
    [STATUS_SUCCESS] = EFI_SUCCESS,      [STATUS_BAD_OPTIONS] = EFI_INVALID_PARAMETER,
    [STATUS_CHECK_FAILED] = EFI_ABORTED, [STATUS_STOPPED] = EFI_NOT_READY,
    [STATUS_NO_REPORT] = EFI_NO_MEDIA,   [STATUS_FAULTED] = EFI_DEVICE_ERROR,
};

static void tell_way(void *boot, const char *way)
{
    struct boot *b = boot;
    bool reboots = b->handoff->options.finish == FINISH_REBOOT;

    fmt(&b->conout.sink, FINISH_TELLS, reboots ? "reboot" : "poweroff", way);
}

/* `s5`: NULL, or gets how the machine is switched off; false, too: not known. */
static bool find_fadt(const struct boot *b, struct fadt *fadt, struct acpi_s5 *s5)
{
    struct boot_acpi tables;

    boot_acpi(b, &tables);
    if (s5) {
        struct acpi_table dsdt = acpi_dsdt(&tables.acpi);
        if (!dsdt.bytes || !acpi_s5(&dsdt, s5))
            return false;
    }
    struct acpi_table t = acpi_find(&tables.acpi, "FACP");
    *fadt = (struct fadt){0};
    return t.bytes && acpi_fadt(&t, fadt);
}

/* Resets the machine without its firmware: after ResetSystem, or in its place if it hangs. */
static void EFIAPI reset_by_hardware(EFI_EVENT event, void *boot)
{
    struct boot *b = boot;
    struct fadt fadt;
    const struct reset reset = {find_fadt(b, &fadt, NULL) ? &fadt : NULL, boot_map, b, tell_way, b};

    (void)event;
    for (unsigned way = 0; way < RESET_WAYS; way++)
        reset_try(&reset, way);
}

void boot_end_machine(struct boot *b, bool reboots)
{
    EFI_RUNTIME_SERVICES *runtime = b->st->RuntimeServices;
    struct fadt fadt;
    struct acpi_s5 s5;
    EFI_EVENT late;

    if (reboots && !EFI_ERROR(b->bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_NOTIFY,
                                                 reset_by_hardware, b, &late)))
        (void)b->bs->SetTimer(late, TimerRelative, FIRMWARE_100NS);
    tell_way(b, "trying the firmware (ResetSystem)");
    if (runtime)
        runtime->ResetSystem(reboots ? EfiResetCold : EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    if (reboots)
        reset_by_hardware(NULL, b);
    if (!reboots && find_fadt(b, &fadt, &s5) && fadt.pm1a_cnt) {
        tell_way(b, TRYING_S5);
        power_off(&fadt, s5);
    }
    tell_way(b, FINISH_HALTS);
}

/* Reports the NMIs that came after the report. */
static void show_late_nmis(struct boot *b)
{
    const struct handoff *h = b->handoff;
    uint64_t late = h->nmis_late + traps_borrowed_nmis() - h->nmis_reported;

    if (late)
        fmt(&b->conout.sink, "baretick: NMIs that came too late for the report: %lu\n",
            (unsigned long)late);
}

/* Scrolls up, so that the output begins below the text on the screen, whichever program wrote that.
 * Source of the calls: UEFI 2.10 section 12.4. */
static void print_below(struct conout *c)
{
    UINTN columns, rows;

    if (!c->to || EFI_ERROR(c->to->QueryMode(c->to, (UINTN)c->to->Mode->Mode, &columns, &rows)))
        return;
    (void)c->to->SetCursorPosition(c->to, 0, rows - 1);
    fmt(&c->sink, "\n");
}

/* The files are written: a firmware that hangs is no longer ended. */
static void unguard(struct boot *b)
{
    struct boot_hold held = boot_hold(b);

    kernel_unguard();
    boot_unguard(b);
    boot_unhold(b, held);
}

/* Ends as finish= says, once everything is written. Frees everything if it returns. */
static EFI_STATUS end_as_asked(struct boot *b, enum status status)
{
    enum finish finish = b->handoff->options.finish;

    if (finish != FINISH_REBOOT)
        limit_time(b, 0);
    if (finish == FINISH_AUTO && b->handoff->qemu)
        qemu_exit(status);
    if (finish == FINISH_REBOOT || finish == FINISH_POWEROFF)
        boot_end_machine(b, finish == FINISH_REBOOT);
    if (!handoff_goes_back(b->handoff))
        cpu_halt();
    boot_let_read(b);
    boot_close(b);
    return efi_statuses[status];
}

/* After a borrowed machine's report: writes it to its files. */
static EFI_STATUS end_borrowed(struct boot *b, enum status status)
{
    if (b->handoff->painted)
        print_below(&b->conout);
    if (!boot_report(b) && !b->handoff->shown) {
        fmt(&b->conout.sink,
            "baretick: the report could not be written: no serial port, no screen, "
            "and no volume or server for it\n");
        if (status == STATUS_SUCCESS)
            status = STATUS_NO_REPORT;
    }
    boot_once_end(b, &status);
    if (b->handoff->options.finish != FINISH_REBOOT) /* else a reset that hangs is ended too */
        unguard(b);
    show_late_nmis(b);
    return end_as_asked(b, status);
}

static EFI_STATUS dump(struct boot *b)
{
    enum status status;

    if (!boot_dump(b, &status))
        return boot_answer(b);
    boot_once_end(b, &status);
    return end_as_asked(b, status);
}

/* Runs the kernel while boot services are held: they stay in memory, but do not run until the
 * machine is given back. Then the firmware continues as before, except that NMIs are still
 * counted. */
static EFI_STATUS borrow_machine(struct boot *b)
{
    struct boot_hold held;
    enum status status;

    boot_guard(b);
    fmt(&b->conout.sink, "baretick: borrowing the machine\n");
    boot_lend(b);
    if (!boot_map_read(b)) {
        boot_lend_end(b);
        boot_unguard(b);
        return boot_answer(b);
    }
    limit_time(b, 0); /* it may be a timer of the hardware, and the kernel has its own */
    held = boot_hold(b);
    status = (enum status)kernel_borrow(b->handoff);
    boot_unhold(b, held);
    limit_time(b, WATCHDOG_REPORT);
    boot_lend_end(b);
    return end_borrowed(b, status);
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

/* Ends boot services; the machine is never given back. Returns if the map cannot be read before. */
static EFI_STATUS take_machine(struct boot *b)
{
    if (!boot_map_read(b))
        return boot_answer(b);
    boot_guard(b);
    fmt(&b->conout.sink, "baretick: leaving firmware\n");
    limit_time(b, 0);
    if (!boot_leave(b))
        boot_stuck(b);
    kernel_enter(b->handoff);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st)
{
    struct boot b;

    if (!boot_open(&b, image, st))
        return EFI_OUT_OF_RESOURCES;
    boot_facts(&b);
    boot_once(&b);
    limit_time(&b, WATCHDOG_START);
    if (!boot_guest(&b) || !boot_options(&b) || b.handoff->options.help || b.handoff->options.list)
        return boot_answer(&b);
    boot_cores(&b);
    if (b.handoff->options.dump)
        return dump(&b);
    choose_takeover(&b);
    if (!boot_arena(&b))
        return boot_answer(&b);
    return b.handoff->borrowed ? borrow_machine(&b) : take_machine(&b);
}
