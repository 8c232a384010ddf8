#include "boot/boot.h"
#include "lib/text/url.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define TRANSFER_S 120 /* request and response together */
#define TEXT_MOST  256 /* bytes of a header's value */
#define URL_ROOM   (URL_MOST + 64)
#define HTTP_1_1   1

/* EFI_HTTP_PROTOCOL, which GNU-EFI does not declare: UEFI 2.10 section 29.6. */
struct http_access_point {
    BOOLEAN use_default_address;
    UINT8 address[4], mask[4];
    UINT16 port; /* 0: any */
};

struct http_config {
    UINT32 version; /* 1: HTTP/1.1 */
    UINT32 milliseconds;
    BOOLEAN is_ipv6;
    struct http_access_point *point;
};

enum http_method { HTTP_GET = 0, HTTP_PUT = 6 };

struct http_request {
    UINT32 method;
    CHAR16 *url;
};

struct http_response {
    UINT32 status; /* EFI_HTTP_STATUS_CODE: 3 is 200 OK */
};

struct http_header {
    char *name, *value;
};

struct http_message {
    union {
        struct http_request *request;
        struct http_response *response;
    } data; /* NULL: more of the body of the last response */
    UINTN headers;
    struct http_header *header;
    UINTN size;
    void *body;
};

struct http_token {
    EFI_EVENT event;
    EFI_STATUS status;
    struct http_message *message;
};

struct http {
    void *get_mode;
    EFI_STATUS(EFIAPI *configure)(void *self, struct http_config *config);
    EFI_STATUS(EFIAPI *request)(void *self, struct http_token *t);
    EFI_STATUS(EFIAPI *cancel)(void *self, struct http_token *t);
    EFI_STATUS(EFIAPI *response)(void *self, struct http_token *t);
    EFI_STATUS(EFIAPI *poll)(void *self);
};

/* A request, with the memory that its parts need. */
struct exchange {
    struct service s;
    struct http *http;
    struct transfer *t;
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

static void make_headers(struct exchange *x, const struct url *url)
{
    const char *login = x->t->file->login;
    size_t basic;

    x->secure = url->scheme == URL_HTTPS;
    x->far = is_far(&x->s.b->network.from, url);
    (void)str_copy(x->host, sizeof x->host, url->host, url->host_n);
    add(x, "Host", x->host);
    add(x, "User-Agent", (char *)"baretick");
    if (login[0]) {
        basic = fmt_buf(x->login, sizeof x->login, "Basic ");
        base64_encode(x->login + basic, sizeof x->login - basic, login, strlen(login));
        add(x, "Authorization", x->login);
    }
    if (x->t->put) {
        fmt_buf(x->length, sizeof x->length, "%zu", x->t->size);
        add(x, "Content-Length", x->length);
    }
}

static bool open_http(struct exchange *x, struct boot *b)
{
    static const EFI_GUID binding = {
        0xbdc8e6af, 0xd9bc, 0x4379, {0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c}};
    static const EFI_GUID guid = {
        0x7a59b29b, 0x910b, 0x4171, {0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b}};
    const struct boot_path *from = &b->network.from;
    const char *text = x->t->file->url;
    struct http_access_point point = {0};
    struct http_config config = {
        .version = HTTP_1_1, .milliseconds = TRANSFER_S * 1000, .point = &point};
    size_t i = 0;

    do
        x->url[i] = (CHAR16)(uint8_t)text[i];
    while (text[i++] && i < URL_ROOM);
    if (i == URL_ROOM)
        return transfer_fails(x->t, "its URL is too long");
    if (!service_open(&x->s, b, &binding, &guid, TRANSFER_S, x->t))
        return false;
    x->http = x->s.protocol;
    memcpy(point.address, from->address, sizeof point.address);
    memcpy(point.mask, from->mask, sizeof point.mask);
    x->t->failure->status = x->http->configure(x->http, &config);
    if (!EFI_ERROR(x->t->failure->status))
        return true;
    service_close(&x->s);
    return transfer_fails(x->t, "the firmware's HTTP driver cannot be configured");
}

typedef EFI_STATUS(EFIAPI *operation)(void *self, struct http_token *t);

/* Gives the driver a message and waits for it. */
static bool run(struct exchange *x, operation operation, struct http_message *message)
{
    struct http_token token = {.event = x->s.done, .status = EFI_NOT_READY, .message = message};
    EFI_STATUS status = operation(x->http, &token);

    if (!EFI_ERROR(status) && service_wait(&x->s, x->http->poll)) {
        status = token.status;
    } else if (!EFI_ERROR(status)) {
        x->http->cancel(x->http, &token);
        status = EFI_TIMEOUT;
    }
    x->t->failure->status = status;
    return !EFI_ERROR(status);
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

static bool request(struct exchange *x)
{
    const struct transfer *t = x->t;
    struct http_request request = {t->put ? HTTP_PUT : HTTP_GET, x->url};
    struct http_message message = {.data.request = &request,
                                   .headers = x->headers,
                                   .header = x->header,
                                   .size = t->put ? t->size : 0,
                                   .body = t->put ? t->bytes : NULL};

    if (run(x, x->http->request, &message))
        return true;
    if (x->far)
        x->t->failure->hint =
            "the firmware's HTTP driver may have no gateway after PXE; use tftp, HTTP boot, or "
            "a server on the machine's network";
    return transfer_fails(x->t, why_not_sent(x, x->t->failure->status));
}

/* Takes the body's size from the headers of a response, and frees them. */
static bool take_length(struct exchange *x, struct http_message *m, uint64_t *length)
{
    EFI_BOOT_SERVICES *bs = x->s.b->bs;
    bool found = false;

    for (UINTN i = 0; i < m->headers; i++) {
        if (str_is_any_case("content-length", m->header[i].name, strlen(m->header[i].name)))
            found = str_u64(m->header[i].value, length);
        bs->FreePool(m->header[i].name);
        bs->FreePool(m->header[i].value);
    }
    if (m->header)
        bs->FreePool(m->header);
    return found;
}

/* Gets the head of the response, and the size of the body that is to be read. */
static bool respond(struct exchange *x, uint64_t *length)
{
    struct network_failure *f = x->t->failure;
    struct http_response response = {0};
    struct http_message message = {.data.response = &response};
    bool came = run(x, x->http->response, &message), has_length;

    has_length = take_length(x, &message, length);
    f->code = status_code(response.status);
    f->missing = f->code == 404;
    if (f->code && f->code != 200 && f->code != 201 && f->code != 204)
        return transfer_fails(x->t, "the server answered with HTTP status");
    if (!came)
        return transfer_fails(x->t, "no response from the server");
    if (!f->code)
        return transfer_fails(
            x->t, "the server answered with an HTTP status that the firmware does not know");
    f->code = 0;
    if (!x->t->put && !has_length)
        return transfer_fails(x->t, "the response has no Content-Length");
    return true;
}

static bool take_body(struct exchange *x, uint8_t *bytes, size_t size)
{
    for (size_t got = 0; got < size;) { /* ends: every iteration adds bytes or returns */
        struct http_message message = {.size = size - got, .body = bytes + got};

        if (!run(x, x->http->response, &message) || message.size == 0)
            return transfer_fails(x->t, "the response is incomplete");
        got += message.size;
    }
    return true;
}

static bool take_file(struct exchange *x, uint64_t length)
{
    if (length > x->t->size)
        return transfer_fails(x->t, "the file is larger than expected");
    x->t->size = length;
    return take_body(x, x->t->bytes, length);
}

bool http_transfer(struct boot *b, const struct url *url, struct transfer *t)
{
    struct exchange x = {.t = t};
    uint64_t length;
    bool done;

    if (!open_http(&x, b))
        return false;
    make_headers(&x, url);
    done = request(&x) && respond(&x, &length) && (t->put || take_file(&x, length));
    service_close(&x.s);
    return done;
}
