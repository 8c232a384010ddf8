/*
 * Gaps: times at which a core that only reads its TSC was interrupted by an SMI, a hypervisor or
 * another program. Pure: the caller spins and adds each gap with its time. All are counted; the
 * first GAPS_KEPT are kept with their times, from which gaps_rhythm() finds a period.
 *
 * An iteration of the loop is a gap if it takes at least GAPS_TICKS, and at least GAPS_ITERATIONS
 * typical iterations. 1000 ticks are 250 to 500 ns: less than an SMI (many microseconds) or an exit
 * to a hypervisor (about one), more than a cache miss or a step of any TSC. Uses SSE: not for boot/
 * or trap handlers.
 */
#ifndef LIB_STATS_GAPS_H
#define LIB_STATS_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAPS_TICKS      1000
#define GAPS_ITERATIONS 8
#define GAPS_KEPT       1024
#define GAPS_DECADES    8  /* below 1 us, below 10 us, ... below 1 s, 1 s and more */
#define GAPS_RHYTHM     8  /* minimum number of intervals for a rhythm, ... */
#define GAPS_EVEN       10 /* ... half of which lie within a tenth of their median */

struct gap {
    uint64_t at, ticks; /* since the start; the time of the iteration beyond a typical one */
};

struct gaps {
    uint64_t typical;      /* ticks per iteration */
    uint64_t threshold;    /* an iteration of at least this many ticks is a gap */
    uint64_t watched;      /* ticks, including gaps; set by the caller */
    uint64_t count, ticks; /* of all gaps */
    struct gap longest;
    uint64_t limit[GAPS_DECADES - 1]; /* first ticks of the next decade */
    uint64_t decade[GAPS_DECADES];
    size_t kept;
    struct gap first[GAPS_KEPT];
};

/* typical: median ticks of an undisturbed iteration; hz: of the TSC. */
void gaps_init(struct gaps *g, uint64_t typical, uint64_t hz);

/* Adds an iteration of g->threshold ticks or more that began `at` ticks after the start. */
void gaps_add(struct gaps *g, uint64_t at, uint64_t iteration);

struct gaps_rhythm {
    size_t intervals; /* between the starts of kept gaps; 0: the rest is not valid */
    double median;    /* ticks */
    bool even;        /* they are periodic, as those of a timer are */
};
/* `scratch` has room for GAPS_KEPT. */
struct gaps_rhythm gaps_rhythm(const struct gaps *g, uint64_t *scratch);

/* "1 us", ... "1 s": the end of decade i; the last has no end and returns "1 s" too. */
const char *gaps_decade_end(unsigned i);

#endif
