#include "lib/text/url.h"
#include "lib/text/str.h"

static bool is_plain(const char *text)
{
    size_t n = 0;

    for (; text[n]; n++)
        if (text[n] <= ' ' || text[n] > '~' || text[n] == '"' || text[n] == '?' || text[n] == '#')
            return false;
    return n < URL_MOST;
}

/* Moves *text past the scheme. */
static bool take_scheme(enum url_scheme *scheme, const char **text)
{
    static const char *const names[] = {"http://", "https://", "tftp://"};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!str_starts(*text, names[i]))
            continue;
        *scheme = (enum url_scheme)i;
        while (*(*text)++ != '/')
            ;
        ++*text;
        return true;
    }
    return false;
}

bool url_ipv4(const char *text, size_t n, uint8_t address[4])
{
    for (unsigned i = 0; i < 4; i++) {
        size_t digits = 0;
        uint64_t part;

        while (digits < n && text[digits] != '.')
            digits++;
        if ((i < 3) != (digits < n) || digits > 3 || !str_number(text, digits, 10, 255, &part))
            return false;
        address[i] = (uint8_t)part;
        text += digits + 1;
        n -= digits + (i < 3);
    }
    return true;
}

bool url_parse(struct url *u, const char *text)
{
    uint8_t ignored[4];
    size_t at;

    if (!is_plain(text) || !take_scheme(&u->scheme, &text))
        return false;
    u->host = text;
    u->host_n = str_until(text, '/');
    u->path = text + u->host_n;
    u->login = text;
    for (at = u->host_n; at > 0 && text[at - 1] != '@'; at--)
        ;
    u->login_n = at > 0 ? at - 1 : 0;
    u->host += at;
    u->host_n -= at;
    if (at == 1 || u->host_n == 0) /* an empty login */
        return false;
    return u->scheme != URL_TFTP || (at == 0 && url_ipv4(u->host, u->host_n, ignored));
}

bool base64_encode(char *text, size_t size, const char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    if ((n + 2) / 3 * 4 >= size) {
        text[0] = '\0';
        return false;
    }
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = 0;

        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (i + j < n ? (uint8_t)bytes[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            *text++ = i + j <= n ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    *text = '\0';
    return true;
}
