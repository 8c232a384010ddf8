/*
 * What a person at the machine sees and types: a linear framebuffer as in UEFI's Graphics Output
 * Protocol (UEFI 2.10 section 12.9.2), which is validated before anything is written to it; the
 * text on it; the keys that stop a run.
 */
#ifndef LIB_TEXT_FRAMEBUFFER_H
#define LIB_TEXT_FRAMEBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

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

/*
 * The text of a terminal, from a stream of bytes. Keeps the last TEXT_LINES lines of characters,
 * and a window of some rows, which follows the end or is scrolled back by the user.
 *
 * CR goes to the start of the line, LF to the next one (the column stays: lines end in CR LF), TAB
 * to the next multiple of 8. A character after the last column goes to the next line; an exactly
 * full line does not wrap. Each UTF-8 character outside printable ASCII is shown as '?'; other
 * control characters are dropped.
 */
#define TEXT_LINES 4096u /* kept lines; a power of two, since line numbers exceed it */

struct text {
    struct sink sink;
    char *cells; /* TEXT_LINES of `columns`, a ring */
    uint32_t columns, rows;
    uint32_t column; /* of the cursor; == columns: the next character starts a line */
    uint32_t line;   /* of the cursor, counted from the first line */
    uint32_t back;   /* rows between the window and the end */
};

/* `cells` has TEXT_LINES * columns bytes, which text_init() fills; neither number is 0. Write to
 * `sink`; the struct must not move. */
void text_init(struct text *t, char *cells, uint32_t columns, uint32_t rows);

/* Returns the `columns` characters of row 0 .. rows - 1 of the window; NULL: a row below the last
 * line. A blank last line is left out, so that the last text is on the last row. */
const char *text_row(const struct text *t, uint32_t row);

/* Return the number of kept lines, and the index (from 0) of the window's first line among them. */
uint32_t text_kept(const struct text *t);
uint32_t text_first(const struct text *t);

/* Moves the window back (or, if negative, forward) by this number of lines, as far as possible. */
void text_scroll(struct text *t, int32_t lines);

/*
 * Recognises the bytes from a terminal that stop a run: `q`, and Esc by itself. All other bytes
 * are ignored, and so are keys that a terminal sends as an escape sequence (arrows, function keys,
 * Alt and a letter), which begin with the byte of Esc. Source: ECMA-48, sections 5.3 and 5.4; SS3
 * as in xterm.
 */
/* TSC ticks after which a sequence is considered complete: 54 ms on the fastest TSC (TSC_HZ_MAX),
 * half a second at 1 GHz. A byte at 9600 baud takes 1 ms. */
#define STOP_KEYS_PATIENCE (1ull << 29)

enum stop_keys_state {
    STOP_KEYS_PLAIN,
    STOP_KEYS_ESCAPE,   /* Esc came: by itself, or as the first byte of a sequence */
    STOP_KEYS_SEQUENCE, /* Esc [ came: ends with a byte of 0x40 to 0x7e */
    STOP_KEYS_ONE_MORE, /* Esc O came: one byte follows */
};

/* All zero: no byte yet. */
struct stop_keys {
    enum stop_keys_state state;
    uint64_t since; /* TSC when the state was entered */
};

/* Takes a byte that was read at `now`. Returns true if it stops the run. */
bool stop_keys_feed(struct stop_keys *k, uint8_t byte, uint64_t now);

/* Call after all available bytes were taken. Returns true if nothing followed an Esc for long
 * enough. */
bool stop_keys_alone(struct stop_keys *k, uint64_t now);

/* Call when bytes were lost: a sequence in progress may be incomplete. */
static inline void stop_keys_forget(struct stop_keys *k)
{
    k->state = STOP_KEYS_PLAIN;
}

#endif
