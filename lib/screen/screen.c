#include "lib/screen/screen.h"

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
