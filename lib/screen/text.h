/*
 * What a terminal shows of a stream of bytes: lines of characters, the last TEXT_LINES of them
 * kept, seen through a window of some rows that follows the end or is moved back by a person.
 *
 * CR goes to the start of the line, LF to the next one (the column stays: lines end in CR LF), TAB
 * to the next multiple of 8. A character behind the last column goes to the next line; a line that
 * is exactly full does not. What is not printable ASCII is shown as '?', one for each UTF-8
 * character; other control characters are dropped.
 */
#ifndef LIB_SCREEN_TEXT_H
#define LIB_SCREEN_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define TEXT_LINES 4096u /* kept; a power of two, since lines are counted on past it */

struct text {
    struct sink sink;
    char *cells; /* TEXT_LINES of `columns`, a ring */
    uint32_t columns, rows;
    uint32_t column; /* the cursor's; == columns: the next character opens a line */
    uint32_t line;   /* the cursor's, counted from the first */
    uint32_t back;   /* rows between the window and the end */
};

/* `cells` has TEXT_LINES * columns bytes, which text_init() fills; neither number is 0. Write by
 * `sink`, with the struct at its final place. */
void text_init(struct text *t, char *cells, uint32_t columns, uint32_t rows);

/* `columns` characters: row 0 .. rows - 1 of the window; NULL: a row below the last line. A blank
 * line at the end is left out, so that the last words stand on the last row. */
const char *text_row(const struct text *t, uint32_t row);

/* Lines that are kept, and the number (from 0) of the window's first among them. */
uint32_t text_kept(const struct text *t);
uint32_t text_first(const struct text *t);

/* Moves the window back (or, less than 0, forward) by this number of lines, as far as there are
 * any. */
void text_scroll(struct text *t, int32_t lines);

#endif
