/*
 * A screen of character cells on a framebuffer, without access to the framebuffer: the size of the
 * characters, the cells that changed since they were last painted, and the bytes of one of their
 * pixel lines. Glyphs are 8 pixels wide.
 */
#ifndef LIB_SCREEN_SCREEN_H
#define LIB_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/screen/framebuffer.h"

#define SCREEN_GLYPH_WIDTH 8u
/* A report's table has 80 columns. Characters are as large as this many columns and rows allow. */
#define SCREEN_COLUMNS 80u
#define SCREEN_ROWS    40u
/* With fewer no verdict fits; more are unused, since the cells are allocated in advance. */
#define SCREEN_COLUMNS_MIN 40u
#define SCREEN_ROWS_MIN    4u
#define SCREEN_COLUMNS_MAX 240u
#define SCREEN_ROWS_MAX    160u

struct font {
    uint32_t height;
    unsigned char first, last; /* the available characters; others are shown as `first` */
    const uint8_t *rows;       /* `height` bytes per character, the leftmost pixel in bit 7 */
};

struct screen_layout {
    uint32_t scale; /* screen pixels per font pixel, in both directions */
    uint32_t columns, rows;
};

/* False: the screen is too small for SCREEN_COLUMNS_MIN x SCREEN_ROWS_MIN. */
bool screen_layout(struct screen_layout *l, uint32_t width, uint32_t height, uint32_t glyph_height);

/*
 * Finds the next cells of a row to paint: from *column on, the first run in which `shown` (the
 * screen's contents) and `wanted` (NULL: blank) differ; copies them to `shown`. Returns their
 * number, with the first in *column; 0: none are left.
 */
uint32_t screen_changed(char *shown, const char *wanted, uint32_t columns, uint32_t *column);

/*
 * Writes the bytes of one line of pixels through n characters: line y (0 .. height - 1) of their
 * glyphs, in the two given pixels. Returns the number of bytes: 8 * scale * n pixels of
 * f->pixel_bytes each, for which `out` must have room.
 */
size_t screen_line(const struct framebuffer *f, const struct font *font, uint32_t scale,
                   const char *chars, uint32_t n, uint32_t y, uint32_t ink, uint32_t paper,
                   uint8_t *out);

#endif
