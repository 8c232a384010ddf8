/*
 * A list in the head of a report: a label, then items separated by commas. When the line is full,
 * it continues below the first item.
 */
#ifndef LIB_TEXT_WRAP_H
#define LIB_TEXT_WRAP_H

#include "lib/text/sink.h"

#define WRAP_MARGIN 10 /* columns of the label, and the indentation of the following lines */
#define WRAP_COLUMN 79 /* the last column that is used */

struct wrap {
    struct sink *out;
    const char *label;
    unsigned column; /* 0: no item yet, and nothing is written */
};

/* Adds an item of at most 63 bytes; a longer one is truncated. */
void wrap_item(struct wrap *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the line, if there was an item. */
void wrap_end(const struct wrap *w);

#endif
