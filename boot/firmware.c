/* Functions that the steps share: opening and closing, memory, protocols, tables, error texts; the
 * firmware's console and keys, and serial ports, before the machine is taken over. */
#include "boot/boot.h"
#include "lib/cpu/pagetable.h"
#include "lib/text/fmt.h"

#define ONE_MIB     (1ull << 20)
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

/* --- serial ports ----------------------------------------------------------------------------- */

volatile void *boot_map(void *boot, uint64_t address, uint64_t size)
{
    const struct boot *b = boot;
    unsigned levels = read_cr4() & CR4_LA57 ? 5 : 4;

    if (b->encrypted || address < ONE_MIB || memory_is_ram(b->handoff, address, size) ||
        !pagetable_is_identity(read_cr3(), levels, address) ||
        !pagetable_is_identity(read_cr3(), levels, address + size - 1))
        return NULL;
    return (volatile void *)(uintptr_t)address;
}

/* Makes no firmware call, so that it can be used after ExitBootServices has failed. */
static struct serial_places find_serial(const struct boot *b, const struct serial_choice *choice)
{
    static struct madt madt; /* too large for this stack */
    struct address_map map = {.region = memory_taken, .ctx = b->handoff};
    struct boot_acpi tables;
    struct acpi_table t;
    struct serial_places places;

    boot_acpi(b, &tables);
    map.acpi = &tables.acpi;
    t = acpi_find(&tables.acpi, "APIC");
    if (t.bytes) {
        (void)acpi_madt(&t, &madt); /* entries before an invalid one are used */
        map.madt = &madt;
    }
    serial_places(&places, choice, &tables.acpi, &map);
    return places;
}

/* Returns whether the firmware's tables have the address of serial=mmio:. */
static bool is_in_tables(const struct boot *b)
{
    struct options standard;
    struct serial_places named;
    bool found = false;

    options_default(&standard);
    named = find_serial(b, &standard.serial);
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
    struct serial_places places = find_serial(b, &b->handoff->options.serial);

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

struct serial boot_serial(struct boot *b)
{
    struct serial_places places = find_serial(b, &b->handoff->options.serial);

    return serial_open(&places, boot_map, b);
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

/* --- the phase -------------------------------------------------------------------------------- */

void *boot_protocol(const struct boot *b, EFI_HANDLE handle, const EFI_GUID *guid)
{
    void *interface = NULL;
    EFI_GUID copy = *guid; /* GNU-EFI's prototypes take no const */

    if (!handle || EFI_ERROR(b->bs->OpenProtocol(handle, &copy, &interface, b->image, NULL,
                                                 EFI_OPEN_PROTOCOL_GET_PROTOCOL)))
        return NULL;
    return interface;
}

size_t boot_path_node(const EFI_DEVICE_PATH *node)
{
    size_t length = node->Length[0] | (size_t)node->Length[1] << 8;

    return length < sizeof *node ? 0 : length;
}

void *boot_alloc(const struct boot *b, size_t size)
{
    void *at;

    return EFI_ERROR(b->bs->AllocatePool(EfiLoaderData, size, &at)) ? NULL : at;
}

void boot_free(const struct boot *b, void *at)
{
    if (at)
        b->bs->FreePool(at);
}

void boot_status(struct sink *out, EFI_STATUS status)
{
    /* UEFI 2.10 appendix D. */
    static const struct {
        EFI_STATUS status;
        const char *words;
    } known[] = {
        {EFI_LOAD_ERROR, "load error"},
        {EFI_INVALID_PARAMETER, "invalid parameter"},
        {EFI_UNSUPPORTED, "unsupported"},
        {EFI_BUFFER_TOO_SMALL, "buffer too small"},
        {EFI_NOT_READY, "not ready"},
        {EFI_DEVICE_ERROR, "device error"},
        {EFI_OUT_OF_RESOURCES, "out of resources"},
        {EFI_VOLUME_CORRUPTED, "volume corrupted"},
        {EFI_NO_MEDIA, "no media"},
        {EFI_MEDIA_CHANGED, "media changed"},
        {EFI_NOT_FOUND, "not found"},
        {EFI_ACCESS_DENIED, "access denied"},
        {EFI_TIMEOUT, "timeout"},
        {EFI_SECURITY_VIOLATION, "security violation"},
    };
    const char *words = "error";

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].status == status)
            words = known[i].words;
    fmt(out, "%s (EFI status 0x%lx)", words, (unsigned long)status);
}

void boot_explain(char *text, size_t size, const char *what, EFI_STATUS status)
{
    struct sink_buf buf;

    sink_buf_init(&buf, text, size);
    fmt(&buf.sink, "%s: ", what);
    boot_status(&buf.sink, status);
}

struct sink *boot_error(struct boot *b)
{
    sink_buf_init(&b->error_sink, b->error, sizeof b->error);
    return &b->error_sink.sink;
}

void boot_acpi(const struct boot *b, struct boot_acpi *a)
{
    a->memory = memory_physical(b->handoff);
    acpi_open(&a->acpi, &a->memory, b->handoff->rsdp);
}

bool boot_open(struct boot *b, EFI_HANDLE image, EFI_SYSTEM_TABLE *st)
{
    static const EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_STATUS status;

    *b = (struct boot){.image = image, .st = st, .bs = st->BootServices};
    b->conout = (struct conout){.sink.write = conout_write, .to = st->ConOut};
    b->loaded = boot_protocol(b, image, &loaded_image);
    network_open(b);

    status = memmap_open(&b->map, b->bs);
    b->handoff = EFI_ERROR(status) ? NULL : boot_alloc(b, sizeof *b->handoff);
    if (!b->handoff) {
        fmt(&b->conout.sink,
            "baretick: cannot start: it needs %zu KiB of memory: ", sizeof *b->handoff / 1024);
        boot_status(&b->conout.sink, EFI_ERROR(status) ? status : EFI_OUT_OF_RESOURCES);
        fmt(&b->conout.sink, "\n");
        boot_close(b);
        return false;
    }
    __builtin_memset(b->handoff, 0, sizeof *b->handoff); /* too large for a copy on this stack */
    options_default(&b->handoff->options);
    memmap_hand_over(&b->map, b->handoff);
    return true;
}

void boot_close(struct boot *b)
{
    if (b->handoff && b->handoff->arena_size && !b->keep_memory)
        b->bs->FreePages(b->handoff->arena, b->handoff->arena_size >> EFI_PAGE_SHIFT);
    for (unsigned i = 0; b->handoff && i < b->handoff->areas && !b->keep_memory; i++)
        b->bs->FreePages(b->handoff->area[i].block, b->handoff->area[i].pages);
    if (b->handoff && b->handoff->low_page)
        b->bs->FreePages(b->handoff->low_page, LOW_PAGES);
    for (unsigned i = 0; i < b->objects && !b->keep_memory; i++)
        boot_free(b, b->object[i]);
    if (!b->keep_memory)
        boot_free(b, b->handoff);
    b->handoff = NULL;
    memmap_close(&b->map);
}

void boot_guard(struct boot *b)
{
    static struct borrowed_traps traps; /* for one core; too large for this stack */

    b->traps = &traps;
    traps_borrow(b->traps);
}

void boot_unguard(struct boot *b)
{
    if (b->traps)
        traps_return(b->traps);
    b->traps = NULL;
}

struct boot_hold boot_hold(const struct boot *b)
{
    struct boot_hold held = {.tpl = b->bs->RaiseTPL(TPL_HIGH_LEVEL)};

    /* In many firmwares RaiseTPL clears IF and RestoreTPL sets it. */
    held.flags = read_rflags();
    cli();
    return held;
}

void boot_unhold(const struct boot *b, struct boot_hold held)
{
    if (held.flags & RFLAGS_IF)
        sti();
    b->bs->RestoreTPL(held.tpl);
}
