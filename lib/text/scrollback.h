/*
 * The text of a terminal, from a stream of bytes. Keeps the last TEXT_LINES lines of characters,
 * and a window of some rows, which follows the end or is scrolled back by the user.
 *
 * CR goes to the start of the line, LF to the next one (the column stays: lines end in CR LF), TAB
 * to the next multiple of 8. A character after the last column goes to the next line; an exactly
 * full line does not wrap. Each UTF-8 character outside printable ASCII is shown as '?'; other
 * control characters are dropped.
 */
#ifndef LIB_TEXT_SCROLLBACK_H
#define LIB_TEXT_SCROLLBACK_H

#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

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

#endif
