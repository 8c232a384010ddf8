/*
 * Starts as an EFI program, makes itself the host, and starts \baretick.efi in the guest. Firmware
 * starts applications only, and frees their memory with the boot services: it continues in a copy
 * that stays. The image has no relocations; the Makefile checks this.
 */
#include <efi.h>
#include "imp.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

static EFI_SYSTEM_TABLE *st;

static void say(const char *s)
{
    for (; *s; s++)
        out8(COM2, (u8)*s); /* QEMU's port takes a byte at any time */
}

void log_words(const char *word, u64 v)
{
    int begun = 0;

    say(word);
    say(" ");
    for (int i = 60; i >= 0; i -= 4) {
        u8 digit = v >> i & 15;
        begun |= digit || i == 0;
        if (begun)
            out8(COM2, (u8) "0123456789abcdef"[digit]);
    }
    say(" ");
}

void log_end_line(void)
{
    say("\n");
}

/* The firmware's console is on this port too. */
void log_heading(void)
{
    say("\nimpersonator\n");
}

void fail(const char *why, u64 a, u64 b)
{
    log_heading();
    log_words(why, a);
    log_words("and", b);
    log_end_line();
    out8(END_PORT, 0x31);
    for (;;)
        __asm__ volatile("cli; hlt");
}

static void check(EFI_STATUS s, const char *what)
{
    if (EFI_ERROR(s))
        fail(what, s, 0);
}

void *pages(u64 n, u64 limit)
{
    EFI_PHYSICAL_ADDRESS p = limit;

    check(st->BootServices->AllocatePages(AllocateMaxAddress, EfiRuntimeServicesData, n, &p),
          "no memory");
    for (u64 i = 0; i < n * PAGE / 8; i++)
        ((u64 *)p)[i] = 0;
    return (void *)p;
}

/* Reads the whole machine.bin, of at most 1 MiB. */
static struct machine *read_machine(EFI_FILE_HANDLE root)
{
    static CHAR16 name[] = L"\\machine.bin";
    EFI_FILE_HANDLE f;
    UINTN size = 1 << 20;
    struct machine *m = pages(size / PAGE, ~0u);

    check(root->Open(root, &f, name, EFI_FILE_MODE_READ, 0), "no \\machine.bin");
    check(f->Read(f, &size, m), "\\machine.bin cannot be read");
    f->Close(f);
    if (size < sizeof *m || m->magic != MAGIC ||
        size != sizeof *m + m->rows * sizeof(struct row) + m->msrs * sizeof(struct msr))
        fail("\\machine.bin is not complete", size, m->magic);
    if (m->cores == 0 || m->cores > CORES)
        fail("\\machine.bin: too many cores", m->cores, 0);
    return m;
}

static void *file_path(EFI_HANDLE device)
{
    static EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
    static const CHAR16 name[] = L"\\baretick.efi";
    u8 *volume, *path = pages(1, ~0u);
    UINTN n = 0;

    check(st->BootServices->HandleProtocol(device, &path_guid, (void **)&volume), "no device path");
    while (volume[n] != 0x7f)
        n += volume[n + 2] | volume[n + 3] << 8;
    for (UINTN i = 0; i < n; i++)
        path[i] = volume[i];
    /* A file path node (UEFI 2.10, 10.3.5.4), the end. */
    u8 node[] = {4, 4, 4 + sizeof name, 0}, end[] = {0x7f, 0xff, 4, 0};
    for (UINTN i = 0; i < 4; i++) {
        path[n + i] = node[i];
        path[n + 4 + sizeof name + i] = end[i];
    }
    for (UINTN i = 0; i < sizeof name; i++)
        path[n + 4 + i] = ((const u8 *)name)[i];
    return path;
}

/* The host's map: the first 512 GiB as they are. */
static void make_host_map(void)
{
    u64 *top = pages(2, ~0u), *next = top + PAGE / 8;

    top[0] = (u64)next | 7;
    for (u64 i = 0; i < PAGE / 8; i++)
        next[i] = i << 30 | 0x87; /* present, writable, user, 1 GiB */
    host_cr3 = (u64)top;
}

static EFI_STATUS go(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    static EFI_GUID image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    static EFI_GUID volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *self;
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root;
    EFI_HANDLE program;
    void *path;

    st = table;
    EFI_BOOT_SERVICES *bs = st->BootServices;
    check(bs->HandleProtocol(image, &image_guid, (void **)&self), "not loaded by firmware");
    check(bs->HandleProtocol(self->DeviceHandle, &volume_guid, (void **)&volume), "no volume");
    check(volume->OpenVolume(volume, &root), "the volume cannot be opened");
    machine = read_machine(root);
    path = file_path(self->DeviceHandle);
    make_host_map();
    for (u64 i = 0; i < machine->cores; i++)
        exits_prepare(&cores[i]);
    cores_prepare();
    check(bs->LoadImage(FALSE, image, path, NULL, 0, &program), "\\baretick.efi cannot be loaded");
    exits_virtualise(&cores[0]);
    log_begin();
    EFI_STATUS s = bs->StartImage(program, NULL, NULL);
    log_report("returned", s);
    out8(END_PORT, 0x10);
    return s;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    extern char ImageBase[], _end[];
    u64 size = (u64)(_end - ImageBase);
    EFI_PHYSICAL_ADDRESS to = ~0u;

    st = table;
    check(st->BootServices->AllocatePages(AllocateMaxAddress, EfiRuntimeServicesCode, size / PAGE,
                                          &to),
          "no memory for a copy");
    for (u64 i = 0; i < size; i++)
        ((char *)to)[i] = ImageBase[i];
    EFI_STATUS(*there)
    (EFI_HANDLE, EFI_SYSTEM_TABLE *) = (void *)(to + (u64)((char *)go - ImageBase));
    return there(image, table);
}
