/* Prepares a row for one call of its body, as the program does for its windows. */
#ifndef HOSTED_STORES_PREPARE_H
#define HOSTED_STORES_PREPARE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "lib/text/sink.h"
#include "hosted/stores/stepper.h"

/* The function to call, and the part of it that is the body: from the instruction at `from` up to,
 * not including, the one at `to`. 0: the whole function. */
struct prepared {
    const struct bench *bench;
    uint64_t operations;
    const void *function;
    uint64_t argument[STEP_ARGUMENTS];
    bool returns_status; /* 0, or nonzero if an operation failed */
    uint64_t from, to;
};

/* Maps memory at the addresses that a run uses. Call once, when all objects are loaded. False: a
 * message says what is missing. */
bool prepare_open(struct sink *err);
/* Calls f(argument) on that memory's stack. */
void prepare_on_stack(void (*f)(void *), void *argument);

/* Places the row. operations 0: as many as a window has. `from` and `to`: symbols of the row's
 * object, or NULL. False: a message names the row and what is allowed. */
bool prepare_row(struct prepared *p, const struct bench *b, uint64_t operations, const char *from,
                 const char *to, struct sink *err);

/* Initialises the object and runs the row's setup. False, with a message: it faulted or took too
 * long. */
bool prepare_object(const struct prepared *p, struct sink *err);
/* Checks the results of the operations. Returns NULL, or what is wrong. */
const char *prepare_check(const struct prepared *p);

/*
 * Describes an address of placed code: the symbol and the offset from it; the section of its object
 * and the offset in it. A row in NASM has no sections; its symbols are "body" and "callee", and
 * "window" for the rest of the code buffer. False: not an address of the row.
 */
struct prepare_place {
    const char *symbol, *section;
    uint64_t offset, into;
};
bool prepare_place_of(uint64_t address, struct prepare_place *place);

/* Lists the writable memory that the body uses: the data buffer, the stack. Returns the number. */
struct prepare_stretch {
    const uint8_t *from;
    size_t bytes;
};
unsigned prepare_stretches(struct prepare_stretch out[2]);

#endif
