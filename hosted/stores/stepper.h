/*
 * Runs a function one instruction at a time in this process: by the trap flag, which raises SIGTRAP
 * after each instruction. Each iteration of a repeated string instruction is one step (SDM volume
 * 1, 7.3.9.2). Faults end the function (hosted/platform/signal_guard.h): call fault_catch() first.
 */
#ifndef HOSTED_STORES_STEPPER_H
#define HOSTED_STORES_STEPPER_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "hosted/stores/operands.h"

struct step {
    const void *function;
    uint64_t argument[STEP_ARGUMENTS];
    /*
     * Called before the instruction at `ip`, and once more when the function has returned (`back`):
     * then `ip` is outside it. Runs in a signal's handler, but only between two instructions of the
     * function: it may call whatever the function does not call, such as malloc(). NULL: no call.
     */
    void (*before)(void *ctx, uint64_t ip, bool back);
    void *ctx;
    uint64_t steps, result; /* output: number of instructions, the return value */
    /* Output when it has returned: a bit for each part of the state that a function must preserve
     * and that it changed. It has been restored. */
    uint32_t changed;
};

/* Returns the name of bit i of `changed`; NULL after the last one. */
const char *step_state_name(unsigned i);

/* False: it did not return, and *ended says why; or step_end() was called. */
bool step_call(struct step *s, struct guard_ended *ended);

/* Only from `before`: ends the function at this point. */
void step_end(void) __attribute__((noreturn));

/* Only from `before`: returns the stack pointer. */
uint64_t step_stack(void);

/* Only from `before`: reads the registers; vectors and segments only if requested. */
void step_registers(struct registers *r, bool vectors, bool segments);

/* Only from `before`, after an instruction that pushed the flags: clears the trap flag, which is
 * not the program's, in the pushed flags. */
void step_clean_flags(void);

#endif
