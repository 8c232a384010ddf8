/*
 * A linear framebuffer as in UEFI's Graphics Output Protocol (UEFI 2.10 section 12.9.2): validates
 * it before anything is written to it, and packs colours into pixels.
 */
#ifndef LIB_TEXT_FRAMEBUFFER_H
#define LIB_TEXT_FRAMEBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct framebuffer {
    uint64_t address, size;              /* physical; bytes; size 0: no framebuffer */
    uint32_t width, height;              /* pixels shown */
    uint32_t pixels_per_line;            /* from one line to the next */
    uint32_t red, green, blue, reserved; /* masks of a pixel, read as a little-endian number */
    uint32_t pixel_bytes;                /* 1..4, set by framebuffer_judge() */
};

/* Four 4K screens per side, 16 in all; a larger value is a firmware error. */
#define FRAMEBUFFER_SIDE_MAX 16384u

#define FRAMEBUFFER_WHY 128 /* bytes for the message of framebuffer_judge() */

/*
 * Sets pixel_bytes from the highest bit of all four masks (so a mode of 24 bits has 3). Returns
 * false if nothing may be drawn, with the reason and the values in `why`: no address, no pixels,
 * lines that overlap, fewer bytes than the lines need, masks that are missing, not contiguous or
 * overlapping.
 */
bool framebuffer_judge(struct framebuffer *f, char *why, size_t size);

/* Returns the number of bytes from one line to the next. */
static inline size_t framebuffer_pitch(const struct framebuffer *f)
{
    return (size_t)f->pixels_per_line * f->pixel_bytes;
}

/* Returns the pixel of a colour, 8 bits per channel; reserved bits are 0. */
uint32_t framebuffer_pixel(const struct framebuffer *f, uint8_t red, uint8_t green, uint8_t blue);

/*
 * A screen of character cells on a framebuffer, without access to the framebuffer: the size of the
 * characters, the cells that changed since they were last painted, and the bytes of one of their
 * pixel lines. Glyphs are 8 pixels wide.
 */
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
