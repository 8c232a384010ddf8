#include "lib/text/framebuffer.h"
#include "lib/text/fmt.h"

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
