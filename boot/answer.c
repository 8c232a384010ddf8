/*
 * The end of a start that measures nothing: help, list, or an error. The text for people goes to
 * the firmware's console, the records to the serial port, so that a line that is both shows nothing
 * twice.
 */
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "boot/boot.h"
#include "boot/timers.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/cpu.h"
#include "kernel/machine/leave.h"
#include "kernel/memory/acpi_mem.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/smbios.h"
#include "lib/text/fmt.h"

#define KEY_WAIT_MS 10000
#define KEY_POLL_MS 20

static bool failed(const struct boot *b)
{
    return b->error[0] != 0;
}

static bool lists(const struct boot *b)
{
    return !failed(b) && !b->handoff->options.help;
}

static void say(struct boot *b, const struct boot_timers *t, struct sink *out)
{
    if (failed(b))
        fmt(out, "\r\nbaretick: %s\r\nNothing was measured.\r\n", b->error);
    else if (b->handoff->options.help)
        options_help(out);
    else
        registry_list(out);
    if (lists(b)) {
        timer_survey_show("clock", CLOCK_WORDS, t->clock, CLOCK_IDS, out);
        timer_survey_show("cycle", CYCLE_WORDS, t->cycle, CYCLE_IDS, out);
    }
}

/* FORMAT_JSONL where the console has the text already. t: NULL where it is not `list`'s end. */
static void record(struct boot *b, const struct boot_timers *t, struct sink *out,
                   enum format format)
{
    struct report r;

    fmt(out, "\r\n"); /* the firmware's console may have left a line begun */
    report_init(&r, out, format);
    if (failed(b)) {
        r.failures++;
        report_event(&r, "error", b->error);
    }
    if (t && lists(b)) {
        timer_survey_record("clock", CLOCK_WORDS, t->clock, CLOCK_IDS, &r);
        timer_survey_record("cycle", CYCLE_WORDS, t->cycle, CYCLE_IDS, &r);
    }
    report_end(&r, false);
}

bool boot_on_qemu(const struct boot *b)
{
    const struct handoff *h = b->handoff;
    struct acpi_mem memory;
    struct acpi acpi;

    if (!(cpuid(1, 0).ecx & 1u << 31)) /* SDM vol. 2A CPUID: a hypervisor is there */
        return false;
    acpi_mem_init(&memory, h);
    acpi_open(&acpi, &memory.mem, h->rsdp);
    return acpi_says_qemu(&acpi) || smbios_says_qemu(&memory.mem, h->smbios3) ||
           smbios_says_qemu(&memory.mem, h->smbios);
}

static struct serial_places find_serial(const struct boot *b, bool in_memory)
{
    struct acpi_mem memory;
    struct acpi acpi;
    struct serial_places places;

    acpi_mem_init(&memory, b->handoff);
    acpi_open(&acpi, &memory.mem, b->handoff->rsdp);
    serial_places(&places, &b->handoff->options.serial, &acpi, in_memory);
    return places;
}

struct serial boot_serial(const struct boot *b)
{
    struct serial_places places = find_serial(b, false);

    return serial_open(&places, NULL, NULL);
}

bool boot_serial_in_memory(const struct boot *b)
{
    struct serial_places places = find_serial(b, true);

    for (unsigned i = 0; i < places.n; i++)
        if (places.place[i].mmio)
            return true;
    return false;
}

/* The shell leaves its output on the screen; a boot manager clears it as soon as we return. */
static bool from_shell(const struct boot *b)
{
    /* EFI_SHELL_PARAMETERS_PROTOCOL, UEFI Shell 2.2 section 2.3. */
    static const EFI_GUID parameters = {
        0x752f3136, 0x4e16, 0x4fdc, {0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca}};

    return boot_protocol(b, b->image, &parameters) != NULL;
}

void boot_let_read(struct boot *b)
{
    SIMPLE_INPUT_INTERFACE *in = b->st->ConIn;
    EFI_INPUT_KEY key;

    if (!in || !b->st->ConOut || from_shell(b))
        return;
    in->Reset(in, FALSE); /* keys from before do not count */
    fmt(&b->conout.sink, "Press a key (going on in %u s).\r\n", KEY_WAIT_MS / 1000);
    for (unsigned ms = 0; ms < KEY_WAIT_MS; ms += KEY_POLL_MS) {
        if (!EFI_ERROR(in->ReadKeyStroke(in, &key)))
            return;
        b->bs->Stall(KEY_POLL_MS * 1000);
    }
}

EFI_STATUS boot_answer(struct boot *b)
{
    struct serial serial = boot_serial(b);
    EFI_STATUS status = failed(b) ? EFI_INVALID_PARAMETER : EFI_SUCCESS;
    struct boot_timers timers;

    if (lists(b))
        boot_timers(b, &timers);
    say(b, &timers, b->st->ConOut ? &b->conout.sink : &serial.sink);
    record(b, &timers, &serial.sink, FORMAT_JSONL);
    serial_flush(&serial);
    if (boot_on_qemu(b))
        qemu_exit(failed(b) ? EXIT_BAD_OPTIONS : EXIT_SUCCESS);
    boot_let_read(b);
    boot_close(b);
    return status;
}

void boot_stuck(struct boot *b)
{
    struct serial serial = boot_serial(b);

    fmt_buf(b->error, sizeof b->error,
            "firmware: ExitBootServices failed every time; the machine must be reset");
    record(b, NULL, &serial.sink, FORMAT_BOTH);
    serial_flush(&serial);
    if (boot_on_qemu(b))
        qemu_exit(EXIT_FAULT);
    for (;;)
        __asm__ volatile("hlt");
}
