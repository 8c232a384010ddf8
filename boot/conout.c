#include "boot/boot.h"

static void flush(struct conout *c)
{
    if (c->used == 0)
        return;
    c->piece[c->used] = 0;
    c->to->OutputString(c->to, c->piece);
    c->used = 0;
}

static void put(struct conout *c, CHAR16 ch)
{
    if (ch == '\n' && !c->after_cr)
        put(c, '\r');
    c->after_cr = ch == '\r';
    if (c->used == CONOUT_PIECE)
        flush(c);
    c->piece[c->used++] = ch;
}

/* Takes one byte of UTF-8 (RFC 3629); its last byte completes a character. */
static void put_byte(struct conout *c, uint8_t byte)
{
    if (c->wanted > 0 && (byte & 0xc0) == 0x80) {
        c->code = c->code << 6 | (byte & 0x3f);
        if (--c->wanted == 0)
            put(c, c->code > 0xffff ? '?' : (CHAR16)c->code);
        return;
    }
    if (c->wanted > 0) { /* cut short */
        put(c, '?');
        c->wanted = 0;
    }
    if (byte < 0x80) {
        put(c, byte);
    } else if ((byte & 0xe0) == 0xc0) {
        c->code = byte & 0x1f;
        c->wanted = 1;
    } else if ((byte & 0xf0) == 0xe0) {
        c->code = byte & 0x0f;
        c->wanted = 2;
    } else if ((byte & 0xf8) == 0xf0) {
        c->code = byte & 0x07;
        c->wanted = 3;
    } else {
        put(c, '?');
    }
}

static void conout_write(struct sink *self, const char *bytes, size_t n)
{
    struct conout *c = (struct conout *)self; /* sink is the first member */

    if (!c->to)
        return;
    for (size_t i = 0; i < n; i++)
        put_byte(c, (uint8_t)bytes[i]);
    flush(c);
}

void conout_init(struct conout *c, SIMPLE_TEXT_OUTPUT_INTERFACE *to)
{
    c->sink.write = conout_write;
    c->to = to;
    c->used = 0;
    c->code = 0;
    c->wanted = 0;
    c->after_cr = false;
}

void conout_below(struct conout *c)
{
    UINTN columns, rows;

    if (!c->to || EFI_ERROR(c->to->QueryMode(c->to, (UINTN)c->to->Mode->Mode, &columns, &rows)))
        return;
    (void)c->to->SetCursorPosition(c->to, 0, rows - 1);
    conout_write(&c->sink, "\n", 1);
}
