/*
 * Generates a test's machine code: the setup of registers, and copies of the form with the steps
 * between them. All memory that it accesses is in one area.
 */
#ifndef LIB_INSN_PROGRAM_H
#define LIB_INSN_PROGRAM_H

#include "lib/insn/plan.h"
#include "lib/insn/values.h"

#define INSN_COPIES_MOST 2048
#define INSN_LOOP_COPIES 160 /* after them, registers and addresses repeat */
#define INSN_REPEAT_MOST 4096
#define INSN_AREA_SIZE   0x20000
#define INSN_AREA_ALIGN  64

/* Where the code runs. */
struct insn_place {
    const struct insn_links *links;
    uint64_t area;    /* its address */
    unsigned vectors; /* bits of the widest enabled vectors: 128, 256 or 512 */
    uint32_t repeats; /* RCX for REP and LOOP: at most INSN_REPEAT_MOST */
    unsigned values;  /* enum insn_values */
};

/* The generated code. */
struct insn_code {
    uint8_t *at;
    size_t size, used;
    bool full;    /* the code did not fit */
    bool refused; /* a copy could not be encoded */
};

/* Fills the area, which is on a boundary of 8 bytes, with values that suit the form: no zero
 * divisors, and no denormals. */
void insn_fill(uint8_t *area, const struct insn_view *v, unsigned values);

/* Sets every register that the form may use, except RSP, and RBP, which a window's entry needs. */
void insn_setup(struct insn_code *to, const struct insn_place *place, const struct insn_test *t);

/* Writes the copies, at most INSN_COPIES_MOST. Before them it sets RAX to RBX, which reading a
 * clock changes, and RBP; after them it restores the x87, the vectors and RSP. */
void insn_body(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
               unsigned copies);

/*
 * The same as a loop of INSN_LOOP_COPIES copies, which fits micro-op caches: a straight line of
 * copies is limited by the decoders. Its turns, at least 1, are in the area when it begins, at
 * INSN_TURNS_AT, and are counted down there. This changes flags but no register.
 */
void insn_loop(struct insn_code *to, const struct insn_place *place, const struct insn_test *t);
#define INSN_TURNS_AT 0xf00 /* its low 12 bits differ from those of all operands up to 512 bits */

/*
 * The same with INSN_FILLED_COPIES, each followed by INSN_FILLERS NOPs of five bytes; without
 * `copies`, a NOP is in place of each. If neither waits for anything else, the difference in time
 * is that of the issue slots of a copy and of a NOP.
 */
void insn_filled(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                 bool copies);
#define INSN_FILLED_COPIES 16
#define INSN_FILLERS       24

/* Whether copies may be in a loop: forms that read flags, move pointers or jump may not. */
bool insn_can_loop(const struct insn_view *v);

/* Whether insn_throughput() with `breaks` differs from that without. */
bool insn_has_breaks(const struct insn_view *v);

/* Whether a test writes to the area. */
bool insn_writes_memory(const struct insn_test *t);

#endif
