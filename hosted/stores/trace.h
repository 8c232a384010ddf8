/* A call that is followed step by step: each instruction decoded, what it touches counted. */
#ifndef HOSTED_STORES_TRACE_H
#define HOSTED_STORES_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include "hosted/stores/calls.h"
#include "hosted/stores/counts.h"
#include "hosted/stores/operands.h"
#include "hosted/stores/prepare.h"

/* An instruction that was met; its number is its place in the array. */
struct met {
    struct decoded decoded;
    uint64_t runs; /* turns of a repeated string instruction each count */
};

struct trace {
    /* The caller's. */
    const struct prepared *row;
    uint64_t steps_most;
    bool verify;   /* look through all memory at each step, whether a store was missed: slow */
    bool progress; /* tell on stderr how far it is */

    struct counts counts; /* by the sites of `calls` */
    struct calls calls;
    struct met **met;
    uint32_t mets;
    uint64_t steps; /* of the body */
    uint64_t returned;
    uint32_t changed; /* of the state that it must leave as it was: struct step */
    /* It is ended before its end: what, for people; and at which instruction. Else empty. */
    char ended[200];
    uint64_t ended_at;
};

/* Runs it. The row's object stands as at first (prepare_object()). */
void trace_run(struct trace *t);
void trace_close(struct trace *t);

#endif
