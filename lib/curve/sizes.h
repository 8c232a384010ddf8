/*
 * The sizes at which a curve is measured, and how often each. First a grid of two sizes per octave,
 * later more where neighbours differ. The number of measurements follows from the time that one
 * takes at each size, from the time that there is, and from what many ask for.
 */
#ifndef LIB_CURVE_SIZES_H
#define LIB_CURVE_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/cpu/caches.h"

#define SIZES_MOST     64            /* of a curve */
#define SIZES_FIRST    4096u         /* bytes: the smallest */
#define SIZES_UNIT     1024u         /* every size is a multiple: a stride divides it */
#define SIZES_BEYOND   4             /* the largest is this many times the last-level cache */
#define SIZES_NO_CACHE (32ull << 20) /* bytes of the last-level cache if CPUID reports none */

/* Returns the bytes up to which a curve goes. largest: of the caches for data (caches_largest());
 * 0: CPUID reports none. */
static inline uint64_t sizes_wanted(uint64_t largest)
{
    return SIZES_BEYOND * (largest ? largest : SIZES_NO_CACHE);
}

/* Returns the size at which a cache for data has its figure: half way, on a logarithmic scale, from
 * the size of the cache above it; of the first cache half its size. Larger sets miss TLBs too, and
 * a shared cache holds less than its size. 0: there is no such cache. */
uint64_t sizes_of_cache(const struct cache *cache, unsigned n, unsigned level);

/* Writes `first`, twice that, 4 times that ... up to `most` bytes, ascending, if `dense` also those
 * half-way between. Returns their number, at most SIZES_MOST; 0 if `most` is below the
 * smallest. */
size_t sizes_grid(uint64_t first, uint64_t most, bool dense, uint64_t size[SIZES_MOST]);

/* Neighbours whose values differ by more than this factor get a size between them. */
#define SIZES_BEND 1.12

/*
 * Inserts a size half-way between two neighbours if their values differ by more than SIZES_BEND,
 * beginning with those that differ most, and if it is a multiple of `unit`. A value that is not
 * known is not a reason for one. size[] has n entries and room for SIZES_MOST; value[] has n.
 * Returns the new number.
 */
size_t sizes_refine(uint64_t size[SIZES_MOST], const double *value, size_t n, uint64_t unit);

/* The use of a size's figure: a higher rank gets more measurements. */
enum sizes_rank {
    SIZES_ADDED,         /* it was added where the curve bends */
    SIZES_GRID,          /* it is of the grid, or no size */
    SIZES_REPRESENTATIVE /* it gives the figure of a cache, or of memory */
};

#define SIZES_REPRESENTATIVE_TIMES 4 /* as much time as another size */

/* The cost of a size. */
struct sizes_cost {
    double seconds; /* of one measurement */
    unsigned done;  /* measurements that it has already */
    enum sizes_rank rank;
};

/* The number of measurements of each size. */
struct sizes_plan {
    unsigned visits[SIZES_MOST]; /* of each, including those that it has; 0: it is left out */
    bool shorter;                /* the largest sizes are left out */
    double seconds;              /* for the visits that are left */
};

/* Measurements of a size. */
struct sizes_visits {
    unsigned least, enough, most; /* for any figure; for one whose interval is narrow; wanted */
};

/*
 * Plans `most` measurements per size, if they take at most `budget` seconds. If not, the sizes that
 * take most time are measured less often, but `enough` times: so all get about the same time, and a
 * representative size SIZES_REPRESENTATIVE_TIMES as much. If that is not enough, sizes that were
 * added are left out, the most expensive ones first. Then all sizes are measured less often, but
 * `least` times. At last the largest sizes are left out, except the smallest two.
 */
struct sizes_plan sizes_plan(const struct sizes_cost *cost, size_t n, struct sizes_visits v,
                             double budget);

/*
 * An order of n elements, pseudo-random or in strides, computed and not stored: the element at any
 * position can be asked for at once. A pointer chase follows it: element order_at(0) points to
 * order_at(1), and so on; the last one points to the first. Since the order is a permutation, this
 * is one cycle through all elements. Pure; integers only.
 */
#define ORDER_MOST   (1u << 31) /* elements */
#define ORDER_ROUNDS 3

struct order {
    uint32_t n;
    uint32_t stride; /* of an order in strides; 0: a pseudo-random one */
    uint32_t mask;   /* of the smallest power of two that is at least n */
    uint32_t shift;  /* half of its bits */
    uint32_t multiply[ORDER_ROUNDS], add[ORDER_ROUNDS];
};

/* Draws an order of n elements, 1 to ORDER_MOST, from a seed. */
void order_init(struct order *o, uint32_t n, uint64_t seed);

/* Makes the order with a stride: every stride-th element from 0 on, then from 1 on, and so on.
 * `stride` is a divisor of n. */
static inline void order_init_stride(struct order *o, uint32_t n, uint32_t stride)
{
    o->n = n;
    o->stride = stride;
}

/* Returns the element at position t of the order, both below n. t = n is position 0 again. */
uint32_t order_at(const struct order *o, uint32_t t);

#endif
