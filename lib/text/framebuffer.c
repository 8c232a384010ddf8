#include "lib/text/framebuffer.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

static unsigned bits_below(uint32_t mask)
{
    return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

static unsigned bits_of(uint32_t mask)
{
    unsigned n = 0;

    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

/* Returns whether its bits are contiguous. */
static bool whole(uint32_t mask)
{
    uint32_t low = mask >> bits_below(mask);

    return mask && !(low & (low + 1));
}

static bool masks_are_good(const struct framebuffer *f)
{
    uint32_t all = f->red | f->green | f->blue | f->reserved;

    return whole(f->red) && whole(f->green) && whole(f->blue) &&
           bits_of(all) ==
               bits_of(f->red) + bits_of(f->green) + bits_of(f->blue) + bits_of(f->reserved);
}

static uint32_t bytes_a_pixel(const struct framebuffer *f)
{
    uint32_t all = f->red | f->green | f->blue | f->reserved;

    return (32 - (uint32_t)__builtin_clz(all) + 7) / 8;
}

/* The last line may end with its last pixel. */
static uint64_t bytes_needed(const struct framebuffer *f)
{
    return ((uint64_t)(f->height - 1) * f->pixels_per_line + f->width) * f->pixel_bytes;
}

bool framebuffer_judge(struct framebuffer *f, char *why, size_t size)
{
    f->pixel_bytes = 0;
    if (!f->address) {
        fmt_buf(why, size, "the framebuffer's address is 0");
    } else if (!f->width || !f->height || f->width > FRAMEBUFFER_SIDE_MAX ||
               f->height > FRAMEBUFFER_SIDE_MAX) {
        fmt_buf(why, size, "a mode of %ux%u pixels; 1 to %u a side are allowed", f->width,
                f->height, FRAMEBUFFER_SIDE_MAX);
    } else if (f->pixels_per_line < f->width || f->pixels_per_line > 2 * FRAMEBUFFER_SIDE_MAX) {
        fmt_buf(why, size, "%u pixels a line in memory cannot hold the %u that are shown",
                f->pixels_per_line, f->width);
    } else if (!masks_are_good(f)) {
        fmt_buf(why, size, "invalid pixel masks %08x %08x %08x %08x (red, green, blue, reserved)",
                f->red, f->green, f->blue, f->reserved);
    } else {
        f->pixel_bytes = bytes_a_pixel(f);
        if (f->size >= bytes_needed(f) && f->address + f->size > f->address)
            return true;
        fmt_buf(why, size, "a framebuffer of %llu bytes at 0x%llx cannot hold the %llu of its mode",
                (unsigned long long)f->size, (unsigned long long)f->address,
                (unsigned long long)bytes_needed(f));
    }
    return false;
}

/* The channel's upper bits if it has fewer than 8; shifted up if it has more (HDR modes). */
static uint32_t channel(uint32_t mask, uint8_t value)
{
    unsigned bits = bits_of(mask);
    uint32_t v = bits <= 8 ? (uint32_t)value >> (8 - bits) : (uint32_t)value << (bits - 8);

    return v << bits_below(mask) & mask;
}

uint32_t framebuffer_pixel(const struct framebuffer *f, uint8_t red, uint8_t green, uint8_t blue)
{
    return channel(f->red, red) | channel(f->green, green) | channel(f->blue, blue);
}

static uint32_t at_most(uint32_t v, uint32_t most)
{
    return v < most ? v : most;
}

bool screen_layout(struct screen_layout *l, uint32_t width, uint32_t height, uint32_t glyph_height)
{
    uint32_t columns = width / SCREEN_GLYPH_WIDTH, rows = height / glyph_height;
    uint32_t across = columns / SCREEN_COLUMNS, down = rows / SCREEN_ROWS;
    uint32_t scale = across < down ? across : down;

    *l = (struct screen_layout){.scale = scale ? scale : 1};
    l->columns = at_most(columns / l->scale, SCREEN_COLUMNS_MAX);
    l->rows = at_most(rows / l->scale, SCREEN_ROWS_MAX);
    return l->columns >= SCREEN_COLUMNS_MIN && l->rows >= SCREEN_ROWS_MIN;
}

uint32_t screen_changed(char *shown, const char *wanted, uint32_t columns, uint32_t *column)
{
    uint32_t at = *column, n = 0;

    while (at < columns && shown[at] == (wanted ? wanted[at] : ' '))
        at++;
    *column = at;
    for (; at < columns && shown[at] != (wanted ? wanted[at] : ' '); at++, n++)
        shown[at] = wanted ? wanted[at] : ' ';
    return n;
}

static uint8_t glyph_row(const struct font *font, char c, uint32_t y)
{
    unsigned char u = (unsigned char)c;

    if (u < font->first || u > font->last)
        u = font->first;
    return font->rows[(size_t)(u - font->first) * font->height + y];
}

/* Writes `scale` pixels, bytewise, since C has no type of 3 bytes. */
static uint8_t *put_pixels(uint8_t *out, uint32_t pixel, uint32_t bytes, uint32_t scale)
{
    for (uint32_t i = 0; i < scale; i++)
        for (uint32_t b = 0; b < bytes; b++)
            *out++ = (uint8_t)(pixel >> 8 * b);
    return out;
}

size_t screen_line(const struct framebuffer *f, const struct font *font, uint32_t scale,
                   const char *chars, uint32_t n, uint32_t y, uint32_t ink, uint32_t paper,
                   uint8_t *out)
{
    uint8_t *end = out;

    for (uint32_t i = 0; i < n; i++) {
        uint8_t row = glyph_row(font, chars[i], y);
        for (uint32_t x = 0; x < SCREEN_GLYPH_WIDTH; x++)
            end = put_pixels(end, row >> (SCREEN_GLYPH_WIDTH - 1 - x) & 1 ? ink : paper,
                             f->pixel_bytes, scale);
    }
    return (size_t)(end - out);
}

/* --- text ------------------------------------------------------------------------------------- */

static char *line_at(const struct text *t, uint32_t line)
{
    return t->cells + (size_t)(line % TEXT_LINES) * t->columns;
}

static void next_line(struct text *t)
{
    t->line++;
    memset(line_at(t, t->line), ' ', t->columns);
}

static void put(struct text *t, char c)
{
    if (t->column == t->columns) {
        next_line(t);
        t->column = 0;
    }
    line_at(t, t->line)[t->column++] = c;
}

static void tab(struct text *t)
{
    do
        put(t, ' ');
    while (t->column % 8 && t->column < t->columns);
}

static void text_write(struct sink *self, const char *bytes, size_t n)
{
    struct text *t = (struct text *)self; /* sink is its first member */

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= ' ' && c < 0x7f)
            put(t, (char)c);
        else if (c == '\r')
            t->column = 0;
        else if (c == '\n')
            next_line(t);
        else if (c == '\t')
            tab(t);
        else if (c >= 0xc0) /* the first byte of a character in UTF-8 (RFC 3629) */
            put(t, '?');
    }
}

void text_init(struct text *t, char *cells, uint32_t columns, uint32_t rows)
{
    *t = (struct text){.sink = {text_write}, .cells = cells, .columns = columns, .rows = rows};
    memset(cells, ' ', (size_t)TEXT_LINES * columns);
}

/* Returns the number of the last shown line, counted from the very first. */
static uint32_t last_line(const struct text *t)
{
    const char *cells = line_at(t, t->line);

    for (uint32_t i = 0; i < t->columns; i++)
        if (cells[i] != ' ')
            return t->line;
    return t->line ? t->line - 1 : 0;
}

/* Returns the oldest line that is still in the ring. */
static uint32_t oldest_line(const struct text *t)
{
    return t->line >= TEXT_LINES ? t->line - TEXT_LINES + 1 : 0;
}

uint32_t text_kept(const struct text *t)
{
    return last_line(t) - oldest_line(t) + 1;
}

/* Returns how far back the window can be moved. */
static uint32_t room_above(const struct text *t)
{
    uint32_t lines = text_kept(t);

    return lines > t->rows ? lines - t->rows : 0;
}

uint32_t text_first(const struct text *t)
{
    uint32_t room = room_above(t);

    return t->back < room ? room - t->back : 0;
}

const char *text_row(const struct text *t, uint32_t row)
{
    uint32_t line = oldest_line(t) + text_first(t) + row;

    /* The window is blank below the last line: the ring may have an old line there. */
    return line <= t->line ? line_at(t, line) : NULL;
}

void text_scroll(struct text *t, int32_t lines)
{
    uint32_t room = room_above(t);
    int64_t back = (int64_t)(t->back < room ? t->back : room) + lines;

    t->back = back < 0 ? 0 : back > room ? room : (uint32_t)back;
}

/* --- keys ------------------------------------------------------------------------------------- */

enum { ESC = 0x1b };

static void enter(struct stop_keys *k, enum stop_keys_state state, uint64_t now)
{
    k->state = state;
    k->since = now;
}

/* Takes the byte after Esc, which selects the kind of sequence. */
static void after_escape(struct stop_keys *k, uint8_t byte, uint64_t now)
{
    enter(k,
          byte == '['   ? STOP_KEYS_SEQUENCE
          : byte == 'O' ? STOP_KEYS_ONE_MORE
          : byte == ESC ? STOP_KEYS_ESCAPE
                        : STOP_KEYS_PLAIN,
          now);
}

static bool has_waited(const struct stop_keys *k, uint64_t now)
{
    return now - k->since >= STOP_KEYS_PATIENCE;
}

bool stop_keys_feed(struct stop_keys *k, uint8_t byte, uint64_t now)
{
    switch (k->state) {
    case STOP_KEYS_ESCAPE: /* at any time: nothing was read since, and both bytes may have waited */
        after_escape(k, byte, now);
        return false;
    case STOP_KEYS_SEQUENCE:
        if (has_waited(k, now))
            break;
        if (byte >= 0x40 && byte <= 0x7e)
            k->state = STOP_KEYS_PLAIN;
        return false;
    case STOP_KEYS_ONE_MORE:
        if (has_waited(k, now))
            break;
        k->state = STOP_KEYS_PLAIN;
        return false;
    case STOP_KEYS_PLAIN:
        break;
    }
    enter(k, byte == ESC ? STOP_KEYS_ESCAPE : STOP_KEYS_PLAIN, now);
    return byte == 'q';
}

bool stop_keys_alone(struct stop_keys *k, uint64_t now)
{
    return k->state == STOP_KEYS_ESCAPE && has_waited(k, now);
}
