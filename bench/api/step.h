/*
 * Enters a function with the trap flag set (bench/api/step.asm). Both platforms build `step` from
 * this and their trap handler; lib/cpu/stepping.h counts.
 */
#ifndef BENCH_API_STEP_H
#define BENCH_API_STEP_H

#include <stdbool.h>
#include <stdint.h>

#define STEP_ARGUMENTS 6

/* The function's rax and rdx on return. */
struct step_result {
    uint64_t rax, rdx;
};

/* Runs code with the trap flag set from its first instruction on. The trap handler decides where
 * stepping ends. */
typedef struct step_result step_entry(const uint64_t argument[STEP_ARGUMENTS], const void *code);

/* Calls a function with the first five arguments, by the System V ABI. The function returns to
 * `step_back`. */
step_entry step_enter;
extern const char step_back[] __attribute__((visibility("hidden")));

/* Returns the RFLAGS that the trap handler restores. */
static inline uint64_t step_flags(uint64_t flags, bool on)
{
    const uint64_t tf = 0x100;

    return on ? flags | tf : flags & ~tf; /* POPF may have cleared it */
}

/* Executes STEP_KNOWN instructions, RET included: a test whether stepping works. */
#define STEP_KNOWN 16
void step_known(void);

#endif
