/*
 * Places rows compiled from C, like those in NASM. The program contains bench/suites a second time,
 * as a relocatable object (bench/objects/suites.h): the rows' structs, and what they point to. User
 * rows come in objects of the same kind (bench/objects). For each placement a row's function, its
 * empty body, setup, check and before are copied from the object into the code buffer, with all
 * that they refer to and nothing else. Only these copies run; function addresses that they store
 * are those of the copies.
 *
 * The parts of a placement are at these places:
 * - code on separate cache lines. The placement moves each section by a multiple of 16 from the
 *   line's start, as far as its alignment allows: a section that is aligned to a line stays so.
 *   layout=sweep moves the function and its empty body to each byte of a line, whatever their
 *   alignment;
 * - a PLT, the GOT, and read-only data that contains addresses, after the code. Code compiled with
 *   -fPIC and default visibility is linked as by `ld -shared`, so its calls use a PLT;
 * - other read-only data once for all placements of the row;
 * - writable data in the data buffer, moved like the object, as far as its alignment allows.
 */
#ifndef BENCH_ENGINE_COMPILED_H
#define BENCH_ENGINE_COMPILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/engine/layout.h"
#include "bench/engine/window.h"
#include "lib/object/elf_place.h"

struct compiled_buffer {
    uint8_t *at; /* on a page boundary */
    size_t size;
};

struct placed;

/* The row that is placed now; one struct per engine. */
struct compiled {
    const struct elf *elf;       /* the suites' object, or the user object of the row */
    struct elf_set set;          /* the parts of it that this row needs, ... */
    bool has[BENCH_CODE_FIELDS]; /* ... the functions that the row has, ... */
    struct elf_entry entry[BENCH_CODE_FIELDS]; /* ... and their places in the set */
    uint32_t timed_parts; /* the set's first parts: those of the function and its empty body */
    struct compiled_buffer code, data;
    bool sweep;                       /* layout=sweep */
    size_t constants, constants_size; /* place in the code buffer, shared by all placements */
    size_t data_used;                 /* most bytes, wherever the data is moved to */
    const struct placed *placed;      /* place.c's: the row's placements, ... */
    unsigned placements;              /* ... and their number */
    char why[256];                    /* what failed, as a message */
    struct elf_given given[5];        /* functions that compilers call implicitly: the program's */
};

/* Called before the first row. */
void compiled_init(struct compiled *c);

/*
 * Gathers the parts that this row (FORM_FUNCTION) needs, and writes those that all its placements
 * share to the code buffer. Its writable data goes to `data`. False: `why` says what cannot be
 * placed; if it is empty, the code buffer is full.
 */
bool compiled_begin(struct compiled *c, const struct bench *b, struct code *code,
                    struct compiled_buffer data, bool sweep);

/* Writes one placement: code from code->used on, and writable data. False: as compiled_begin(). */
bool compiled_place(struct compiled *c, struct code *code, const struct placement *at);

/* Selects a placement whose code began at offset `from` of the code buffer, for compiled_address()
 * and compiled_name_at(). */
void compiled_turn_to(struct compiled *c, const struct placement *at, size_t from);

/* Restores the initial contents of writable data. */
void compiled_renew(struct compiled *c);

/* Returns a function's address in the selected placement; NULL: the row does not have it. */
const void *compiled_address(const struct compiled *c, enum bench_code_field field);

/* Returns the symbol that contains an address; *offset is the offset in it. NULL: no symbol. */
const char *compiled_name_at(const struct compiled *c, uint64_t address, uint64_t *offset);

#endif
