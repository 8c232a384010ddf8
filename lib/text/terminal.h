/* What a person at a terminal sees and types: the text on it, and the keys that stop a run. */
#ifndef LIB_TEXT_TERMINAL_H
#define LIB_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

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
