/* Files by HTTP and HTTPS, through the firmware's HTTP driver: GET and PUT, with basic
 * authentication. Redirections are not followed. Source: UEFI 2.10 section 29.6, RFC 9110. */
#ifndef BOOT_NETWORK_HTTP_H
#define BOOT_NETWORK_HTTP_H

#include "boot/network/network.h"

/* `text` is the URL, without a login; `login` is "user:password" or "". */
bool http_get(struct network *n, const char *text, const char *login, void *bytes, size_t room,
              size_t *size, struct network_failure *f);
bool http_put(struct network *n, const char *text, const char *login, const void *bytes,
              size_t size, struct network_failure *f);

#endif
