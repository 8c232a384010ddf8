/*
 * Files on servers, by the protocol of their URL, through the firmware's drivers: http.c and
 * tftp.c. Both use a driver in the same way: a child of it, and bounded waits (network.c). Source
 * of every call: UEFI 2.10 sections 7.1 (events) and 11.6 (service binding).
 */
#ifndef BOOT_NETWORK_H
#define BOOT_NETWORK_H

#include "boot/boot.h"

/* A transfer of a whole file, from the server or to it. */
struct transfer {
    const struct network_file *file;
    bool put;
    void *bytes;
    size_t size; /* to get it: the room, and then the file's size */
    struct network_failure *failure;
};

/* GET and PUT by HTTP or HTTPS, with basic authentication. Redirections are not followed. Source:
 * UEFI 2.10 section 29.6, RFC 9110. */
bool http_transfer(struct boot *b, const struct url *url, struct transfer *t);
/* TFTP, by the firmware's MTFTP driver. Source: UEFI 2.10 section 30.3, RFC 1350, RFC 2348 (the
 * size of a block). */
bool tftp_transfer(struct boot *b, const struct url *url, struct transfer *t);
/* Sets why the transfer failed, unless that is set already. Returns false. */
bool transfer_fails(struct transfer *t, const char *what);

struct service {
    struct boot *b;
    EFI_SERVICE_BINDING *binding;
    EFI_HANDLE child;
    void *protocol;
    EFI_EVENT done, timer; /* done: for the driver's token; timer: the end of all waits */
};

/* Creates a child of the driver on the program's network device, which `protocol` then is of. All
 * its waits together take at most `seconds`. False: the transfer fails; nothing is open. */
bool service_open(struct service *s, struct boot *b, const EFI_GUID *binding,
                  const EFI_GUID *protocol, unsigned seconds, struct transfer *t);
void service_close(struct service *s);

/* A driver's Poll(). */
typedef EFI_STATUS(EFIAPI *service_poll)(void *protocol);
/* Waits until `done` is signalled. False: the time is up; the driver still has its token. */
bool service_wait(struct service *s, service_poll poll);

#endif
