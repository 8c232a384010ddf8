/*
 * A list in the head of a report: a label, then items parted by commas, continued below the first
 * one where the line is full.
 */
#ifndef LIB_TEXT_WRAP_H
#define LIB_TEXT_WRAP_H

#include "lib/text/sink.h"

#define WRAP_MARGIN 10 /* columns of the label and of what stands below it */
#define WRAP_COLUMN 79 /* the last that is written to */

struct wrap {
    struct sink *out;
    const char *label;
    unsigned column; /* 0: no item yet, and nothing is written */
};

/* An item of at most 63 bytes; what is longer is cut. */
void wrap_item(struct wrap *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the line, where there was an item. */
void wrap_end(const struct wrap *w);

#endif
