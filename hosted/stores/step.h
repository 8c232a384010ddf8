/*
 * A function run one instruction at a time, in this process: by the trap flag, which raises SIGTRAP
 * behind each instruction. Of a repeated string instruction each turn is one (SDM volume 1,
 * 7.3.9.2). Faults of the function end it (hosted/platform/guard.h): the caller has called
 * fault_catch().
 */
#ifndef HOSTED_STORES_STEP_H
#define HOSTED_STORES_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "hosted/stores/operands.h"

struct step {
    const void *function;
    uint64_t argument[STEP_ARGUMENTS];
    /*
     * Before the instruction at `ip`, and once more when the function is `back`: then `ip` is not
     * its own. Runs in a signal's handler, between two instructions of the
     * function alone: it may do what the function does not do, malloc() among that. NULL: nothing.
     */
    void (*before)(void *ctx, uint64_t ip, bool back);
    void *ctx;
    uint64_t steps, result; /* filled: instructions, what it returned */
    /* Filled when it is back: a bit for each part of the state that a function must leave as it was
     * and that it has changed. It is as it was again. */
    uint32_t changed;
};

/* The name of bit i of `changed`; NULL from the first i on that none has. */
const char *step_state_name(unsigned i);

/* False: it did not return, *ended says why; or step_end() was called. */
bool step_call(struct step *s, struct guard_ended *ended);

/* Of `before`: leaves the function where it is. */
void step_end(void) __attribute__((noreturn));

/* Of `before`: the stack pointer. */
uint64_t step_stack(void);

/* Of `before`: the registers. Vectors and segments only where they are asked for. */
void step_registers(struct registers *r, bool vectors, bool segments);

/* Of `before`, behind an instruction that has pushed the flags: takes the trap flag, which is not
 * the program's, out of what it pushed. */
void step_clean_flags(void);

#endif
