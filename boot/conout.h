/*
 * The firmware's text console as a sink: UTF-8 in, UCS-2 out in pieces, a bare "\n" becomes "\r\n".
 * What UCS-2 cannot say, and what is not UTF-8, is shown as '?'. Without a console the text is
 * dropped.
 */
#ifndef BOOT_CONOUT_H
#define BOOT_CONOUT_H

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define CONOUT_PIECE 128

struct conout {
    struct sink sink;
    SIMPLE_TEXT_OUTPUT_INTERFACE *to; /* NULL: this machine has none */
    CHAR16 piece[CONOUT_PIECE + 1];
    unsigned used;
    uint32_t code;   /* of the character under way */
    unsigned wanted; /* bytes of it still to come */
    bool after_cr;
};

void conout_init(struct conout *c, SIMPLE_TEXT_OUTPUT_INTERFACE *to);

/* What is written next stands below what is on the screen, whoever painted that: it scrolls up.
 * Source of the calls: UEFI 2.10 section 12.4. */
void conout_below(struct conout *c);

#endif
