/*
 * Which rows run where: every row on each core of cores= in turn, so that cores are compared at
 * nearly the same moment. Each core has an engine of its own, and its own step, ruler and execution
 * in it, since the cores of one machine can differ. share=alone: one core at a time, all with the
 * same memory. share=together: each row on each core alone, then on all at once.
 *
 * All of it lies in the platform's memory, behind the boot core's engine: that is what all cores
 * see (bench/api/platform.h).
 */
#ifndef BENCH_CORES_PLAN_H
#define BENCH_CORES_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/barrier.h"
#include "bench/context/context.h"
#include "bench/context/gate.h"
#include "bench/context/pace.h"
#include "bench/model/cores.h"

struct crowd;
struct cycle_check;
struct gathered;
struct probe;

/* One core that measures; it writes here while others measure, hence on lines of its own. */
struct seat {
    _Alignas(BARRIER_LINE) struct engine engine;
    struct gathered *gathered; /* what the row that runs has gathered here so far */
    struct row row;            /* the last one that is at its end */
    struct gate gate;
    uint64_t nmis; /* seen on this core so far */
    struct core_figure alone;
    bool has_row;          /* `row` is the one that runs */
    bool waits;            /* in a meeting: for the others */
    bool back;             /* it has done what it was sent for */
    const char *gone;      /* a fault, or `unlike`: it measures no more; ... */
    bool told;             /* ... and the report says so */
    const char *unlike_in; /* "execution" or "cycle": what differs from the boot core */
    char unlike[240];      /* how; empty: nothing differs */
};

struct plan {
    const struct platform *p;
    const struct options *o;
    bool together;
    unsigned n; /* cores that measure */
    struct seat *seat;
    unsigned *list;                 /* their numbers, ascending */
    const struct run_facts **facts; /* of each */
    struct run_cores cores;         /* the same, for reports */
    unsigned *present;              /* those that were sent for something together, */
    unsigned *places;               /* and their places in the list */
    struct barrier barrier;
    struct barrier_line *line;   /* room for n */
    struct core_figure *figures; /* n times those of all rows */
    unsigned rounds, round;      /* over the list of rows; the one that runs */
    unsigned stage;              /* of a row: the core that is at it alone, or n: all at once */
    bool one_for_memory;         /* more were asked for, and do not fit PLAN_STORE */
    uint64_t *store;    /* what each row gathers on each core; rounds = 1: the engines' own */
    size_t store_words; /* of one */
    size_t *place;      /* of each row of the registry among those that are kept */
    uint64_t *took;     /* ticks that each row took in its last round; 0: not known */
    uint64_t *memory;   /* of the engines that cannot share the boot core's */
    const struct bench *bench;   /* the row that runs */
    struct probe *probe;         /* of the core that was probed last */
    struct pace *pace;           /* all engines' */
    struct cycle_check *counter; /* of the core that was probed last */
    struct crowd *crowd; /* where cores meet in rows that need several (bench/cores/crowd.h) */
};

/* Bytes that rows may take between rounds, on all cores. Where they would take more there is one
 * round. */
#define PLAN_STORE (32u << 20)

/* Whether a row is measured in rounds; one that is not is measured in the last. */
bool plan_in_rounds(const struct options *o, const struct bench *b);

/* Whether cores= names only cores that this platform has, and one at least that is usable. If not,
 * a message for people, which names them and what there is. */
bool plan_check(const struct platform *p, const struct options *o, struct sink *err);

/* The plan of a run whose boot core's engine is initialised and probed. */
struct plan *plan_make(const struct engine *boot);

/* fn(ctx, core) on the k-th core alone, or on n of them at once (places of the plan). NULL, or
 * what went wrong; then seats whose cores faulted are gone. */
const char *plan_on(struct plan *plan, unsigned k, void (*fn)(void *, unsigned), void *ctx);
const char *plan_on_all(struct plan *plan, const unsigned *places, unsigned n,
                        void (*fn)(void *, unsigned), void *ctx);

/* The seat of a core. */
struct seat *plan_seat(struct plan *plan, unsigned core);

#endif
