/* The volume that the program was loaded from: it has baretick.conf in its root, and gets the
 * reports. Source of every call: UEFI 2.10 sections 13.4 and 13.5. */
#ifndef BOOT_VOLUME_H
#define BOOT_VOLUME_H

#include "boot/boot.h"

/* The result of a file's GetInfo, with room for the name of up to 255 characters after it (UEFI
 * 13.5.16). */
union file_info {
    EFI_FILE_INFO info;
    uint8_t room[sizeof(EFI_FILE_INFO) + 256 * sizeof(CHAR16)];
};

/* Opens the root folder. If the firmware names no such volume, *root is NULL, which is not an
 * error. */
EFI_STATUS volume_open(const struct boot *b, EFI_FILE_HANDLE *root);
EFI_STATUS file_info(EFI_FILE_HANDLE file, union file_info *info);
/* Returns the bytes of a file of at most `most` bytes in pool memory, for the caller to free. NULL:
 * `why` gets the reason. */
uint8_t *file_bytes(const struct boot *b, EFI_FILE_HANDLE file, size_t most, size_t *size,
                    struct sink *why);

#endif
