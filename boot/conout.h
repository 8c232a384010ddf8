/* The firmware's text console as a sink: UTF-8 in, UCS-2 out in pieces, a bare "\n" becomes "\r\n".
 * Characters outside UCS-2 and invalid UTF-8 become '?'. Without a console the text is dropped. */
#ifndef BOOT_CONOUT_H
#define BOOT_CONOUT_H

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define CONOUT_PIECE 128

struct conout {
    struct sink sink;
    SIMPLE_TEXT_OUTPUT_INTERFACE *to; /* NULL: no console */
    CHAR16 piece[CONOUT_PIECE + 1];
    unsigned used;
    uint32_t code;   /* the incomplete character */
    unsigned wanted; /* bytes missing from it */
    bool after_cr;
};

void conout_init(struct conout *c, SIMPLE_TEXT_OUTPUT_INTERFACE *to);

/* Scrolls up, so that the output begins below the text on the screen, whichever program wrote that.
 * Source of the calls: UEFI 2.10 section 12.4. */
void conout_below(struct conout *c);

#endif
