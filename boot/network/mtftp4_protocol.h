/* EFI_MTFTP4_PROTOCOL, which GNU-EFI does not declare. Source: UEFI 2.10 section 30.3. */
#ifndef BOOT_NETWORK_MTFTP4_PROTOCOL_H
#define BOOT_NETWORK_MTFTP4_PROTOCOL_H

#include <efi.h>

#define MTFTP4_SERVICE_BINDING_GUID                                                                \
    {                                                                                              \
        0x2fe800be, 0x8f01, 0x4aa6,                                                                \
        {                                                                                          \
            0x94, 0x6b, 0xd7, 0x13, 0x88, 0xe1, 0x83, 0x3f                                         \
        }                                                                                          \
    }
#define MTFTP4_GUID                                                                                \
    {                                                                                              \
        0x78247c57, 0x63db, 0x4708,                                                                \
        {                                                                                          \
            0x99, 0xc2, 0xa8, 0xb4, 0xa9, 0xa6, 0x1f, 0x6b                                         \
        }                                                                                          \
    }

struct mtftp4_config {
    BOOLEAN use_default_setting;
    UINT8 station[4], mask[4];
    UINT16 local_port; /* 0: any */
    UINT8 gateway[4], server[4];
    UINT16 server_port; /* 0: 69 */
    UINT16 tries, seconds;
};

struct mtftp4_option {
    UINT8 *name, *value;
};

struct mtftp4_token {
    EFI_STATUS status;
    EFI_EVENT event;
    void *override;
    UINT8 *file, *mode; /* mode NULL: octet */
    UINT32 options;
    struct mtftp4_option *option;
    UINT64 size;
    void *bytes;
    void *context;
    /* Gets OACK and ERROR packets: the bytes of RFC 1350. */
    EFI_STATUS(EFIAPI *check)(void *self, struct mtftp4_token *t, UINT16 size, UINT8 *packet);
    EFI_STATUS(EFIAPI *timed_out)(void *self, struct mtftp4_token *t);
    EFI_STATUS(EFIAPI *more)(void *self, struct mtftp4_token *t, UINT16 *size, void **bytes);
};

struct mtftp4 {
    void *get_mode;
    EFI_STATUS(EFIAPI *configure)(void *self, struct mtftp4_config *config);
    void *get_info, *parse_options;
    EFI_STATUS(EFIAPI *read)(void *self, struct mtftp4_token *t);
    EFI_STATUS(EFIAPI *write)(void *self, struct mtftp4_token *t);
    void *read_directory;
    EFI_STATUS(EFIAPI *poll)(void *self);
};

#endif
