/*
 * Rows that several cores run together (kind_team): transfers between two cores, pair by pair, and
 * contention of many. The boot core starts the others and judges; shared data is in the platform's
 * memory. Times are ticks of the TSC, never core cycles: two cores have two clocks.
 */
#ifndef BENCH_KINDS_TEAM_H
#define BENCH_KINDS_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/kinds/exchange.h"
#include "bench/engine/barrier.h"
#include "bench/engine/context.h"
#include "bench/result/cores.h"
#include "bench/engine/plan.h"

struct team_pairing;

/* With more than 32 cores pairs are sampled: 32 * 31 / 2 of them, or one for each core if that is
 * more. team_pairings() has two for each core. */
#define TEAM_ALL_PAIRS 32
#define TEAM_FIGURES   8 /* of a core in a rendezvous, at most */
#define TEAM_TIMES     8 /* rounds of a pairing, at most */
#define TEAM_NOBODY    (~0u)
#define TEAM_OWN       8192 /* bytes that a row's cores share for the row's own data */

/* One core's part in a contention, or in a curve of several cores (bench/kinds/shared_curve.c). */
struct team_core {
    _Alignas(BARRIER_LINE) _Atomic uint64_t word; /* on a separate cache line */
    uint64_t operations;                          /* in all rounds */
    uint64_t round_operations[TEAM_FIGURES], round_ticks[TEAM_FIGURES];
    bool complete;
};

#define TEAM_WORDS 8
/* Words of several cores on one cache line of 64 bytes. The line next to it is not used. */
struct team_line {
    _Alignas(BARRIER_LINE) _Atomic uint64_t word[TEAM_WORDS];
};

struct team {
    struct exchange exchange;
    _Alignas(BARRIER_LINE) uint8_t own[TEAM_OWN];            /* zero when the row begins */
    _Alignas(BARRIER_LINE) _Atomic uint64_t hot;             /* the one word that all change */
    _Alignas(BARRIER_LINE) _Atomic uint64_t ticket, serving; /* a ticket lock */
    _Alignas(BARRIER_LINE) uint64_t guarded; /* the word that the ticket lock guards */
    struct team_line *shared;                /* one for each TEAM_WORDS cores */

    struct plan *plan;
    const struct team_pairing *pairing; /* that the two cores of a pair play */
    const unsigned *places;             /* in the plan, of the cores that take part now */
    struct team_core *core;
    bool (*batch)(struct team *c, unsigned place, unsigned operations); /* false: time-out */
    unsigned operations;                                                /* of a batch */
    uint64_t (*counted)(const struct team *, unsigned cores); /* operations found in memory */
    bool silicon;
    unsigned pass, passes;       /* the current one, and their number */
    unsigned taken;              /* pairs, or numbers of cores, of this pass so far */
    unsigned per_reading;        /* operations, at least, between two readings of the TSC */
    uint64_t duration, patience; /* of a round, of a wait: ticks */
    unsigned late;               /* rendezvous of this pass for which a core came too late */
    unsigned missing;            /* a core that was late at the last one, or TEAM_NOBODY */

    struct team_result met; /* the result */
};

/* Returns the number of lines of shared words for n cores. */
size_t team_lines(unsigned n);

/* Returns the bytes of the platform's memory for all data of n cores. */
size_t team_size(unsigned n);

/* Returns the most pairs of n cores that are measured. */
size_t team_pairs_most(unsigned n);

/* Fails the row, as wrong or not supported. The first reason is kept. */
void team_fail(struct team *c, enum row_status status, const char *why);

/* --- team.c ----------------------------------------------------------------------------------- */

/*
 * Calls `once` for each pass, which measures every pair, or every number of cores, and returns
 * whether the row continues. The row's figure is the median over the passes of `figure`, with an
 * interval by ranks. In an emulator there is one pass, because its times are not judged.
 */
void team_passes(struct team *c, bool (*once)(struct team *c),
                 double (*figure)(const struct team *c));
/* Returns the median over the passes so far, with its interval. */
struct estimate team_over(const struct team *c, const double pass[]);

/* --- team_pairs.c, team_contention.c: functions for a row's `meet` (bench.h) ------------------ */

/* Run bench/kinds/exchange.h on every pair. */
void team_pingpong(struct team *c);
void team_skew(struct team *c);
/*
 * Lets each core meet two others: its neighbour in the list, and the core that is half of the list
 * away. The figure of a pass is the median of the pairs' medians.
 */
struct team_pairing {
    void (*begin)(struct team *c); /* on the boot core, before each rendezvous */
    /* On both cores at once, guarded: side 0 and side 1. */
    void (*side)(struct team *c, unsigned side);
    /* On the boot core. Returns NULL, or why the rendezvous is not complete. */
    const char *(*incomplete)(struct team *c);
    /* Writes the ticks of each round, at most TEAM_TIMES, and returns their number. ahead: of the
     * TSC of side 1. */
    unsigned (*times)(struct team *c, int64_t ahead, uint64_t ticks[TEAM_TIMES]);
};
void team_pairings(struct team *c, const struct team_pairing *pairing);
/* Measure the platform's signals, from the boot core to each other core. */
void team_wake(struct team *c);
void team_ipi(struct team *c);
/* Measures a part of TLB shootdowns by the boot core, with 1, 2, 4 ... and all other cores: the
 * row's `arg`, of enum platform_shootdown_part. */
void team_shootdown(struct team *c);
/* Runs `batch` on 1, 2, 4 ... and all cores for a fixed time, `operations` per batch. `counted`
 * returns the operations found in memory; the row is wrong unless that is the number made. */
void team_contention(struct team *c, bool (*batch)(struct team *, unsigned, unsigned),
                     unsigned operations, uint64_t (*counted)(const struct team *, unsigned cores));

/* --- team.c: a core's part in a rendezvous, guarded (bench/engine/guard.h) -------------------- */

/* Sets c->places to all cores of the plan that are not gone, ascending. Returns their number. */
unsigned team_take_places(struct team *c);

/*
 * Calls fn(ctx), which returns or is aborted; then the core leaves the barrier. Runs on a core that
 * plan_on_all() has sent to a rendezvous, at this place of c->places.
 */
void team_part(struct team *c, unsigned place, void (*fn)(void *ctx), void *ctx);
/* Waits in fn for the common start. False: a core did not arrive in time. */
bool team_pass(struct team *c, unsigned place);
/* Marks in fn the time in which this core waits for others. */
void team_waits(struct team *c, unsigned place, bool waits);

enum team_end {
    TEAM_MET,
    TEAM_AGAIN, /* a core arrived too late, perhaps without a CPU: repeat the rendezvous */
    TEAM_FAILED /* the row has failed, with the reason */
};
/* Called after a rendezvous of the first n of c->places. Returns TEAM_FAILED if a part was aborted
 * or left state of its core changed; the row then names the core. */
enum team_end team_parts_done(struct team *c, unsigned n);
/*
 * Called after a rendezvous for which a core arrived too late; `why`: the symptom. On a platform
 * that can leave a core without a CPU the rendezvous is repeated a few times, each time with a
 * longer limit. After the last time the row is unsupported if a core had no CPU; otherwise it is
 * wrong.
 */
enum team_end team_late(struct team *c, const char *why);
/* Sends the first n of c->places to fn(ctx, core), each with a cleared struct team_core. fn calls
 * team_part(). *operations: of all cores together. TEAM_MET: every part is complete. */
enum team_end team_meet(struct team *c, unsigned n, void (*fn)(void *ctx, unsigned core), void *ctx,
                        uint64_t *operations);

/* Returns whether a rendezvous may begin. False: the row is past its deadline, or the user stopped
 * the run. */
bool team_go_on(struct team *c);

/* --- team_run.c ------------------------------------------------------------------------------- */

/* The reason of a row that has only one core. */
#define TEAM_ALONE "needs two cores or more: cores=all, on a machine that has them"

/* Returns the plan's memory for rendezvous; and its bytes (bench/api/kind.h). */
static inline struct team *team_of(const struct plan *plan)
{
    return plan->shared;
}

size_t team_memory(const struct options *o, unsigned all);

/* Clears it for a row. team_has_two() returns whether two cores or more measure. */
void team_begin(struct plan *plan, const struct bench *b);
bool team_has_two(const struct plan *plan);

#endif
