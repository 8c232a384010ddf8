/*
 * Pieces of machine code written in NASM, copied into the code buffer to make a window: recipe
 * starts and stops, bodies, callees. A piece runs at any address. It may have one reference to
 * something outside itself; a fixup names it. bench/engine/unit.inc has the NASM macros that emit
 * this layout; a unit called NAME there is `extern const struct unit unit_NAME` here.
 */
#ifndef BENCH_API_UNIT_H
#define BENCH_API_UNIT_H

#include <stddef.h>
#include <stdint.h>

/* The value of a fixup's 32-bit field. unit.inc has the same numbers. */
enum fixup_to {
    FIXUP_NONE = 0,
    FIXUP_CALLEE = 1, /* rel32 to the row's callee */
    FIXUP_STUB = 2,   /* rel32 to the row's stub */
    FIXUP_SLOT = 3,   /* rip-relative disp32 to the object's slot */
    FIXUP_TAG = 4,    /* the window's tag, an immediate */
    FIXUP_HEAD = 5,   /* rel32 back to the loop's head */
    FIXUP_FRAME = 6,  /* rip-relative disp32 to the window's frame */
    FIXUP_ARG = 7,    /* the row's `arg`, an immediate */
};

struct unit {
    uint32_t size;          /* bytes of code */
    uint32_t fixup_at;      /* offset of the 32-bit field in the code */
    enum fixup_to fixup_to; /* FIXUP_NONE: no such field */
    uint8_t code[];
};
_Static_assert(offsetof(struct unit, code) == 12, "UNIT of bench/engine/unit.inc: three dd");

#endif
