/* A row made ready for one call of its body, as the program makes it ready for its windows. */
#ifndef HOSTED_STORES_PREPARE_H
#define HOSTED_STORES_PREPARE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "lib/text/sink.h"
#include "hosted/stores/step.h"

/*
 * What is called, and which part of that is the body: from the instruction at `from` until the one
 * at `to` is next. 0: the whole function.
 */
struct prepared {
    const struct bench *bench;
    uint64_t operations;
    const void *function;
    uint64_t argument[STEP_ARGUMENTS];
    bool returns_status; /* 0, or that an operation failed */
    uint64_t from, to;
};

/* Memory at the addresses that a run works at. Once, when all objects are there. False: a message
 * says what could not be had. */
bool prepare_open(struct sink *err);
/* Calls f(argument) on that memory's stack. */
void prepare_on_stack(void (*f)(void *), void *argument);

/*
 * Places the row. operations 0: as many as a window has. `from` and `to`: names of symbols of the
 * row's object, or NULL. False: a message that names the row and what is allowed.
 */
bool prepare_row(struct prepared *p, const struct bench *b, uint64_t operations, const char *from,
                 const char *to, struct sink *err);

/* The object as it is at first, and the row's setup. It may fault, or not come back in time: false,
 * and a message. */
bool prepare_object(const struct prepared *p, struct sink *err);
/* Whether the operations have left behind what they must: NULL, or what is wrong. */
const char *prepare_check(const struct prepared *p);

/*
 * Where an address of placed code is: the symbol, how far behind it; the section of its object and
 * how far into it. A row in NASM has no sections; "body" and "callee" are its symbols, and "window"
 * is what else stands in the code buffer. False: it is none of the row's.
 */
struct prepare_place {
    const char *symbol, *section;
    uint64_t behind, into;
};
bool prepare_place_of(uint64_t address, struct prepare_place *place);

/* Writable memory that the body works on: the data buffer, the stack. How many. */
struct prepare_stretch {
    const uint8_t *from;
    size_t bytes;
};
unsigned prepare_stretches(struct prepare_stretch out[2]);

#endif
