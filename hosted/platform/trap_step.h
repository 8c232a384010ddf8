/*
 * Runs a function one instruction at a time in this process: by the trap flag, which raises SIGTRAP
 * after each instruction. Within guard_call() (hosted/platform/signal_guard.h) stepping always ends
 * with the call, whatever ends it.
 */
#ifndef HOSTED_PLATFORM_TRAP_STEP_H
#define HOSTED_PLATFORM_TRAP_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>
#include "bench/api/platform.h"

/* Handles SIGTRAP; one that is not a step goes to `otherwise`. */
void step_open(void (*otherwise)(int number, siginfo_t *info, void *context));

/* The platform's step counter. */
struct step_result step_counted(struct stepping *s, step_entry *entry, const void *code,
                                const uint64_t argument[STEP_ARGUMENTS]);

/* Calls entry(argument, code); each(ctx, at) is called in a signal's handler at the code's first
 * instruction and after each instruction. If it returns true, the next one traps too. */
typedef bool step_each(void *ctx, ucontext_t *at);
struct step_result step_run(step_each *each, void *ctx, step_entry *entry, const void *code,
                            const uint64_t argument[STEP_ARGUMENTS]);

/* Ends stepping in the middle of the call. */
void step_drop(void);

#endif
