/* Traces one call of a row's body step by step: prepares the row, runs it one instruction at a
 * time, decodes each instruction and counts what it touches, and shows the counts. */
#ifndef HOSTED_STORES_TRACE_H
#define HOSTED_STORES_TRACE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "hosted/stores/counts.h"
#include "lib/text/sink.h"

/*
 * --- operands.c ---
 * Decodes the memory accesses of the next instruction with Zydis, and computes their addresses from
 * the registers before it runs. Includes operands that its text does not show: stacks, strings,
 * masks, gathered and scattered elements.
 *
 * Only accesses that will happen are listed: none for a masked-out lane, none for a string
 * instruction whose count is 0. An instruction that may leave its operand unchanged (CMPXCHG, a
 * shift by CL) always stores to it, as processors do (SDM volume 2, CMPXCHG: "the destination
 * receives a write cycle without regard to the result"). Prefetches, flushes, LEA and long NOPs
 * touch nothing.
 */

#define OPERANDS_LENGTH  15 /* maximum bytes of an instruction: SDM volume 2, 2.3.11 */
#define OPERANDS_TOUCHES 20 /* of one instruction, at most: 16 elements are scattered */
#define OPERANDS_TEXT    96

enum general { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI }; /* in the order of their encoding */

/* The registers before an instruction. */
struct registers {
    uint64_t general[16];
    uint64_t fs, gs; /* the bases of these segments */
    /* Set if the instruction has `needs_vectors`. */
    uint8_t vector[32][64];
    uint64_t mask[8]; /* k0 ... k7 */
};

/* A decoded instruction, independent of the registers. */
struct decoded {
    uint64_t address;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    const char *refused; /* why it cannot be stepped; NULL: it can */
    bool needs_vectors;
    bool needs_segments; /* needs fs and gs */
    bool pushes_flags;   /* including the trap flag, which is not the program's */
    bool calls, returns; /* near */
};

/* Decodes an instruction. False: these `n` bytes are not an instruction. */
bool operands_decode(struct decoded *d, uint64_t address, const uint8_t *bytes, size_t n);

/* Fills t[OPERANDS_TOUCHES]; returns the number. */
unsigned operands_touches(const struct decoded *d, const struct registers *r, struct touch *t);

/* Writes the instruction in Intel syntax. */
void operands_text(const struct decoded *d, char text[OPERANDS_TEXT]);

/* --- prepare.c: a row for one call of its body, as the program does for its windows --- */

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
 * "window" for the rest of the code buffer. Neither name is known if it is not in the row.
 */
struct prepare_place {
    const char *symbol, *section;
    uint64_t offset, into;
};
struct prepare_place prepare_place_of(uint64_t address);

/* Lists the writable memory that the body uses: the data buffer, the stack. Returns the number. */
struct prepare_stretch {
    const uint8_t *from;
    size_t bytes;
};
unsigned prepare_stretches(struct prepare_stretch out[2]);

/*
 * --- stepper.c ---
 * Runs a function by the trap flag, which raises SIGTRAP after each instruction. Each iteration of
 * a repeated string instruction is one step (SDM volume 1, 7.3.9.2). Faults end the function
 * (hosted/platform/signal_guard.h): call fault_catch() first.
 */

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

/* The parts of the state, in the order of their bits in `changed`. */
#define STEP_STATES 13
extern const struct step_state {
    const char *name;
    int at;        /* index in gregs; -1: in the x87 and SSE state */
    uint64_t bits; /* the bits to compare */
} step_states[STEP_STATES];

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

/* --- trace.c --- */

/* An executed instruction. */
struct met {
    struct decoded decoded; /* begins with the address, by which it is found */
    uint32_t number;
    uint64_t runs; /* each iteration of a repeated string instruction counts */
};

struct trace {
    /* Set by the caller. */
    const struct prepared *row;
    uint64_t steps_most;
    bool verify;   /* search all memory for missed stores at each step: slow */
    bool progress; /* show progress on stderr */

    struct counts counts; /* by the sites of `calls` */
    struct calls calls;
    struct hash_table met; /* struct met */
    uint64_t steps;        /* of the body */
    uint64_t returned;
    uint32_t changed; /* state that it must preserve: struct step */
    /* Why the trace ended early, for the user, and at which instruction. Else empty. */
    char ended[200];
    uint64_t ended_at;
};

static inline const struct met *trace_met(const struct trace *t, uint32_t number)
{
    return t->met.entry[number];
}

/* Runs the call. The row's object must be initialised (prepare_object()). */
void trace_run(struct trace *t);
static inline void trace_close(struct trace *t)
{
    hash_table_close(&t->met);
    counts_close(&t->counts);
    calls_close(&t->calls);
}

/* --- show.c --- */

/* Writes a trace as JSON Lines for scripts/assembly/stores.py: one object of type `trace`; then,
 * for each instruction that touched memory, one of type `instruction`, followed by one of type
 * `stack` for each stack of calls that it ran in, with the counts for that stack.
 * `wrong`: the message of the row's check, or NULL. False: out of memory. */
bool show_trace(const struct trace *t, const char *wrong, struct sink *out);

#endif
