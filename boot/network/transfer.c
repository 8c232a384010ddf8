#include "boot/network/transfer.h"

#include "boot/network/tftp.h"

static bool unsupported(struct network_failure *f)
{
    f->what = "only tftp:// is supported";
    return false;
}

bool network_get(struct network *n, const struct network_file *file, void *bytes, size_t room,
                 size_t *size, struct network_failure *f)
{
    struct url url;

    *f = (struct network_failure){0};
    *size = 0;
    return url_parse(&url, file->url) && url.scheme == URL_TFTP
               ? tftp_get(n, &url, bytes, room, size, f)
               : unsupported(f);
}

bool network_put(struct network *n, const struct network_file *file, const void *bytes, size_t size,
                 struct network_failure *f)
{
    struct url url;

    *f = (struct network_failure){0};
    return url_parse(&url, file->url) && url.scheme == URL_TFTP ? tftp_put(n, &url, bytes, size, f)
                                                                : unsupported(f);
}
