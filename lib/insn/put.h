/*
 * Writes the code of a test: its beginning, its instructions and its end. All memory that it
 * accesses is in one area.
 */
#ifndef LIB_INSN_PUT_H
#define LIB_INSN_PUT_H

#include "lib/insn/tests.h"

/*
 * One copy of a form: its template with the register fields filled in (copy.c). Deterministic: the
 * same form and registers always give the same bytes.
 */
#define INSN_BYTES_MOST 15
#define INSN_NO_INDEX   0xff

struct insn_choice {
    uint8_t decoration;
    uint8_t reg[INSN_OPERANDS_MOST]; /* for each operand of insn_operands() that is a register */
    uint8_t base, index;             /* of memory; the index may be a vector. The scale is 1. */
    int32_t displacement;            /* always encoded in 32 bits */
    uint64_t address;                /* for INSN_MOFFS */
    uint64_t immediate;              /* truncated to the form's length; a jump's is always 0 */
};

/* Returns the length; 0: these registers cannot be encoded. */
unsigned insn_copy(const struct insn_form *f, const struct insn_choice *c,
                   uint8_t bytes[INSN_BYTES_MOST]);

/* The generated code. */
struct insn_code {
    uint8_t *at;
    size_t size, used;
    bool full;    /* the code did not fit */
    bool refused; /* a copy could not be encoded */
};

/* Writes bytes; one copy of a form. */
void insn_put_bytes(struct insn_code *to, const void *bytes, size_t n);
void insn_put(struct insn_code *to, const struct insn_form *f, const struct insn_choice *c);

#define INSN_REPEAT_MOST 4096
#define INSN_AREA_SIZE   0x20000
/* Of a loop; its low 12 bits differ from those of all operands up to 512 bits. */
#define INSN_ITERATIONS_AT 0xf00

/* The environment in which the code runs. */
struct insn_place {
    const struct insn_links *links;
    uint64_t area;    /* its address */
    unsigned vectors; /* bits of the widest enabled vectors: 128, 256 or 512 */
    uint32_t repeats; /* RCX for REP and LOOP: at most INSN_REPEAT_MOST */
    unsigned values;  /* enum insn_values */
    unsigned filler;  /* enum insn_filler */
    unsigned history; /* enum insn_history */
    unsigned lead;    /* pairs of instructions before copies of vectors (insn_put_start) */
    bool avx2;        /* for HISTORY_OTHER */
};

/*
 * The instructions that give registers their values. The values are the same with both histories.
 * HISTORY_USUAL: by MOV of an immediate, or by a load. HISTORY_OTHER: by ADD of an immediate, which
 * some cores fold into the reader, or by a shuffle in the other domain than the form's, integer or
 * floating-point. Masks and x87 registers have one history.
 */
enum insn_history { HISTORY_USUAL, HISTORY_OTHER };

/* Instructions that take an issue slot and no unit: a NOP, or on cores that run pairs
 * of NOPs as one, a zeroing idiom. */
enum insn_filler { FILLER_NOP, FILLER_ZERO, FILLERS };

enum { SHUFFLE_NONE = 0xe4 }; /* the immediate of a shuffle that moves nothing */

/* The area: patterns for registers, memory operands, strings, and a stack in the middle of its
 * part. */
enum {
    AREA_PATTERN = 0,
    AREA_ZERO = 64,
    AREA_SAVED_RSP = 128,
    AREA_OTHER = 192,
    AREA_VECTOR = 64,      /* bytes of a pattern */
    AREA_BLOCKERS = 0xe00, /* a load and a store; as for INSN_ITERATIONS_AT */
    AREA_ITERATIONS = INSN_ITERATIONS_AT,
    AREA_BASE = 0x1000,
    AREA_RSI = 0x8000,
    AREA_RDI = 0x10000,
    AREA_STACK = 0x1c000,
};

/* Returns the content of 64 bits of a register or of memory; `other`: of every second register. */
uint64_t insn_values_word(unsigned values, unsigned element, bool other);

/* Fills what the form reaches of the area, which is on a boundary of 8 bytes, with values that suit
 * it: no zero divisors, and no denormals. */
void insn_fill(uint8_t *area, const struct insn_view *v, unsigned values);

/* Sets every register that the form may use, except RSP, and RBP, which a window's entry needs. */
void insn_setup(struct insn_code *to, const struct insn_place *place, const struct insn_test *t);

/* Writes a link between registers, with `to` as the first operand. */
void insn_put_link(struct insn_code *code, const struct insn_place *place, enum insn_link link,
                   unsigned to, unsigned from, uint64_t immediate);

/* Writes a link to or from memory at an offset of the area. */
void insn_put_access(struct insn_code *code, const struct insn_place *place, enum insn_link link,
                     unsigned number, int32_t offset);

/* Sets a general register to its initial value, with the usual history. */
void insn_put_value(struct insn_code *code, const struct insn_place *place,
                    const struct insn_view *v, unsigned number);

/*
 * Sets what the window's entry and its clock have changed, and moves RSP into the area. With
 * `lead`, instructions follow that fill the schedulers of a form with vectors before its first
 * copy. Copies that meet empty schedulers all begin at once, and a core that has assigned units
 * badly then may keep to it to the end of a loop.
 */
void insn_put_start(struct insn_code *to, const struct insn_place *place, const struct insn_view *v,
                    bool lead);

/* Sets the pointers that copies move: RSP of the stack, RSI and RDI of strings. */
void insn_put_pointers(struct insn_code *to, const struct insn_place *place,
                       const struct insn_view *v);

/* Restores the x87, the vectors and RSP. */
void insn_put_end(struct insn_code *to, const struct insn_place *place, const struct insn_view *v);

#endif
