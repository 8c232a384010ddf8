/*
 * Enters a function with the trap flag set (bench/api/step.asm). Both platforms' `step` is made of
 * it, and of their handler of the trap (lib/cpu/steps.h counts).
 */
#ifndef BENCH_API_STEP_H
#define BENCH_API_STEP_H

#include <stdint.h>

#define STEP_ARGUMENTS 5

/* What the function left in rax and rdx. */
struct step_result {
    uint64_t rax, rdx;
};

/* Calls the function with these arguments, by the System V ABI. The first trap comes at its first
 * instruction, the last one at `step_back`, where the handler clears the flag. */
struct step_result step_enter(const uint64_t argument[STEP_ARGUMENTS], const void *function);
extern const char step_back[] __attribute__((visibility("hidden")));

/* STEP_KNOWN instructions, RET included: whether stepping works is tried on it. */
#define STEP_KNOWN 16
void step_known(void);

#endif
