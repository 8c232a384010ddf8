/* The firmware's console and keys, and serial ports, before the machine is taken over. */
#include "boot/boot.h"
#include "lib/text/fmt.h"

#define KEY_WAIT_MS 10000
#define KEY_POLL_MS 20

/* --- the firmware's console ------------------------------------------------------------------- */

static void conout_flush(struct conout *c)
{
    if (c->used == 0)
        return;
    c->piece[c->used] = 0;
    c->to->OutputString(c->to, c->piece);
    c->used = 0;
}

static void conout_put(struct conout *c, CHAR16 ch)
{
    if (ch == '\n' && !c->after_cr)
        conout_put(c, '\r');
    c->after_cr = ch == '\r';
    if (c->used == CONOUT_PIECE)
        conout_flush(c);
    c->piece[c->used++] = ch;
}

/* Takes one byte of UTF-8 (RFC 3629); its last byte completes a character. */
static void conout_put_byte(struct conout *c, uint8_t byte)
{
    if (c->wanted > 0 && (byte & 0xc0) == 0x80) {
        c->code = c->code << 6 | (byte & 0x3f);
        if (--c->wanted == 0)
            conout_put(c, c->code > 0xffff ? '?' : (CHAR16)c->code);
        return;
    }
    if (c->wanted > 0) { /* cut short */
        conout_put(c, '?');
        c->wanted = 0;
    }
    if (byte < 0x80) {
        conout_put(c, byte);
    } else if ((byte & 0xe0) == 0xc0) {
        c->code = byte & 0x1f;
        c->wanted = 1;
    } else if ((byte & 0xf0) == 0xe0) {
        c->code = byte & 0x0f;
        c->wanted = 2;
    } else if ((byte & 0xf8) == 0xf0) {
        c->code = byte & 0x07;
        c->wanted = 3;
    } else {
        conout_put(c, '?');
    }
}

static void conout_write(struct sink *self, const char *bytes, size_t n)
{
    struct conout *c = (struct conout *)self; /* sink is the first member */

    if (!c->to)
        return;
    for (size_t i = 0; i < n; i++)
        conout_put_byte(c, (uint8_t)bytes[i]);
    conout_flush(c);
}

void conout_init(struct conout *c, SIMPLE_TEXT_OUTPUT_INTERFACE *to)
{
    *c = (struct conout){.sink.write = conout_write, .to = to};
}

void conout_below(struct conout *c)
{
    UINTN columns, rows;

    if (!c->to || EFI_ERROR(c->to->QueryMode(c->to, (UINTN)c->to->Mode->Mode, &columns, &rows)))
        return;
    (void)c->to->SetCursorPosition(c->to, 0, rows - 1);
    conout_write(&c->sink, "\n", 1);
}

/* --- serial ports ----------------------------------------------------------------------------- */

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
static bool is_in_tables(const struct boot *b)
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
    if (b->handoff->secure_boot && !is_in_tables(b)) {
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

/* --- keys ------------------------------------------------------------------------------------- */

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
