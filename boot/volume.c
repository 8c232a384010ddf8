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
