/*
 * Enters a function with the trap flag set (bench/api/step.asm). Both platforms' `step` is made of
 * it, and of their handler of the trap (lib/cpu/steps.h counts).
 */
#ifndef BENCH_API_STEP_H
#define BENCH_API_STEP_H

#include <stdbool.h>
#include <stdint.h>

#define STEP_ARGUMENTS 6

/* What the function left in rax and rdx. */
struct step_result {
    uint64_t rax, rdx;
};

/* Runs code with the trap flag set from its first instruction on. Where stepping is to end is the
 * handler's to know. */
typedef struct step_result step_entry(const uint64_t argument[STEP_ARGUMENTS], const void *code);

/* Calls a function with the first five arguments, by the System V ABI. After its RET it is at
 * `step_back`. */
step_entry step_enter;
extern const char step_back[] __attribute__((visibility("hidden")));

/* RFLAGS as a handler of the trap leaves them. */
static inline uint64_t step_flags(uint64_t flags, bool on)
{
    const uint64_t tf = 0x100;

    return on ? flags | tf : flags & ~tf; /* POPF may have cleared it */
}

/* STEP_KNOWN instructions, RET included: whether stepping works is tried on it. */
#define STEP_KNOWN 16
void step_known(void);

#endif
