/* Functions that the steps share: opening and closing, memory, protocols, tables, error texts. */
#include "boot/boot.h"
#include "lib/text/fmt.h"

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
    conout_init(&b->conout, st->ConOut);
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
    if (b->area && !b->keep_memory)
        b->bs->FreePages(b->area, b->area_pages);
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
