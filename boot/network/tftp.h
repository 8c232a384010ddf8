/* Files by TFTP, through the firmware's MTFTP driver. Source: UEFI 2.10 section 30.3, RFC 1350, RFC
 * 2348 (the size of a block). */
#ifndef BOOT_NETWORK_TFTP_H
#define BOOT_NETWORK_TFTP_H

#include "boot/network/network.h"

bool tftp_get(struct network *n, const struct url *url, void *bytes, size_t room, size_t *size,
              struct network_failure *f);
bool tftp_put(struct network *n, const struct url *url, const void *bytes, size_t size,
              struct network_failure *f);

#endif
