/*
 * Gaps: times at which a core that does nothing but read its TSC was held up, by an SMI, a
 * hypervisor, another program. Pure: the caller spins and hands in each one with its time. All are
 * counted; the first GAPS_KEPT are kept with their times, from which their rhythm is guessed.
 *
 * A turn of the loop is a gap when it takes GAPS_TICKS or more, and GAPS_TURNS typical turns or
 * more. 1000 ticks are 250 to 500 ns: less than an SMI (many microseconds) or an exit to a
 * hypervisor (about one), more than a cache miss or a step of any TSC. Uses SSE: not for boot/ or
 * trap handlers.
 */
#ifndef LIB_STATS_GAPS_H
#define LIB_STATS_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAPS_TICKS   1000
#define GAPS_TURNS   8
#define GAPS_KEPT    1024
#define GAPS_DECADES 8  /* below 1 us, below 10 us, ... below 1 s, 1 s and more */
#define GAPS_RHYTHM  8  /* intervals that a rhythm needs at the least, ... */
#define GAPS_EVEN    10 /* ... half of which lie within a tenth of their median */

struct gap {
    uint64_t at, ticks; /* since the start; all that the turn took beyond a typical one */
};

struct gaps {
    uint64_t typical;   /* ticks of a turn */
    uint64_t threshold; /* from which a turn is a gap */
    uint64_t watched;   /* ticks, gaps included; set by the caller */
    uint64_t count, stolen;
    struct gap longest;
    uint64_t limit[GAPS_DECADES - 1]; /* ticks from which a gap is of the next decade */
    uint64_t decade[GAPS_DECADES];
    size_t kept;
    struct gap first[GAPS_KEPT];
};

/* `typical`: ticks of an undisturbed turn, their median; hz of the TSC. */
void gaps_init(struct gaps *g, uint64_t typical, uint64_t hz);

/* A turn that took g->threshold or more and began so long after the start. */
void gaps_add(struct gaps *g, uint64_t at, uint64_t turn);

struct gaps_rhythm {
    size_t intervals; /* between the beginnings of kept gaps; 0: the rest means nothing */
    double median;    /* ticks */
    bool even;        /* they come in a rhythm, as those of a timer do */
};
/* `scratch` has room for GAPS_KEPT. */
struct gaps_rhythm gaps_rhythm(const struct gaps *g, uint64_t *scratch);

/* "1 us", ... "1 s": where the i-th decade ends; the last has no end, and "1 s" too. */
const char *gaps_decade_end(unsigned i);

#endif
