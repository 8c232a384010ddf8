/*
 * A screen of character cells on a framebuffer, without touching the framebuffer: how large the
 * characters are, which cells have changed since they were last painted, and what bytes paint one
 * line of pixels of them. Glyphs are 8 pixels wide.
 */
#ifndef LIB_SCREEN_SCREEN_H
#define LIB_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/screen/framebuffer.h"

#define SCREEN_GLYPH_WIDTH 8u
/* A report's table has 80 columns; where 80 are to be had, as large as leaves this many rows. */
#define SCREEN_COLUMNS 80u
#define SCREEN_ROWS    40u
/* Fewer can show no verdict. More are left unused: memory for the cells is taken beforehand. */
#define SCREEN_COLUMNS_MIN 40u
#define SCREEN_ROWS_MIN    4u
#define SCREEN_COLUMNS_MAX 240u
#define SCREEN_ROWS_MAX    160u

struct font {
    uint32_t height;
    unsigned char first, last; /* the characters that there are; others are shown as `first` */
    const uint8_t *rows;       /* `height` bytes a character, the leftmost pixel in bit 7 */
};

struct screen_layout {
    uint32_t scale; /* pixels of the screen a pixel of the font, both ways */
    uint32_t columns, rows;
};

/* False: the screen is too small for SCREEN_COLUMNS_MIN x SCREEN_ROWS_MIN. */
bool screen_layout(struct screen_layout *l, uint32_t width, uint32_t height, uint32_t glyph_height);

/*
 * The next cells of a row that are to be painted: from *column on the first that differ between
 * `shown` (what the screen has) and `wanted` (NULL: blank), which are then taken over into `shown`.
 * Returns how many, *column being the first of them; 0: none are left.
 */
uint32_t screen_changed(char *shown, const char *wanted, uint32_t columns, uint32_t *column);

/*
 * The bytes of one line of pixels through n characters: line y (0 .. height - 1) of their glyphs,
 * in the two pixels given. Returns how many: 8 * scale * n pixels of f->pixel_bytes each, for which
 * `out` must have room.
 */
size_t screen_line(const struct framebuffer *f, const struct font *font, uint32_t scale,
                   const char *chars, uint32_t n, uint32_t y, uint32_t ink, uint32_t paper,
                   uint8_t *out);

#endif
