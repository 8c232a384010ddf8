#include "boot/boot.h"
#include "lib/text/fmt.h"

EFI_STATUS volume_open(const struct boot *b, EFI_FILE_HANDLE *root)
{
    static const EFI_GUID file_system = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_FILE_IO_INTERFACE *volume =
        b->loaded ? boot_protocol(b, b->loaded->DeviceHandle, &file_system) : NULL;

    *root = NULL;
    return volume ? volume->OpenVolume(volume, root) : EFI_SUCCESS;
}

EFI_STATUS file_info(EFI_FILE_HANDLE file, union file_info *info)
{
    EFI_GUID id = EFI_FILE_INFO_ID;
    UINTN size = sizeof *info;

    return file->GetInfo(file, &id, &size, info);
}

/* Reads the next n bytes; *got is the number read. Fewer than n is an error. */
static EFI_STATUS read_bytes(EFI_FILE_HANDLE file, uint8_t *bytes, size_t n, size_t *got)
{
    for (*got = 0; *got < n;) { /* ends: every iteration adds bytes or returns */
        UINTN size = n - *got;
        EFI_STATUS status = file->Read(file, &size, bytes + *got);

        if (EFI_ERROR(status) || size == 0)
            return EFI_ERROR(status) ? status : EFI_END_OF_FILE;
        *got += size;
    }
    return EFI_SUCCESS;
}

/* Returns whether it is a file of at most this many bytes, or writes why not. */
static bool is_readable(EFI_FILE_HANDLE file, size_t most, size_t *size, struct sink *why)
{
    union file_info u;
    EFI_STATUS status = file_info(file, &u);

    if (EFI_ERROR(status)) {
        fmt(why, "cannot be examined: ");
        boot_status(why, status);
        return false;
    }
    *size = u.info.FileSize;
    if (u.info.Attribute & EFI_FILE_DIRECTORY)
        fmt(why, "is a directory; a file of at most %zu KiB is allowed", most / 1024);
    else if (u.info.FileSize > most)
        fmt(why, "has %lu bytes; at most %zu KiB are allowed", (unsigned long)u.info.FileSize,
            most / 1024);
    return !(u.info.Attribute & EFI_FILE_DIRECTORY) && u.info.FileSize <= most;
}

uint8_t *file_bytes(const struct boot *b, EFI_FILE_HANDLE file, size_t most, size_t *size,
                    struct sink *why)
{
    EFI_STATUS status;
    uint8_t *bytes;
    size_t got;

    if (!is_readable(file, most, size, why))
        return NULL;
    bytes = boot_alloc(b, *size + 1); /* some firmware refuses to allocate 0 bytes */
    if (!bytes) {
        fmt(why, "no memory for its %zu bytes", *size);
        return NULL;
    }
    status = read_bytes(file, bytes, *size, &got);
    if (!EFI_ERROR(status))
        return bytes;
    fmt(why, "cannot be read beyond byte %zu of %zu: ", got, *size);
    boot_status(why, status);
    boot_free(b, bytes);
    return NULL;
}
