/*
 * Assigns rows to cores: every row runs on each core of cores= in turn, so that cores are compared
 * at nearly the same time. Each core has a separate engine with its step, ruler and execution,
 * since the cores of one machine can differ. share=alone: one core at a time, all with the same
 * memory. share=together: each row on each core alone, then on all at once. With cores=types one
 * core of each type measures, and rows of several cores run on all usable cores.
 *
 * All data is in the platform's memory, which all cores share, after the boot core's engine
 * (bench/api/platform.h).
 */
#ifndef BENCH_ENGINE_PLAN_H
#define BENCH_ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/engine/barrier.h"
#include "bench/engine/poll.h"
#include "bench/engine/context.h"
#include "bench/result/cores.h"
#include "bench/api/kind.h"
#include "bench/engine/probe_run.h"

struct cycle_check;
struct gathered;
struct insn_table;
struct probe;

/* One core that measures. It writes here while others measure, so it has separate cache lines. */
struct plan_core {
    _Alignas(BARRIER_LINE) struct engine engine;
    struct gathered *gathered; /* this core's results of the current row so far */
    struct row row;            /* the last row that has ended */
    struct gate gate;
    uint64_t nmis; /* seen on this core so far */
    struct core_figure alone;
    bool has_row;          /* `row` is the current row */
    bool waits;            /* in a rendezvous: it waits for the others */
    bool back;             /* it has finished its task */
    const char *gone;      /* why it measures no more: a fault, or `unlike` */
    bool reported;         /* the report has the reason in `gone` */
    const char *unlike_in; /* what differs from the boot core: "execution" or "cycle" */
    char unlike[240];      /* a message about the difference; empty: nothing differs */
};

struct plan {
    const struct platform *p;
    const struct options *o;
    bool together;
    unsigned n;   /* cores that measure */
    unsigned all; /* these, and then those on which only rows of several cores run */
    struct plan_core *core;
    unsigned *list;                 /* `all` numbers; of the first n and of the others ascending */
    const struct run_facts **facts; /* of each */
    struct run_cores cores;         /* the same, for reports */
    unsigned *present;              /* the cores of the current task of several cores */
    unsigned *places;               /* their places in the list */
    struct barrier barrier;
    struct barrier_line *line;   /* memory for `all` */
    struct core_figure *figures; /* of all rows, for each of the n cores */
    unsigned rounds, round;      /* passes over the list of rows; the current one */
    unsigned stage;              /* of a row: the core that measures alone, or n: all at once */
    bool one_for_memory;         /* one round, because more do not fit PLAN_STORE */
    uint64_t *store;             /* results of each row on each core; rounds = 1: in the engines */
    size_t store_words;          /* of one result */
    size_t *place;               /* index in the store of each row of the registry */
    uint64_t *took;              /* ticks of each row's last round; 0: not known */
    uint64_t *memory;            /* of the engines that cannot share the boot core's */
    const struct bench *bench;   /* the current row, ... */
    size_t index;                /* ... and its place in the registry */
    struct probe *probe;         /* of the core that was probed last */
    struct poll *poll;           /* of all engines */
    struct cycle_check *counter; /* of the core that was probed last */
    double late;                 /* seconds by which curves of several cores took too long */
    void *shared;                /* memory for the row's kind (bench/api/kind.h) */
    struct insn_table *forms;    /* of the core that measures it (bench/kinds/forms_kind.c) */
};

/* Most bytes for all cores' results between rounds. If they need more, there is one round. */
#define PLAN_STORE (32u << 20)

/* Returns whether a row is measured in rounds; other rows are measured in the last round. */
bool plan_in_rounds(const struct options *o, const struct bench *b);

/* Returns whether cores= names only cores of this platform, at least one of them usable. If not,
 * writes a message that names them and the available cores. */
bool plan_check(const struct platform *p, const struct options *o, struct sink *err);

/* Makes the plan of a run. The boot core's engine must be initialised and probed. */
struct plan *plan_make(const struct engine *boot);

/* Call fn(ctx, core) on the k-th core alone, or on n cores at once (places of the plan). Return
 * NULL, or what went wrong; cores that faulted are then gone. */
const char *plan_on(struct plan *plan, unsigned k, void (*fn)(void *, unsigned), void *ctx);
const char *plan_on_all(struct plan *plan, const unsigned *places, unsigned n,
                        void (*fn)(void *, unsigned), void *ctx);

/* Returns whether cores of the last plan_on_all() were without a CPU for so long that a core which
 * did not arrive in time is not at fault; *core: the one that was starved longest. */
bool plan_starved(const struct plan *plan, unsigned *core);
/* The reason of a row that fails then. */
#define PLAN_STARVED "core %u was not given the CPU in time"

/* Returns what the plan knows about a core. */
struct plan_core *plan_core(struct plan *plan, unsigned core);

/* --- plan_rows.c: probes the cores, and measures rows on one core or on all at once ----------- */

/* The kind of rows with windows (bench/api/kind.h). */
extern const struct kind kind_windows;

/* Measures the k-th core's step and ruler, and starts its counter of core cycles. The probe is then
 * in plan->probe, the check of the counter in plan->counter. Does nothing for the boot core. False:
 * the core is gone. */
bool plan_probe(struct plan *plan, unsigned k);

/* Ends row `index` on the k-th core before the last round, with the rounds that it has, if any. */
void plan_end(struct plan *plan, size_t index, unsigned k);

/* Returns a row's results on a core so far; NULL: no complete round, or the run has only one. */
const struct gathered *plan_gathered(const struct plan *plan, size_t index, unsigned k);

/* Returns the ticks for which the row that ended last was single-stepped, on all cores. */
uint64_t plan_stepped(const struct plan *plan);

/* Returns the current row if it has ended on the k-th core. NULL: the core was gone before, or the
 * run was stopped first. Valid until the next row is measured. */
const struct row *plan_row(const struct plan *plan, unsigned k);

/* Stops the counters after the last row, each on its core, and restores their former state. */
void plan_release(struct plan *plan);

/* Returns the number of NMIs and machine checks on all cores since their last rows. */
uint64_t plan_interruptions(struct plan *plan);

/* --- one_core.c: rows that a core measures alone, not in rounds: curves, limits, maps, watches */

struct one_core {
    /* Measures, on the core. `memory` is the engine's; its first `bytes` are zero, except for the
     * row that they begin with: its bench and core are set, and its events are counted. */
    void (*measure)(struct engine *e, void *memory);
    size_t bytes;
};

/* Measures the row on the k-th core of the plan, in kind->ms(b) milliseconds, or more if earlier
 * rows of its suite took less: the engine's `spare.row`, from which deadline= counts. Returns the
 * engine's memory, which is valid until the next row. NULL: the core is gone, or the run was
 * stopped. */
void *one_core_measure(struct plan *plan, const struct bench *b, unsigned k,
                       const struct one_core *s);

#endif
