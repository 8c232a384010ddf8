#include "lib/config/serial_choice.h"

#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* The PC's four, in the order of the BIOS data area. */
static const struct {
    const char *name;
    uint16_t port;
} com[] = {{"com1", 0x3f8}, {"com2", 0x2f8}, {"com3", 0x3e8}, {"com4", 0x2e8}};

/* Reads the number before `end`, a colon or the text's end; *rest moves past `end`. */
static bool next_number(const char **rest, char end, uint64_t *v)
{
    char number[SERIAL_CHOICE_TEXT];
    size_t n = str_until(*rest, ':');
    bool whole = (*rest)[n] == end && str_copy(number, sizeof number, *rest, n);

    *rest += n + 1;
    return whole && str_u64(number, v);
}

static bool parse_mmio(struct serial_choice *c, const char *text)
{
    uint64_t width, stride;

    c->kind = SERIAL_MMIO;
    if (!next_number(&text, ':', &c->address) || !next_number(&text, ':', &width) ||
        !next_number(&text, '\0', &stride))
        return false;
    if (width != 1 && width != 2 && width != 4)
        return false;
    if (stride < width || stride > 8 || (stride & (stride - 1)) != 0)
        return false;
    c->width = (uint8_t)width;
    c->stride = (uint8_t)stride;
    return c->address >= SERIAL_MMIO_MIN && c->address <= SERIAL_MMIO_MAX &&
           c->address % width == 0;
}

static bool parse_place(struct serial_choice *c, const char *text)
{
    if (str_eq(text, "auto")) {
        c->kind = SERIAL_AUTO;
        return true;
    }
    if (str_starts(text, "mmio:"))
        return parse_mmio(c, text + 5);
    c->kind = SERIAL_PORT;
    for (size_t i = 0; i < sizeof com / sizeof com[0]; i++) {
        if (str_eq(text, com[i].name)) {
            c->port = com[i].port;
            return true;
        }
    }
    uint32_t port;
    if (!str_starts(text, "io:") || !str_u32(text + 3, &port))
        return false;
    c->port = (uint16_t)port;
    return port >= SERIAL_IO_MIN && port <= SERIAL_IO_MAX;
}

bool serial_choice_parse(struct serial_choice *c, const char *text)
{
    struct serial_choice parsed = {.kind = SERIAL_OFF, .baud = SERIAL_BAUD_MAX};

    if (str_eq(text, "off")) {
        *c = parsed;
        return true;
    }
    size_t n = str_until(text, ',');
    char place[SERIAL_CHOICE_TEXT] = "";
    if (!str_copy(place, sizeof place, text, n) || !parse_place(&parsed, place))
        return false;
    if (text[n] == ',') {
        if (!str_u32(text + n + 1, &parsed.baud))
            return false;
        if (parsed.baud < SERIAL_BAUD_MIN || parsed.baud > SERIAL_BAUD_MAX ||
            SERIAL_BAUD_MAX % parsed.baud != 0)
            return false;
        parsed.baud_given = true;
    }
    *c = parsed;
    return true;
}

void serial_choice_text(const struct serial_choice *c, char *out, size_t size)
{
    if (c->kind == SERIAL_OFF)
        fmt_buf(out, size, "off");
    else if (c->kind == SERIAL_AUTO)
        fmt_buf(out, size, "auto,%u", c->baud);
    else if (c->kind == SERIAL_PORT)
        fmt_buf(out, size, "io:0x%x,%u", c->port, c->baud);
    else if (c->baud_given)
        fmt_buf(out, size, "mmio:0x%llx:%u:%u,%u", (unsigned long long)c->address, c->width,
                c->stride, c->baud);
    else
        fmt_buf(out, size, "mmio:0x%llx:%u:%u", (unsigned long long)c->address, c->width,
                c->stride);
}
