/*
 * Pieces of machine code written in NASM, copied into the code buffer to make a window: recipe
 * starts and stops, bodies, callees. A piece runs at any address; where it refers to something
 * outside itself it says so in a fixup. bench/window/unit.inc has the NASM macros that emit this layout.
 */
#ifndef BENCH_API_UNIT_H
#define BENCH_API_UNIT_H

#include <stdint.h>

enum fixup_to {
    FIXUP_NONE,
    FIXUP_CALLEE, /* rel32 to the row's callee */
    FIXUP_STUB,   /* rel32 to the row's stub */
    FIXUP_SLOT,   /* rip-relative disp32 to the object's slot */
    FIXUP_TAG,    /* the window's tag, an immediate */
    FIXUP_HEAD,   /* rel32 back to the loop's head */
};

struct unit {
    uint16_t size;    /* bytes of code */
    uint8_t fixup_at; /* offset of the 32-bit field */
    uint8_t fixup_to; /* enum fixup_to */
    uint8_t code[];
};

#endif
