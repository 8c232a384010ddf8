/* State of a core that a body must leave as it was, or that a window puts back (window.h). */
#ifndef BENCH_MODEL_KEPT_H
#define BENCH_MODEL_KEPT_H

#include <stdint.h>
#include "lib/text/sink.h"

/*
 * What a C body must leave as it found it (System V psABI section 3.2.3), and the last four also a
 * body in NASM: these are put back before the window returns. Recipes that execute CPUID after the
 * body change rbx themselves; a body in NASM changes rbx, and a loop r14.
 */
enum window_kept {
    WINDOW_RSP,
    WINDOW_RBX,
    WINDOW_RBP,
    WINDOW_R12,
    WINDOW_R13,
    WINDOW_R14,
    WINDOW_R15,
    WINDOW_DF,        /* RFLAGS.DF */
    WINDOW_FLAGS,     /* AC, NT, and in ring 0 IOPL and IF */
    WINDOW_MXCSR,     /* its control bits: masks, rounding, FTZ, DAZ */
    WINDOW_CONTROL,   /* the x87's control word */
    WINDOW_X87,       /* the x87's stack, which MMX registers are: it is to be empty */
    WINDOW_X87_FAULT, /* no state: the x87's stack overflowed or underflowed */
    WINDOW_KEPT
};

/* Writes the names of 1 << each enum window_kept, for people: "r15, MXCSR". */
void window_kept_text(uint32_t changed, struct sink *out);

#endif
