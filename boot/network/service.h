/* One use of a network driver of the firmware: its child, and bounded waits. Source of every call:
 * UEFI 2.10 sections 7.1 (events) and 11.6 (service binding). */
#ifndef BOOT_NETWORK_SERVICE_H
#define BOOT_NETWORK_SERVICE_H

#include "boot/network/network.h"

struct service {
    struct network *n;
    EFI_SERVICE_BINDING *binding;
    EFI_HANDLE child;
    void *protocol;
    EFI_EVENT done, timer; /* done: for the driver's token; timer: the end of all waits */
};

/* Creates a child of the driver on the program's network device, which `protocol` then is of. All
 * its waits together take at most `seconds`. False: *f; nothing is open. */
bool service_open(struct service *s, struct network *n, EFI_GUID binding, EFI_GUID protocol,
                  unsigned seconds, struct network_failure *f);
void service_close(struct service *s);

/* A driver's Poll(). */
typedef EFI_STATUS(EFIAPI *service_poll)(void *protocol);
/* Waits until `done` is signalled. False: the time is up; the driver still has its token. */
bool service_wait(struct service *s, service_poll poll);

#endif
