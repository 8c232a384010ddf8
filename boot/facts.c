/* Collects what the firmware knows of the machine: tables, framebuffer, vendor. All of it can be
 * missing. */
#include "boot/boot.h"
#include "kernel/cpu/msr.h"
#include "lib/firmware/smbios.h"
#include "lib/text/fmt.h"

static bool same_guid(const EFI_GUID *a, const EFI_GUID *b)
{
    return __builtin_memcmp(a, b, sizeof *a) == 0;
}

/* Returns the first configuration table with this GUID; 0: none. */
static uint64_t config_table(const EFI_SYSTEM_TABLE *st, const EFI_GUID *guid)
{
    for (UINTN i = 0; st->ConfigurationTable && i < st->NumberOfTableEntries; i++)
        if (same_guid(&st->ConfigurationTable[i].VendorGuid, guid))
            return (uint64_t)(uintptr_t)st->ConfigurationTable[i].VendorTable;
    return 0;
}

static void tables(struct handoff *h, const EFI_SYSTEM_TABLE *st)
{
    static const EFI_GUID acpi_2 = ACPI_20_TABLE_GUID, acpi_1 = ACPI_TABLE_GUID,
                          smbios = SMBIOS_TABLE_GUID, smbios3 = SMBIOS3_TABLE_GUID;

    h->rsdp = config_table(st, &acpi_2);
    if (!h->rsdp)
        h->rsdp = config_table(st, &acpi_1);
    h->smbios = config_table(st, &smbios);
    h->smbios3 = config_table(st, &smbios3);
}

/* Sets the masks of a pixel (UEFI 2.10 section 12.9.2.1); none if only the firmware can draw. */
static void masks(struct framebuffer *f, const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info)
{
    switch (info->PixelFormat) {
    case PixelRedGreenBlueReserved8BitPerColor:
        f->red = 0xff, f->green = 0xff00, f->blue = 0xff0000, f->reserved = 0xff000000;
        break;
    case PixelBlueGreenRedReserved8BitPerColor:
        f->red = 0xff0000, f->green = 0xff00, f->blue = 0xff, f->reserved = 0xff000000;
        break;
    case PixelBitMask:
        f->red = info->PixelInformation.RedMask;
        f->green = info->PixelInformation.GreenMask;
        f->blue = info->PixelInformation.BlueMask;
        f->reserved = info->PixelInformation.ReservedMask;
        break;
    default: /* PixelBltOnly, or a format of a later UEFI: no masks */
        break;
    }
}

/* Returns whether our page tables can map the framebuffer; `why` says why not. */
static bool can_be_mapped(const struct framebuffer *f, char *why)
{
    struct cpu cpu;

    cpu_decode(&cpu, cpuid_here, NULL);
    uint64_t limit = paging_limit(&cpu);
    if (paging_reaches(limit, f->address, f->size))
        return true;
    fmt_buf(why, FRAMEBUFFER_WHY,
            "a framebuffer at 0x%llx cannot be mapped; allowed: below 0x%llx, not 0x%llx to 0x%llx",
            (unsigned long long)f->address, (unsigned long long)limit, PAGING_WINDOW(0),
            PAGING_WINDOW(PAGING_WINDOWS));
    return false;
}

/* Some firmware reports too small a size: takes that of the mode's lines, unless RAM is there. */
static bool judge(const struct handoff *h, struct framebuffer *f, char *why)
{
    uint64_t whole;

    if (framebuffer_judge(f, why, FRAMEBUFFER_WHY))
        return true;
    whole = framebuffer_pitch(f) * f->height;
    if (f->size >= whole || memory_is_ram(h, f->address, whole))
        return false;
    f->size = whole;
    return framebuffer_judge(f, why, FRAMEBUFFER_WHY);
}

/* Describes the framebuffer. False: only the firmware can draw on the screen; `why` says why. */
static bool linear(const struct handoff *h, const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode,
                   struct framebuffer *f, char *why)
{
    const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = mode ? mode->Info : NULL;

    if (!info) {
        fmt_buf(why, FRAMEBUFFER_WHY, "the firmware names no mode");
        return false;
    }
    if (info->PixelFormat == PixelBltOnly) {
        fmt_buf(why, FRAMEBUFFER_WHY, "only the firmware can draw on it (BltOnly)");
        return false;
    }
    *f = (struct framebuffer){.address = mode->FrameBufferBase,
                              .size = mode->FrameBufferSize,
                              .width = info->HorizontalResolution,
                              .height = info->VerticalResolution,
                              .pixels_per_line = info->PixelsPerScanLine};
    masks(f, info);
    return judge(h, f, why) && can_be_mapped(f, why);
}

/* The mark is a protocol without an interface. */
static bool is_marked(const struct boot *b, EFI_HANDLE handle, EFI_GUID mark)
{
    return !EFI_ERROR(
        b->bs->OpenProtocol(handle, &mark, NULL, b->image, NULL, EFI_OPEN_PROTOCOL_TEST_PROTOCOL));
}

/* Takes the first GOP with a usable framebuffer, of all on which the firmware has its console, and
 * then of all others: with several cards nothing may be connected to the first one. */
static void framebuffer(const struct boot *b)
{
    static const EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    /* EFI_CONSOLE_OUT_DEVICE_GUID: UEFI 2.10 section 2.6.2 names it; EDK II marks these handles. */
    static const EFI_GUID console = {
        0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};
    struct handoff *h = b->handoff;
    EFI_GUID copy = guid;
    EFI_HANDLE *handles = NULL;
    UINTN n = 0;

    if (EFI_ERROR(b->bs->LocateHandleBuffer(ByProtocol, &copy, NULL, &n, &handles)))
        return;
    for (UINTN i = 0; i < 2 * n && h->framebuffer.size == 0; i++) {
        EFI_HANDLE handle = handles[i % n];
        const EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = boot_protocol(b, handle, &guid);
        struct framebuffer f;

        if (gop && is_marked(b, handle, console) == (i < n) &&
            linear(h, gop->Mode, &f, h->screen_refused))
            h->framebuffer = f;
    }
    boot_free(b, handles);
}

static void vendor(struct handoff *h, const EFI_SYSTEM_TABLE *st)
{
    size_t i = 0;

    for (; st->FirmwareVendor && st->FirmwareVendor[i] && i < HANDOFF_TEXT - 1; i++) {
        CHAR16 c = st->FirmwareVendor[i];

        h->firmware_vendor[i] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    h->firmware_vendor[i] = 0;
    h->firmware_revision = st->FirmwareRevision;
    h->uefi_revision = st->Hdr.Revision;
}

/* Uses the linker's symbols, since LoadedImage can be missing. */
static void own_place(struct handoff *h)
{
    /* Hidden, or clang goes through the GOT, where an absolute symbol is not relocated. */
    extern const uint8_t ImageBase[] __attribute__((visibility("hidden")));
    extern const uint8_t _end[] __attribute__((visibility("hidden")));

    h->image_base = (uint64_t)(uintptr_t)ImageBase;
    h->image_size = (uint64_t)(_end - ImageBase);
}

/* Detected early, so that the first fault knows how to exit. */
static bool on_qemu(const struct boot *b)
{
    const struct handoff *h = b->handoff;
    struct boot_acpi tables;

    if (!(cpuid(1, 0).ecx & 1u << 31)) /* SDM vol. 2A CPUID: hypervisor */
        return false;
    boot_acpi(b, &tables);
    return acpi_says_qemu(&tables.acpi) || smbios_says_qemu(&tables.memory, h->smbios3) ||
           smbios_says_qemu(&tables.memory, h->smbios);
}

/* UEFI 2.10 section 3.3, table 3.1: SecureBoot is 1 if images are checked. */
static bool secure_boot(const EFI_SYSTEM_TABLE *st)
{
    EFI_GUID global = EFI_GLOBAL_VARIABLE;
    uint8_t on = 0;
    UINTN size = sizeof on;

    return st->RuntimeServices &&
           !EFI_ERROR(st->RuntimeServices->GetVariable(L"SecureBoot", &global, NULL, &size, &on)) &&
           on == 1;
}

void boot_facts(struct boot *b)
{
    struct handoff *h = b->handoff;

    tables(h, b->st);
    h->qemu = on_qemu(b);
    h->secure_boot = secure_boot(b->st);
    framebuffer(b);
    vendor(h, b->st);
    own_place(h);
    if (b->st->RuntimeServices)
        h->reset_system = (uint64_t)(uintptr_t)b->st->RuntimeServices->ResetSystem;
}

bool boot_guest(struct boot *b)
{
    const char *by;

    boot_guard(b);
    by = cpu_encrypted_guest(cpuid_here, NULL, msr_here.read, NULL);
    boot_unguard(b);
    b->encrypted = by;
    if (by)
        fmt(boot_error(b),
            "guest: its memory is encrypted (%s), which is not supported; start baretick on a "
            "machine, or in a guest without SEV and TDX",
            by);
    return !by;
}
