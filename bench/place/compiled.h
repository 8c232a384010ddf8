/*
 * Rows compiled from C, placed as those in NASM are. All that stands under bench/suites is in the
 * program a second time, as a relocatable object (bench/objects/suites.h): the rows' structs, and
 * what they point to. A person's own rows come in objects of the same kind (bench/objects). Of an
 * object a row's function, its empty twin, setup, check and before are placed into the code buffer,
 * with all that they refer to and nothing else, anew for each placement. Only these copies run; the
 * addresses of functions that they store are those of the placed ones.
 *
 * Where the parts stand in a placement:
 * - code on lines of its own, each section as many multiples of 16 behind the line's start as the
 *   placement says, as far as its alignment allows: what asks for a line keeps to it. layout=sweep
 *   moves the function and its empty twin themselves, to each byte of a line, whatever they ask
 *   for;
 * - a PLT, the GOT, and read-only data with addresses in it, behind the code. What is compiled
 *   with -fPIC and default visibility is linked as `ld -shared` does, and so has calls by a PLT;
 * - other read-only data once for all placements of the row;
 * - writable data in the data buffer, moved as the object is, as far as its alignment allows.
 */
#ifndef BENCH_PLACE_COMPILED_H
#define BENCH_PLACE_COMPILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/place/layout.h"
#include "bench/window/window.h"
#include "lib/object/elf_place.h"

struct compiled_buffer {
    uint8_t *at; /* on a page boundary */
    size_t size;
};

struct placed;

/* The row that is placed now: one in each engine. */
struct compiled {
    const struct elf *elf;       /* the suites' object, or the one that the row came with */
    struct elf_set set;          /* what this row needs of it, ... */
    bool has[BENCH_CODE_FIELDS]; /* ... which of the functions it has, ... */
    struct elf_entry entry[BENCH_CODE_FIELDS]; /* ... and where these stand in the set */
    uint32_t timed_parts; /* the first of the set: what the function and its empty twin need */
    struct compiled_buffer code, data;
    bool sweep;                       /* layout=sweep */
    size_t constants, constants_size; /* of the code buffer: where those of all placements stand */
    size_t data_used;                 /* at the most, wherever the data is moved to */
    const struct placed *placed; /* place.c's: where the row is, at this number of placements */
    unsigned placements;
    char why[256];             /* what failed, for people */
    struct elf_given given[5]; /* what compilers call by themselves: the program's own */
};

/* Before the first row. */
void compiled_init(struct compiled *c);

/*
 * Gathers what this row (FORM_FUNCTION) needs, and writes what all its placements share to the code
 * buffer. Its writable data goes to `data`. False: `why` says what it is that cannot be placed; or
 * it is empty, and the code buffer is full.
 */
bool compiled_begin(struct compiled *c, const struct bench *b, struct code *code,
                    struct compiled_buffer data, bool sweep);

/* One placement: code from code->used on, writable data too. False: as compiled_begin(). */
bool compiled_place(struct compiled *c, struct code *code, const struct placement *at);

/* Goes back to a placement, whose code began at `from` bytes of the code buffer: compiled_address()
 * and compiled_name_at() are about it. */
void compiled_turn_to(struct compiled *c, const struct placement *at, size_t from);

/* Writable data as it is at first. */
void compiled_renew(struct compiled *c);

/* In the present placement; NULL: the row has none. */
const void *compiled_address(const struct compiled *c, enum bench_code_field field);

/* The symbol that an address lies in, and how far behind its start; NULL: in none. */
const char *compiled_name_at(const struct compiled *c, uint64_t address, uint64_t *behind);

#endif
