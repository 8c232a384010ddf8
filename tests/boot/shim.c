/* clang-format off */
/*
 * A UEFI application that changes the machine and then starts \baretick.efi from its own volume.
 *
 * \shim.txt on it says how. Its first line has modes, separated by blanks; the bytes after that
 * line are passed to baretick unchanged as its load options. The modes, which can be combined:
 *   no-conout        the system table has no console
 *   no-rsdp          no ACPI table pointer in the configuration table
 *   rsdp-nowhere     a pointer to an address without memory
 *   rsdp-badsum      an RSDP with a wrong checksum
 *   rsdp-rev0        under the ACPI 2.0 GUID, an RSDP of revision 0 that has an RSDT only
 *   madt-lies        the MADT's last entry has a length beyond the table's end
 *   madt-hidden      the firmware's MADT has another name: that of `tables` is used
 *   tables           \table0, \table1 and so on are installed as ACPI tables
 *   no-low           all memory below 1 MiB belongs to the firmware
 *   descsize         memory descriptors of 64 bytes, with random bytes between them
 *   map-long         2000 more memory descriptors: a region of free memory is split into pages
 *   map-grows        the same, but only once baretick has allocated memory
 *   gop-...          the firmware's description of its screen: see shim_gop.c
 *   reset-...        the firmware's ResetSystem: see shim_reset.c
 *   bmc-watchdog     the watchdog of QEMU's BMC runs: see shim_reset.c
 *   no-reset-reg     the FADT has no reset register
 *   mp-...           the firmware's handling of its other cores: see shim_mp.c
 *   exit-fails-once  the map changes under the first ExitBootServices; after that any firmware call
 *                    but GetMemoryMap and ExitBootServices ends the machine with status 0x30
 *   exit-fails       ExitBootServices never succeeds; else as above
 * These take effect after ExitBootServices has succeeded, just before it returns:
 *   x2apic           the local APIC in x2APIC mode
 *   sse-off          CR4.OSFXSR and OSXMMEXCPT clear, CR0.EM and TS set
 *   mess             MXCSR and x87 with every exception unmasked, PIC unmasked with the PIT active,
 *                    the local APIC's timer running, CR0.WP and NE clear
 *   la57             five levels of page tables (where the CPU has them)
 * Without a \shim.txt it only loops endlessly, after one line of text with the load option "talk".
 */
/* clang-format on */
#include <efi.h>

#define STATUS_FORBIDDEN  0x30 /* QEMU exits with 2 * 0x30 + 1 */
#define DEBUG_EXIT        0xf4
#define COM1              0x3f8
#define BIG_DESCRIPTOR    64
#define LOW_END           0x100000
#define MORE_DESCRIPTORS  2000
#define CR0_TS_EM         0xcull
#define CR0_WP_NE         0x10020ull
#define CR4_SSE           0x600ull /* OSFXSR, OSXMMEXCPT. SDM volume 3, 2.5 */
#define LAPIC_LVT_TIMER   0x320
#define LAPIC_TIMER_COUNT 0x380
#define LVT_PERIODIC      (1u << 17) /* SDM volume 3, 10.5.4 */

void shim_la57(void *pml5_page); /* shim_la57.asm */
/* shim_acpi.c: writes the entries for baretick; returns their number. */
UINTN shim_acpi(const EFI_SYSTEM_TABLE *real, BOOLEAN (*mode)(const char *),
                void (*fail)(const char *), EFI_CONFIGURATION_TABLE *config, UINTN most);
/* shim_gop.c */
void shim_gop(EFI_SYSTEM_TABLE *real, EFI_BOOT_SERVICES *baretick, BOOLEAN (*mode)(const char *));
EFI_RUNTIME_SERVICES *shim_reset(EFI_SYSTEM_TABLE *real, BOOLEAN (*mode)(const char *));
void shim_mp(EFI_SYSTEM_TABLE *real, BOOLEAN (*mode)(const char *)); /* shim_mp.c */
void shim_mp_after(EFI_SYSTEM_TABLE *real, void (*say)(const char *));

static EFI_SYSTEM_TABLE *real, copy;
static EFI_BOOT_SERVICES services;
static EFI_CONFIGURATION_TABLE config[64];
static SIMPLE_TEXT_OUTPUT_INTERFACE console;
static char text[4096];
static UINTN text_size;
static unsigned exit_calls, map_calls;
static void *pml5;
static BOOLEAN grown;

static void out8(UINT16 port, UINT8 v)
{
    __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port));
}

static void say(const char *s)
{
    for (; *s; s++) {
        out8(COM1, (UINT8)*s); /* QEMU's port takes a byte at any time */
    }
}

static void __attribute__((noreturn)) end(const char *why)
{
    say("\r\nshim: ");
    say(why);
    say("\r\n");
    out8(DEBUG_EXIT, STATUS_FORBIDDEN);
    for (;;) {
    }
}

/* Tests whether the first line has this word. */
static BOOLEAN mode(const char *word)
{
    for (UINTN i = 0; i < text_size && text[i] != '\n';) {
        UINTN n = 0;
        while (word[n] && text[i + n] == word[n]) {
            n++;
        }
        if (!word[n] && (text[i + n] == ' ' || text[i + n] == '\n' || !text[i + n])) {
            return TRUE;
        }
        while (i < text_size && text[i] != ' ' && text[i] != '\n') {
            i++;
        }
        while (text[i] == ' ') {
            i++;
        }
    }
    return FALSE;
}

static EFI_STATUS EFIAPI forbidden(void)
{
    end("a firmware call after ExitBootServices had failed once");
}

static EFI_STATUS EFIAPI output(SIMPLE_TEXT_OUTPUT_INTERFACE *self, CHAR16 *string)
{
    (void)self; /* firmware finds its private data by the address of its own interface */
    return real->ConOut->OutputString(real->ConOut, string);
}

static void forbid_all_but_leaving(void)
{
    void **entry = (void **)&services.RaiseTPL;

    for (; (UINT8 *)entry < (UINT8 *)(&services + 1); entry++) {
        *entry = (void *)forbidden;
    }
    console.OutputString = (void *)forbidden;
}

/* Reserves all memory below 1 MiB (UEFI 2.10 table 7.6: type 0). */
static void take_low_memory(UINT8 *map, UINTN size, UINTN each)
{
    for (UINTN at = 0; at + each <= size; at += each) {
        EFI_MEMORY_DESCRIPTOR *d = (EFI_MEMORY_DESCRIPTOR *)(void *)(map + at);
        if (d->PhysicalStart < LOW_END) {
            d->Type = EfiReservedMemoryType;
        }
    }
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *at)
{
    grown = mode("map-grows");
    if (mode("no-low") && how == AllocateMaxAddress && *at < LOW_END) {
        return EFI_OUT_OF_RESOURCES;
    }
    return real->BootServices->AllocatePages(how, type, pages, at);
}

static EFI_STATUS long_map(UINTN *size, UINT8 *map, const UINT8 *plain, UINTN n, UINTN step)
{
    UINTN need = n + MORE_DESCRIPTORS * step, room = *size, done = 0;

    *size = need;
    if (room < need || !map) {
        return EFI_BUFFER_TOO_SMALL;
    }
    for (UINTN at = 0; at < n; at += step) {
        EFI_MEMORY_DESCRIPTOR d = *(const EFI_MEMORY_DESCRIPTOR *)(const void *)(plain + at);
        UINTN pieces = 1;
        if (d.Type == EfiConventionalMemory && d.NumberOfPages > MORE_DESCRIPTORS && !done) {
            pieces += done = MORE_DESCRIPTORS;
        }
        for (; pieces; pieces--, map += step) {
            EFI_MEMORY_DESCRIPTOR *one = (EFI_MEMORY_DESCRIPTOR *)(void *)map;
            *one = d;
            one->NumberOfPages = pieces > 1 ? 1 : d.NumberOfPages;
            d.PhysicalStart += 4096;
            d.NumberOfPages--;
        }
    }
    if (!done) {
        end("no region of free memory that is large enough");
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                    UINTN *each, UINT32 *version)
{
    static UINT8 plain[65536];
    UINTN n = sizeof plain, step;

    map_calls++;
    if (!mode("descsize") && !mode("map-long") && !grown) {
        EFI_STATUS got = real->BootServices->GetMemoryMap(size, map, key, each, version);
        if (!EFI_ERROR(got) && mode("no-low")) {
            take_low_memory((UINT8 *)map, *size, *each);
        }
        return got;
    }
    EFI_STATUS status = real->BootServices->GetMemoryMap(&n, (void *)plain, key, &step, version);
    if (EFI_ERROR(status)) {
        end("GetMemoryMap failed");
    }
    if (mode("map-long") || grown) {
        *each = step;
        return long_map(size, (UINT8 *)map, plain, n, step);
    }
    *each = BIG_DESCRIPTOR;
    UINTN need = n / step * BIG_DESCRIPTOR, room = *size;
    *size = need;
    if (room < need || !map) {
        return EFI_BUFFER_TOO_SMALL;
    }
    for (UINTN i = 0; i < n / step; i++) {
        for (UINTN k = 0; k < BIG_DESCRIPTOR; k++) {
            ((UINT8 *)map)[i * BIG_DESCRIPTOR + k] = k < step ? plain[i * step + k] : 0xa5;
        }
    }
    return EFI_SUCCESS;
}

static UINT64 apic_base(void)
{
    UINT32 lo, hi;

    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(0x1b)); /* IA32_APIC_BASE */
    return ((UINT64)hi << 32 | lo) & ~0xfffull;
}

static void x2apic(void)
{
    UINT32 lo, hi;

    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(0x1b));
    lo |= 0xc00; /* EXTD and EN. SDM volume 3, 11.12.1 */
    __asm__ volatile("wrmsr" : : "a"(lo), "d"(hi), "c"(0x1b));
}

static void mess(void)
{
    UINT32 mxcsr = 0;
    UINT16 control = 0x0300;

    __asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(mxcsr), "m"(control));
    out8(0x21, 0);
    out8(0xa1, 0);
    out8(0x43, 0x34); /* PIT channel 0, a rate generator, about 1 kHz */
    out8(0x40, 0xa9);
    out8(0x40, 0x04);
    *(volatile UINT32 *)(apic_base() + LAPIC_LVT_TIMER) = LVT_PERIODIC | 0x40;
    *(volatile UINT32 *)(apic_base() + LAPIC_TIMER_COUNT) = 10000;
    UINT64 cr0;
    __asm__ volatile("mov %%cr0, %0; and %1, %0; mov %0, %%cr0" : "=&r"(cr0) : "r"(~CR0_WP_NE));
}

static void sse_off(void)
{
    UINT64 v;

    __asm__ volatile("mov %%cr4, %0; and %1, %0; mov %0, %%cr4" : "=&r"(v) : "r"(~CR4_SSE));
    __asm__ volatile("mov %%cr0, %0; or %1, %0; mov %0, %%cr0" : "=&r"(v) : "r"(CR0_TS_EM));
}

static EFI_STATUS EFIAPI exit_boot_services(EFI_HANDLE image, UINTN key)
{
    static unsigned maps_at_failure;

    exit_calls++;
    if (mode("exit-fails") || (mode("exit-fails-once") && exit_calls == 1)) {
        void *one;
        forbid_all_but_leaving();
        services.GetMemoryMap = memory_map;
        services.ExitBootServices = exit_boot_services;
        maps_at_failure = map_calls;
        /* The firmware itself must refuse the key, because the map has changed meanwhile. */
        real->BootServices->AllocatePages(AllocateAnyPages, EfiLoaderData, 1, (void *)&one);
        return mode("exit-fails") ? EFI_INVALID_PARAMETER
                                  : real->BootServices->ExitBootServices(image, key);
    }
    if (exit_calls > 1 && maps_at_failure == map_calls) {
        end("ExitBootServices again without a new memory map");
    }
    EFI_STATUS status = real->BootServices->ExitBootServices(image, key);
    if (EFI_ERROR(status)) {
        return status;
    }
    if (mode("la57")) {
        shim_la57(pml5);
    }
    if (mode("x2apic")) {
        x2apic();
    }
    if (mode("mess")) {
        mess();
    }
    if (mode("sse-off")) {
        sse_off();
    }
    return status;
}

static void check(EFI_STATUS status, const char *what)
{
    if (EFI_ERROR(status)) {
        end(what);
    }
}

/* Copies the tables for baretick alone; the firmware's drivers continue to use the originals. */
static void change_tables(void)
{
    copy = *real;
    services = *real->BootServices;
    copy.BootServices = &services;
    copy.RuntimeServices = shim_reset(real, mode);
    console.OutputString = output;
    if (mode("no-conout")) {
        copy.ConOut = NULL;
        copy.ConsoleOutHandle = NULL;
        copy.StdErr = NULL;
        copy.StandardErrorHandle = NULL;
    } else if (mode("exit-fails") || mode("exit-fails-once")) {
        copy.ConOut = &console;
    }
    services.GetMemoryMap = memory_map;
    services.ExitBootServices = exit_boot_services;
    services.AllocatePages = allocate_pages;
    copy.ConfigurationTable = config;
    copy.NumberOfTableEntries = shim_acpi(real, mode, end, config, sizeof config / sizeof *config);
    services.Hdr.CRC32 = 0;
    real->BootServices->CalculateCrc32(&services, services.Hdr.HeaderSize, &services.Hdr.CRC32);
    copy.Hdr.CRC32 = 0;
    real->BootServices->CalculateCrc32(&copy, copy.Hdr.HeaderSize, &copy.Hdr.CRC32);
}

/* Reads a file of this program's volume, up to *size bytes; FALSE: there is no such file. */
static BOOLEAN read_file(EFI_LOADED_IMAGE *self, CHAR16 *name, void *to, UINTN *size)
{
    static EFI_GUID fs_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_FILE_IO_INTERFACE *fs;
    EFI_FILE_HANDLE root, file;

    if (EFI_ERROR(real->BootServices->HandleProtocol(self->DeviceHandle, &fs_guid, (void **)&fs)) ||
        EFI_ERROR(fs->OpenVolume(fs, &root)) ||
        EFI_ERROR(root->Open(root, &file, name, EFI_FILE_MODE_READ, 0))) {
        return FALSE;
    }
    check(file->Read(file, size, to), "cannot read a file");
    file->Close(file);
    root->Close(root);
    return TRUE;
}

static BOOLEAN read_text(EFI_LOADED_IMAGE *self)
{
    text_size = sizeof text - 1;
    return read_file(self, L"\\shim.txt", text, &text_size);
}

/* EFI_ACPI_TABLE_PROTOCOL (UEFI 2.10, 20.2) sets the checksums. The lengths are set here. */
static void add_tables(EFI_LOADED_IMAGE *self)
{
    struct acpi_table_protocol {
        EFI_STATUS(EFIAPI *install)(struct acpi_table_protocol *, void *, UINTN, UINTN *);
        EFI_STATUS(EFIAPI *uninstall)(struct acpi_table_protocol *, UINTN);
    };
    struct acpi_table_protocol *acpi;
    static EFI_GUID guid = {
        0xffe06bdd, 0x6107, 0x46a6, {0x7b, 0xb2, 0x5a, 0x9c, 0x7e, 0xc5, 0x27, 0x5c}};
    static CHAR16 name[] = L"\\table0";
    static UINT8 table[65536] __attribute__((aligned(8)));
    UINTN size, key;
    check(real->BootServices->LocateProtocol(&guid, NULL, (void **)&acpi), "no ACPI protocol");
    for (; size = sizeof table, read_file(self, name, table, &size); name[6]++) {
        *(UINT32 *)(void *)(table + 4) = (UINT32)size;
        check(acpi->install(acpi, table, size, &key), "the firmware does not take a table");
    }
}

/* Makes the device path of \baretick.efi: the volume's, then one file path node. UEFI 2.10,
 * 10.3.5.4. */
static EFI_DEVICE_PATH *program_path(EFI_LOADED_IMAGE *self)
{
    static EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
    static const CHAR16 name[] = L"\\baretick.efi";
    static UINT8 path[512];
    UINT8 *volume;
    UINTN n = 0;

    check(real->BootServices->HandleProtocol(self->DeviceHandle, &path_guid, (void **)&volume),
          "the volume has no device path");
    while (volume[n] != 0x7f && n < sizeof path - 64) {
        UINTN length = volume[n + 2] | volume[n + 3] << 8;
        for (UINTN i = 0; i < length && n + i < sizeof path - 64; i++) {
            path[n + i] = volume[n + i];
        }
        n += length;
    }
    UINT8 *node = path + n;
    node[0] = 4;
    node[1] = 4;
    node[2] = 4 + sizeof name;
    node[3] = 0;
    for (UINTN i = 0; i < sizeof name; i++) {
        node[4 + i] = ((const UINT8 *)name)[i];
    }
    node += 4 + sizeof name;
    node[0] = 0x7f;
    node[1] = 0xff;
    node[2] = 4;
    node[3] = 0;
    return (EFI_DEVICE_PATH *)path;
}

static void __attribute__((noreturn)) hang(EFI_LOADED_IMAGE *self)
{
    const CHAR16 *words = self->LoadOptions;

    for (UINTN i = 0; i + 4 <= self->LoadOptionsSize / 2; i++) {
        if (words[i] == 't' && words[i + 1] == 'a' && words[i + 2] == 'l' && words[i + 3] == 'k') {
            say("\r\nshim: talks, and no more\r\n");
        }
    }
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    static EFI_GUID image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *self, *child;
    EFI_HANDLE program;

    real = table;
    check(real->BootServices->HandleProtocol(image, &image_guid, (void **)&self), "who am I?");
    if (!read_text(self)) {
        hang(self);
    }
    if (mode("tables")) {
        add_tables(self);
    }
    EFI_PHYSICAL_ADDRESS page = 0xffffffff;
    check(real->BootServices->AllocatePages(AllocateMaxAddress, EfiLoaderData, 1, &page), "memory");
    pml5 = (void *)page;
    check(real->BootServices->LoadImage(FALSE, image, program_path(self), NULL, 0, &program),
          "cannot load baretick.efi");
    check(real->BootServices->HandleProtocol(program, &image_guid, (void **)&child), "the child");
    UINTN line = 0;
    while (line < text_size && text[line] != '\n') {
        line++;
    }
    if (line + 1 < text_size) {
        child->LoadOptions = text + line + 1;
        child->LoadOptionsSize = (UINT32)(text_size - line - 1);
    }
    change_tables();
    child->SystemTable = &copy;
    shim_gop(real, &services, mode);
    shim_mp(real, mode);
    EFI_STATUS status = real->BootServices->StartImage(program, NULL, NULL);
    shim_mp_after(real, say);
    say(EFI_ERROR(status) ? "\r\nshim: it returned an error\r\n" : "\r\nshim: it returned\r\n");
    for (;;) {
        __asm__ volatile("hlt");
    }
}
