/* A URL of a server that keeps reports: http, https, tftp. Source: RFC 3986; of tftp: RFC 3617. */
#ifndef LIB_TEXT_URL_H
#define LIB_TEXT_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define URL_MOST 256 /* bytes of a URL, including the NUL */

enum url_scheme { URL_HTTP, URL_HTTPS, URL_TFTP };

/* Points into the text. */
struct url {
    enum url_scheme scheme;
    const char *login; /* "user:password" before the @; not terminated */
    size_t login_n;    /* 0: none */
    const char *host;  /* with its port; not terminated */
    size_t host_n;
    const char *path; /* from the first / after the host to the end; "" without one */
};

/* False: not such a URL, or longer than URL_MOST - 1 bytes, or with bytes that are not printable
 * ASCII, or with a query or a fragment. tftp: the host is an IPv4 address without a port. */
bool url_parse(struct url *u, const char *text);

/* Reads n bytes as an IPv4 address, "10.0.2.2". */
bool url_ipv4(const char *text, size_t n, uint8_t address[4]);
/* Reads the host, without its port, as an IPv4 address. */
static inline bool url_host_ipv4(const struct url *u, uint8_t address[4])
{
    size_t n = 0;

    while (n < u->host_n && u->host[n] != ':')
        n++;
    return url_ipv4(u->host, n, address);
}

/* Base64, for basic authentication. Source: RFC 4648 section 4. */

/* Writes n bytes as text with a NUL. False: they do not fit; the text then is empty. */
bool base64_encode(char *text, size_t size, const char *bytes, size_t n);

#endif
