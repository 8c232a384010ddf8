#include "lib/serial_choice.h"

#include "lib/fmt.h"
#include "lib/str.h"

/* The PC's four, by the BIOS data area's order. */
static const struct {
    const char *name;
    uint16_t port;
} com[] = {{"com1", 0x3f8}, {"com2", 0x2f8}, {"com3", 0x3e8}, {"com4", 0x2e8}};

static bool parse_place(struct serial_choice *c, const char *text)
{
    if (str_eq(text, "auto")) {
        c->kind = SERIAL_AUTO;
        return true;
    }
    c->kind = SERIAL_PORT;
    for (size_t i = 0; i < sizeof com / sizeof com[0]; i++) {
        if (str_eq(text, com[i].name)) {
            c->port = com[i].port;
            return true;
        }
    }
    uint32_t port;
    if (text[0] != 'i' || text[1] != 'o' || text[2] != ':' || !str_u32(text + 3, &port))
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
    size_t n = 0;
    while (text[n] != '\0' && text[n] != ',')
        n++;
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
    else
        fmt_buf(out, size, "io:0x%x,%u", c->port, c->baud);
}
