/* Serial ports and the firmware's keys, before the machine is taken over. */
#include "boot/boot.h"
#include "kernel/console/serial.h"
#include "kernel/memory/memory_map.h"
#include "lib/text/fmt.h"

#define KEY_WAIT_MS 10000
#define KEY_POLL_MS 20

static struct serial_places find_serial(const struct boot *b, const struct serial_choice *choice,
                                        bool in_memory)
{
    struct madt *madt =
        in_memory ? boot_alloc(b, sizeof *madt) : NULL; /* too large for this stack */
    struct address_map map = {.region = memory_taken, .ctx = b->handoff};
    struct boot_acpi tables;
    struct acpi_table t;
    struct serial_places places;

    boot_acpi(b, &tables);
    map.acpi = &tables.acpi;
    t = acpi_find(&tables.acpi, "APIC");
    if (madt && t.bytes) {
        (void)acpi_madt(&t, madt); /* entries before an invalid one are used */
        map.madt = madt;
    }
    serial_places(&places, choice, &tables.acpi, in_memory ? &map : NULL);
    boot_free(b, madt);
    return places;
}

/* Returns whether the firmware's tables have the address of serial=mmio:. */
static bool is_named(const struct boot *b)
{
    struct options standard;
    struct serial_places named;
    bool found = false;

    options_default(&standard);
    named = find_serial(b, &standard.serial, true);
    for (unsigned i = 0; i < named.n; i++)
        found = found || (named.place[i].mmio &&
                          named.place[i].address == b->handoff->options.serial.address);
    return found;
}

/* Resets serial=, so that its error goes to the port of the firmware's tables. Returns false. */
static bool tell_elsewhere(struct boot *b)
{
    struct options standard;

    options_default(&standard);
    b->handoff->options.serial = standard.serial;
    return false;
}

bool boot_serial_check(struct boot *b)
{
    struct serial_places places = find_serial(b, &b->handoff->options.serial, true);

    if (b->handoff->options.serial.kind != SERIAL_MMIO)
        return true;
    if (b->handoff->secure_boot && !is_named(b)) {
        fmt(boot_error(b),
            "serial=mmio: Secure Boot is on: address 0x%lx is refused; only addresses in the "
            "firmware's tables SPCR and DBG2 are allowed",
            (unsigned long)b->handoff->options.serial.address);
        return tell_elsewhere(b);
    }
    if (places.refused_n == 0)
        return true;
    fmt(boot_error(b),
        "serial=mmio: address 0x%lx is %s; the address of a 16550's registers is allowed",
        (unsigned long)places.refused[0].address, places.refused[0].taken);
    return tell_elsewhere(b);
}

struct serial boot_serial(const struct boot *b)
{
    struct serial_places places = find_serial(b, &b->handoff->options.serial, false);

    return serial_open(&places, NULL, NULL);
}

bool boot_serial_in_memory(const struct boot *b)
{
    struct serial_places places = find_serial(b, &b->handoff->options.serial, true);

    for (unsigned i = 0; i < places.n; i++)
        if (places.place[i].mmio)
            return true;
    return false;
}

/* A shell leaves the output on the screen; a boot manager clears it when the program returns. */
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
    in->Reset(in, FALSE); /* ignore earlier keys */
    fmt(&b->conout.sink, "Press a key (continuing in %u s).\r\n", KEY_WAIT_MS / 1000);
    for (unsigned ms = 0; ms < KEY_WAIT_MS; ms += KEY_POLL_MS) {
        if (!EFI_ERROR(in->ReadKeyStroke(in, &key)))
            return;
        b->bs->Stall(KEY_POLL_MS * 1000);
    }
}
