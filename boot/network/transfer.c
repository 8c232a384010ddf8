#include "boot/network/transfer.h"

#include "boot/network/http.h"
#include "boot/network/tftp.h"

static bool parse(struct url *url, const char *text, struct network_failure *f)
{
    *f = (struct network_failure){0};
    if (url_parse(url, text))
        return true;
    f->what = "not a URL of http, https or tftp";
    return false;
}

bool network_get(struct network *n, const struct network_file *file, void *bytes, size_t room,
                 size_t *size, struct network_failure *f)
{
    struct url url;

    *size = 0;
    if (!parse(&url, file->url, f))
        return false;
    return url.scheme == URL_TFTP ? tftp_get(n, &url, bytes, room, size, f)
                                  : http_get(n, file->url, file->login, bytes, room, size, f);
}

bool network_put(struct network *n, const struct network_file *file, const void *bytes, size_t size,
                 struct network_failure *f)
{
    struct url url;

    if (!parse(&url, file->url, f))
        return false;
    return url.scheme == URL_TFTP ? tftp_put(n, &url, bytes, size, f)
                                  : http_put(n, file->url, file->login, bytes, size, f);
}
