/*
 * K-best (Bryant and O'Hallaron, "Computer Systems: A Programmer's Perspective", 2003, section
 * 9.4): takes samples until the K smallest lie within a factor of 1 + epsilon; the smallest of them
 * is the result. On a TSC that moves in steps the result has an error of +- one step. Uses SSE: not
 * for boot/ or trap handlers.
 */
#ifndef LIB_STATS_KBEST_H
#define LIB_STATS_KBEST_H

#include <stdbool.h>
#include <stdint.h>

#define KBEST_MOST 32

struct kbest {
    unsigned k;
    double epsilon;
    uint64_t max;

    uint64_t taken;                /* samples so far */
    unsigned held;                 /* number of them in smallest: the lesser of taken and k */
    uint64_t smallest[KBEST_MOST]; /* ascending; smallest[0] is the result */
    bool converged; /* the k-th smallest is at most (1 + epsilon) times the smallest */
};

/* docs/literature.md: 3, 0.05, 500. k is 1 .. KBEST_MOST, epsilon >= 0, max >= k (otherwise it
 * cannot converge). */
void kbest_start(struct kbest *b, unsigned k, double epsilon, uint64_t max);
/* Returns true if it needs another sample; false if it converged or took max samples. */
bool kbest_add(struct kbest *b, uint64_t ticks);

#endif
