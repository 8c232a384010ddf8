/* Base64, for basic authentication. Source: RFC 4648 section 4. */
#ifndef LIB_NETWORK_BASE64_H
#define LIB_NETWORK_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Writes n bytes as text with a NUL. False: they do not fit; the text then is empty. */
bool base64_encode(char *text, size_t size, const char *bytes, size_t n);

#endif
