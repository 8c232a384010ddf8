/*
 * The network that the program was loaded from, through the firmware's drivers, while boot services
 * are alive. PXE's own calls are not used for files: in EDK II, an answer to a file that is written
 * makes them use an uninitialised pointer (PxeBcMtftp4WriteFile). Source of every call: UEFI 2.10
 * sections 24.3 (PXE base code), 29.6 (HTTP) and 30.3 (MTFTP).
 */
#ifndef BOOT_NETWORK_NETWORK_H
#define BOOT_NETWORK_NETWORK_H

#include <efi.h>
#include <efilib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/network/boot_path.h"
#include "lib/network/url.h"

#define NETWORK_MAC_TEXT 18 /* "52-54-00-12-34-56" */

/* Where the program came from. */
struct network {
    EFI_BOOT_SERVICES *bs;
    EFI_HANDLE image, device;   /* the program, and what it was loaded from */
    EFI_DEVICE_PATH *path;      /* of the program; NULL: unknown */
    struct boot_path from;      /* its parts, and the addresses that PXE has */
    char mac[NETWORK_MAC_TEXT]; /* empty: unknown, so not from a network */
    char folder[URL_MOST];      /* URL of the program's folder; empty: unknown */
    bool from_loader;           /* a loader such as iPXE started it, with a volume */
};

/* Why a transfer failed. */
struct network_failure {
    const char *what;  /* "the server refused it", ... */
    const char *hint;  /* what the user can change; NULL: unknown */
    EFI_STATUS status; /* of the firmware; 0: not from the firmware */
    unsigned code;     /* the server's, of HTTP or TFTP; 0: none */
    bool missing;      /* the server has no such file */
};

/* Fills *n. `device`: from the loaded image. */
void network_open(struct network *n, EFI_BOOT_SERVICES *bs, EFI_HANDLE image, EFI_HANDLE device);
/* Returns a protocol of a handle, or NULL. */
void *network_protocol(const struct network *n, EFI_HANDLE handle, EFI_GUID guid);

#endif
