/*
 * Rows that several cores run with each other (FORM_CORES): what passes between two, pair by pair,
 * and what many do to one another. The boot core sends them and judges; what they share lies in the
 * platform's memory. Ticks are those of the TSC, never core cycles: two cores have two clocks.
 */
#ifndef BENCH_CORES_CROWD_H
#define BENCH_CORES_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/cores/exchange.h"
#include "bench/context/barrier.h"
#include "bench/context/context.h"
#include "bench/model/cores.h"

struct plan;

/* Above 32 cores pairs are sampled: 32 * 31 / 2 of them, or one for each core. */
#define CROWD_ALL_PAIRS 32
#define CROWD_ROUNDS    5 /* of a contest; the middle one counts */

/* One core's part in a contest. */
struct crowd_seat {
    _Alignas(BARRIER_LINE) _Atomic uint64_t own; /* a word on a line of its own */
    uint64_t operations;                         /* in all rounds */
    uint64_t round_operations[CROWD_ROUNDS], round_ticks[CROWD_ROUNDS];
    bool complete;
};

#define CROWD_WORDS 8
/* Words of several cores on one line of 64 bytes, and no other line of theirs beside it. */
struct crowd_line {
    _Alignas(BARRIER_LINE) _Atomic uint64_t word[CROWD_WORDS];
};

struct crowd {
    struct exchange exchange;
    _Alignas(BARRIER_LINE) _Atomic uint64_t hot;             /* the one word that all change */
    _Alignas(BARRIER_LINE) _Atomic uint64_t ticket, serving; /* a ticket lock, ... */
    _Alignas(BARRIER_LINE) uint64_t guarded;                 /* ... and what it guards */
    struct crowd_line *shared;                               /* one for each CROWD_WORDS cores */

    struct plan *plan;
    const unsigned *places; /* of the plan: the cores that take part now */
    struct crowd_seat *seat;
    bool (*batch)(struct crowd *c, unsigned place, unsigned operations); /* false: time-out */
    unsigned operations;                                                 /* of a batch */
    bool silicon;
    uint64_t duration, patience; /* of a round, of a wait: ticks */

    struct meeting met; /* what comes of it */
};

/* Lines of shared words that n cores need. */
size_t crowd_lines(unsigned n);

/* Bytes of the platform's memory that n cores need for all of it. */
size_t crowd_size(unsigned n);

/* How many pairs of n cores its matrix has at the most. */
size_t crowd_pairs(unsigned n);

/* The row is wrong, or cannot be here; the first reason counts. */
void crowd_fail(struct crowd *c, enum row_status status, const char *why);

/*
 * What a row's `meet` (bench.h) can be made of.
 */
/* Every pair plays bench/cores/exchange.h. */
void crowd_pingpong(struct crowd *c);
void crowd_skew(struct crowd *c);
/* The platform's own: from the boot core to each other. */
void crowd_wake(struct crowd *c);
void crowd_ipi(struct crowd *c);
/* 1, 2, 4 ... all of them, each `operations` a batch for a fixed time. `counted` says how many of
 * them the places hold that they went for: as many as were made, or the row is wrong. */
void crowd_contest(struct crowd *c, bool (*batch)(struct crowd *, unsigned, unsigned),
                   unsigned operations, uint64_t (*counted)(const struct crowd *, unsigned cores));

#endif
