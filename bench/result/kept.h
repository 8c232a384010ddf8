/* State of a core that a body must preserve, or that a window restores (window.h). */
#ifndef BENCH_RESULT_KEPT_H
#define BENCH_RESULT_KEPT_H

#include <stdint.h>
#include "lib/text/sink.h"

/*
 * The state that a C body must preserve (System V psABI section 3.2.3); a body in NASM must
 * preserve WINDOW_FLAGS to WINDOW_X87. The window restores it before it returns. Recipes that
 * execute CPUID after the body change rbx themselves; a body in NASM changes rbx, and a loop r14.
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
    WINDOW_X87,       /* the x87's stack, which is also the MMX registers: it must be empty */
    WINDOW_X87_FAULT, /* an event: the x87's stack overflowed or underflowed */
    WINDOW_PKRU,      /* not by a window: a process restores it when a guarded call returns */
    WINDOW_KEPT
};

/* Writes the names of 1 << each enum window_kept: "r15, MXCSR". */
void window_kept_text(uint32_t changed, struct sink *out);

#endif
