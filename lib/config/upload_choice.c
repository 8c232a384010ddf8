#include "lib/config/upload_choice.h"

#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

static bool parse_url(struct upload_choice *c, const char *text)
{
    static const char *const schemes[] = {"http", "https", "tftp"};
    struct url url;
    size_t n;

    if (!url_parse(&url, text) || !str_copy(c->login, sizeof c->login, url.login, url.login_n))
        return false;
    n = strlen(url.path);
    fmt_buf(c->url, sizeof c->url, "%s://%.*s%s%s", schemes[url.scheme], (int)url.host_n, url.host,
            url.path, n > 0 && url.path[n - 1] == '/' ? "" : "/");
    return c->url[strlen(c->url) - 1] == '/'; /* otherwise it was cut */
}

bool upload_choice_parse(struct upload_choice *c, const char *text)
{
    struct upload_choice parsed = {.kind = UPLOAD_AUTO};

    if (str_eq(text, "off"))
        parsed.kind = UPLOAD_OFF;
    else if (!str_eq(text, "auto")) {
        parsed.kind = UPLOAD_URL;
        if (!parse_url(&parsed, text))
            return false;
    }
    *c = parsed;
    return true;
}

const char *upload_choice_text(const struct upload_choice *c)
{
    return c->kind == UPLOAD_URL ? c->url : c->kind == UPLOAD_OFF ? "off" : "auto";
}
