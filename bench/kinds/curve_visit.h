/* What a curve needs: instructions of the CPU, the caches that CPUID lists, memory, and its points;
 * and one measurement of a point. */
#ifndef BENCH_KINDS_CURVE_VISIT_H
#define BENCH_KINDS_CURVE_VISIT_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "bench/result/series.h"
#include "bench/engine/pairs.h"

/* Returns why this CPU cannot run the row; NULL: it can. */
const char *needs_lacks(const struct platform *p, const struct bench_curve *kind);

/* Returns the number of sizes of registers, 1, 2, 4 ... bytes, whose loads and stores may be
 * executed: 5, with AVX 6, with AVX-512 7. */
unsigned needs_sizes(const struct platform *p);

/* Sets the caches with which levels are compared: with an element per page the TLBs, as caches of
 * what they reach. Sets the bytes up to which sizes are wanted, or that any point needs. */
void needs_find(struct series *c, const struct platform *p);

/* Returns the size of the row's pages. */
uint64_t needs_page(const struct series *c);

/* Writes the points of the first pass that fit `bytes` bytes of memory, ascending. Returns their
 * number. */
size_t needs_points(const struct series *c, uint64_t bytes, uint64_t point[SIZES_MOST]);

/* Returns whether the size gives the figure of a cache, or of memory: it is the last one
 * inside. next: the next larger size; 0: no larger one. */
bool needs_is_representative(const struct series *c, uint64_t size, uint64_t next);

/* Returns the bytes of memory of a point; *evict: the part of them that is read to bring lines into
 * a state. */
uint64_t needs_bytes(const struct series *c, uint64_t point, uint64_t *evict);

#define NEEDS_PAGES_MOST 32768u /* elements, one per page */

/* Returns the bytes of the pages of an area that have an element, each in another line if all are
 * the same memory. */
uint64_t needs_most_pages(const struct platform_area *area);

/* --- a visit: the working set is filled, checked and timed, the witness between timed pairs --- */

#define VISIT_PAIRS 7 /* of walks that a figure is the median of */

struct visit {
    const char *wrong;                  /* a check that failed; NULL: none */
    const char *lacks;                  /* why it cannot be measured here; NULL: it can */
    uint64_t elements;                  /* visited in the check */
    struct pairs_figure exclusive, all; /* of the pairs without a neighbour, and of all */
};

/* A working set and the memory for its check. */
struct visit_set {
    const struct bench_curve *kind; /* the load that goes over it */
    const struct platform_area *area;
    uint8_t *at;    /* in the area */
    uint64_t bytes; /* or the offset of an access, converted to this type; or the state */
    uint64_t evict; /* bytes that bring lines into the state */
    uint64_t *map;  /* chase_map_bytes(); only of a chase */
    uint64_t seed;
};

/* Takes at most `pairs` pairs, up to VISIT_PAIRS, and repeats those that a neighbour disturbed a
 * few times. */
void visit_take(struct engine *e, const struct visit_set *set, unsigned pairs, struct visit *v);

#endif
