/* Files on servers, by the protocol of their URL. Every wait is bounded. */
#ifndef BOOT_NETWORK_TRANSFER_H
#define BOOT_NETWORK_TRANSFER_H

#include "boot/network/network.h"

/* A file on a server: its URL, of scheme http, https or tftp, and "user:password" or "". */
struct network_file {
    const char *url, *login;
};

/* Reads a file of at most `room` bytes; *size is the number read. */
bool network_get(struct network *n, const struct network_file *file, void *bytes, size_t room,
                 size_t *size, struct network_failure *f);
/* Writes a file. True: the server has acknowledged all of it. */
bool network_put(struct network *n, const struct network_file *file, const void *bytes, size_t size,
                 struct network_failure *f);

#endif
