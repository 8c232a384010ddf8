/* EFI_HTTP_PROTOCOL and EFI_MTFTP4_PROTOCOL, which GNU-EFI does not declare. Source: UEFI 2.10
 * sections 29.6 and 30.3. */
#ifndef BOOT_NETWORK_PROTOCOLS_H
#define BOOT_NETWORK_PROTOCOLS_H

#include <efi.h>

/* --- HTTP ------------------------------------------------------------------------------------- */

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

/* --- MTFTP ------------------------------------------------------------------------------------ */

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
