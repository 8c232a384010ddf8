#include "boot/network/http.h"

#include "boot/network/protocols.h"
#include "boot/network/service.h"
#include "lib/network/base64.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define TRANSFER_S 120 /* request and response together */
#define TEXT_MOST  256 /* bytes of a header's value */
#define URL_ROOM   (URL_MOST + 64)
#define HTTP_1_1   1

/* A request, with the memory that its parts need. */
struct exchange {
    struct service s;
    struct http *http;
    CHAR16 url[URL_ROOM];
    bool secure; /* https */
    bool far;    /* PXE started the program, and the server is on another network */
    char host[URL_MOST], length[24], login[TEXT_MOST];
    struct http_header header[4];
    UINTN headers;
};

/* Returns the status code of the protocol's number (UEFI 29.6, EFI_HTTP_STATUS_CODE); 0: a code
 * that the driver does not know. */
static unsigned status_code(UINT32 number)
{
    static const uint16_t codes[] = {0,   100, 101, 200, 201, 202, 203, 204, 205, 206, 300,
                                     301, 302, 303, 304, 305, 307, 400, 401, 402, 403, 404,
                                     405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415,
                                     416, 417, 500, 501, 502, 503, 504, 505, 308};

    return number < sizeof codes / sizeof codes[0] ? codes[number] : 0;
}

static bool fails(struct network_failure *f, const char *what)
{
    if (!f->what)
        f->what = what;
    return false;
}

static void add(struct exchange *x, const char *name, char *value)
{
    x->header[x->headers++] = (struct http_header){(char *)name, value};
}

/* A host that is not an IPv4 address counts as near. */
static bool is_far(const struct boot_path *from, const struct url *url)
{
    uint8_t address[4];

    return !from->uri[0] && url_host_ipv4(url, address) && boot_path_is_far(from, address);
}

static void make_headers(struct exchange *x, const struct url *url, const char *login,
                         const size_t *size)
{
    size_t basic;

    x->secure = url->scheme == URL_HTTPS;
    x->far = is_far(&x->s.n->from, url);
    (void)str_copy(x->host, sizeof x->host, url->host, url->host_n);
    add(x, "Host", x->host);
    add(x, "User-Agent", (char *)"baretick");
    if (login[0]) {
        basic = fmt_buf(x->login, sizeof x->login, "Basic ");
        base64_encode(x->login + basic, sizeof x->login - basic, login, strlen(login));
        add(x, "Authorization", x->login);
    }
    if (size) {
        fmt_buf(x->length, sizeof x->length, "%zu", *size);
        add(x, "Content-Length", x->length);
    }
}

static bool open(struct exchange *x, struct network *n, const char *text, struct network_failure *f)
{
    static const EFI_GUID binding = {
        0xbdc8e6af, 0xd9bc, 0x4379, {0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c}};
    static const EFI_GUID guid = {
        0x7a59b29b, 0x910b, 0x4171, {0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b}};
    struct http_access_point point = {0};
    struct http_config config = {
        .version = HTTP_1_1, .milliseconds = TRANSFER_S * 1000, .point = &point};
    size_t i = 0;

    *x = (struct exchange){.headers = 0};
    do
        x->url[i] = (CHAR16)(uint8_t)text[i];
    while (text[i++] && i < URL_ROOM);
    if (i == URL_ROOM)
        return fails(f, "its URL is too long");
    if (!service_open(&x->s, n, binding, guid, TRANSFER_S, f))
        return false;
    x->http = x->s.protocol;
    memcpy(point.address, n->from.address, sizeof point.address);
    memcpy(point.mask, n->from.mask, sizeof point.mask);
    f->status = x->http->configure(x->http, &config);
    if (!EFI_ERROR(f->status))
        return true;
    service_close(&x->s);
    return fails(f, "the firmware's HTTP driver cannot be configured");
}

typedef EFI_STATUS(EFIAPI *operation)(void *self, struct http_token *t);

/* Gives the driver a message and waits for it. */
static bool run(struct exchange *x, operation operation, struct http_message *message,
                struct network_failure *f)
{
    struct http_token t = {.event = x->s.done, .status = EFI_NOT_READY, .message = message};

    f->status = operation(x->http, &t);
    if (EFI_ERROR(f->status))
        return false;
    if (!service_wait(&x->s, x->http->poll)) {
        x->http->cancel(x->http, &t);
        f->status = EFI_TIMEOUT;
        return false;
    }
    f->status = t.status;
    return !EFI_ERROR(f->status);
}

/* Returns why a request was not sent. The statuses are those of EDK II. */
static const char *why_not_sent(const struct exchange *x, EFI_STATUS status)
{
    if (!x->secure)
        return "the request cannot be sent by the firmware's HTTP driver";
    if (status == EFI_NOT_FOUND)
        return "https: the firmware has no certificates of authorities (variable TlsCaCertificate)";
    return "https: the firmware has no TLS, or does not trust the server's certificate";
}

static bool request(struct exchange *x, enum http_method method, const void *body, size_t size,
                    struct network_failure *f)
{
    struct http_request request = {method, x->url};
    struct http_message message = {.data.request = &request,
                                   .headers = x->headers,
                                   .header = x->header,
                                   .size = size,
                                   .body = (void *)body};

    if (run(x, x->http->request, &message, f))
        return true;
    if (x->far)
        f->hint =
            "the firmware's HTTP driver may have no gateway after PXE; use tftp, HTTP boot, or "
            "a server on the machine's network";
    return fails(f, why_not_sent(x, f->status));
}

/* Takes the body's size from the headers of a response, and frees them. */
static bool take_length(struct exchange *x, struct http_message *m, uint64_t *length)
{
    bool found = false;

    for (UINTN i = 0; i < m->headers; i++) {
        if (str_is_any_case("content-length", m->header[i].name, strlen(m->header[i].name)))
            found = str_u64(m->header[i].value, length);
        x->s.n->bs->FreePool(m->header[i].name);
        x->s.n->bs->FreePool(m->header[i].value);
    }
    if (m->header)
        x->s.n->bs->FreePool(m->header);
    return found;
}

/* Gets the head of the response. `length`: NULL, or gets the size of the body. */
static bool respond(struct exchange *x, uint64_t *length, struct network_failure *f)
{
    struct http_response response = {0};
    struct http_message message = {.data.response = &response};
    bool came = run(x, x->http->response, &message, f), has_length;
    uint64_t ignored;

    has_length = take_length(x, &message, length ? length : &ignored);
    f->code = status_code(response.status);
    f->missing = f->code == 404;
    if (f->code && f->code != 200 && f->code != 201 && f->code != 204)
        return fails(f, "the server answered with HTTP status");
    if (!came)
        return fails(f, "no response from the server");
    if (!f->code)
        return fails(f, "the server answered with an HTTP status that the firmware does not know");
    f->code = 0;
    if (length && !has_length)
        return fails(f, "the response has no Content-Length");
    return true;
}

static bool take_body(struct exchange *x, uint8_t *bytes, size_t size, struct network_failure *f)
{
    for (size_t got = 0; got < size;) { /* ends: every iteration adds bytes or returns */
        struct http_message message = {.size = size - got, .body = bytes + got};

        if (!run(x, x->http->response, &message, f) || message.size == 0)
            return fails(f, "the response is incomplete");
        got += message.size;
    }
    return true;
}

bool http_get(struct network *n, const char *text, const char *login, void *bytes, size_t room,
              size_t *size, struct network_failure *f)
{
    struct exchange x;
    struct url url;
    uint64_t length;
    bool got;

    if (!url_parse(&url, text))
        return fails(f, "not a URL");
    if (!open(&x, n, text, f))
        return false;
    make_headers(&x, &url, login, NULL);
    got = request(&x, HTTP_GET, NULL, 0, f) && respond(&x, &length, f) &&
          (length <= room || fails(f, "the file is larger than expected")) &&
          take_body(&x, bytes, length, f);
    service_close(&x.s);
    if (got)
        *size = length;
    return got;
}

bool http_put(struct network *n, const char *text, const char *login, const void *bytes,
              size_t size, struct network_failure *f)
{
    struct exchange x;
    struct url url;
    bool put;

    if (!url_parse(&url, text))
        return fails(f, "not a URL");
    if (!open(&x, n, text, f))
        return false;
    make_headers(&x, &url, login, &size);
    put = request(&x, HTTP_PUT, bytes, size, f) && respond(&x, NULL, f);
    service_close(&x.s);
    return put;
}
