/* EFI_HTTP_PROTOCOL, which GNU-EFI does not declare. Source: UEFI 2.10 section 29.6. */
#ifndef BOOT_NETWORK_HTTP_PROTOCOL_H
#define BOOT_NETWORK_HTTP_PROTOCOL_H

#include <efi.h>

#define HTTP_SERVICE_BINDING_GUID                                                                  \
    {                                                                                              \
        0xbdc8e6af, 0xd9bc, 0x4379,                                                                \
        {                                                                                          \
            0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c                                         \
        }                                                                                          \
    }
#define HTTP_GUID                                                                                  \
    {                                                                                              \
        0x7a59b29b, 0x910b, 0x4171,                                                                \
        {                                                                                          \
            0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b                                         \
        }                                                                                          \
    }

struct http_access_point {
    BOOLEAN use_default_address;
    UINT8 address[4], mask[4];
    UINT16 port; /* 0: any */
};

struct http_config {
    UINT32 version; /* 1: HTTP/1.1 */
    UINT32 milliseconds;
    BOOLEAN is_ipv6;
    struct http_access_point *point;
};

enum http_method { HTTP_GET = 0, HTTP_PUT = 6 };

struct http_request {
    UINT32 method;
    CHAR16 *url;
};

struct http_response {
    UINT32 status; /* EFI_HTTP_STATUS_CODE: 3 is 200 OK */
};

struct http_header {
    char *name, *value;
};

struct http_message {
    union {
        struct http_request *request;
        struct http_response *response;
    } data; /* NULL: more of the body of the last response */
    UINTN headers;
    struct http_header *header;
    UINTN size;
    void *body;
};

struct http_token {
    EFI_EVENT event;
    EFI_STATUS status;
    struct http_message *message;
};

struct http {
    void *get_mode;
    EFI_STATUS(EFIAPI *configure)(void *self, struct http_config *config);
    EFI_STATUS(EFIAPI *request)(void *self, struct http_token *t);
    EFI_STATUS(EFIAPI *cancel)(void *self, struct http_token *t);
    EFI_STATUS(EFIAPI *response)(void *self, struct http_token *t);
    EFI_STATUS(EFIAPI *poll)(void *self);
};

#endif
