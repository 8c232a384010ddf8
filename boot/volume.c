#include "boot/volume.h"

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

EFI_STATUS file_read(EFI_FILE_HANDLE file, uint8_t *bytes, size_t n, size_t *got)
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
