/*
 * A test as machine code: what sets up registers, and copies of the form with what leads from one
 * to the next. All memory that it reads and writes is one area.
 */
#ifndef LIB_INSN_PROGRAM_H
#define LIB_INSN_PROGRAM_H

#include "lib/insn/plan.h"

#define INSN_COPIES_MOST 2048
#define INSN_REPEAT_MOST 4096
#define INSN_AREA_SIZE   0x20000
#define INSN_AREA_ALIGN  64

/* Where it runs. */
struct insn_place {
    const struct insn_links *links;
    uint64_t area;    /* its address */
    unsigned vectors; /* bits of the widest vectors that are switched on: 128, 256 or 512 */
    uint32_t repeats; /* RCX of REP and of LOOP: at most INSN_REPEAT_MOST */
};

/* Bytes of code, one after the other. */
struct insn_code {
    uint8_t *at;
    size_t size, used;
    bool full;    /* there was more than `size` */
    bool refused; /* a copy could not be encoded */
};

/* Fills the area with values that suit the form: no zeros to divide by, and no denormals. */
void insn_fill(uint8_t *area, const struct insn_view *v);

/* Sets every register that the form may use, but RSP and RBP: a window's way in needs RBP. */
void insn_setup(struct insn_code *to, const struct insn_place *place, const struct insn_test *t);

/* The copies, at most INSN_COPIES_MOST. Before them, RAX to RBX, which reading a clock changes, and
 * RBP are set; after them the x87, the vectors and RSP are as they were. */
void insn_body(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
               unsigned copies);

#endif
