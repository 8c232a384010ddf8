/* A call traced step by step: decodes each instruction and counts what it touches. */
#ifndef HOSTED_STORES_TRACE_H
#define HOSTED_STORES_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include "hosted/stores/call_stack.h"
#include "hosted/stores/counts.h"
#include "hosted/stores/operands.h"
#include "hosted/stores/prepare.h"
#include "lib/text/sink.h"

/* An executed instruction; its number is its index in the array. */
struct met {
    struct decoded decoded;
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
    struct met **met;
    uint32_t mets;
    uint64_t steps; /* of the body */
    uint64_t returned;
    uint32_t changed; /* state that it must preserve: struct step */
    /* Why the trace ended early, for the user, and at which instruction. Else empty. */
    char ended[200];
    uint64_t ended_at;
};

/* Runs the call. The row's object must be initialised (prepare_object()). */
void trace_run(struct trace *t);
void trace_close(struct trace *t);

/* Writes a trace as JSON Lines for scripts/assembly/stores.py: one object of type `trace`; then,
 * for each instruction that touched memory, one of type `instruction`, followed by one of type
 * `stack` for each stack of calls that it ran in, with the counts for that stack.
 * `wrong`: the message of the row's check, or NULL. False: out of memory. */
bool show_trace(const struct trace *t, const char *wrong, struct sink *out);

#endif
