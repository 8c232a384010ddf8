/* Seeded randomness: the same numbers on every run and every machine. */
#ifndef TESTS_UNIT_RNG_H
#define TESTS_UNIT_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

/* Vigna, xorshift64*, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static inline uint64_t rng_next(struct rng *r)
{
    uint64_t x = r->state ? r->state : 0x9e3779b97f4a7c15u;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    r->state = x;
    return x * 0x2545f4914f6cdd1du;
}

/* 0 .. n-1 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
    return (rng_next(r) >> 11) % n;
}

/* 0 <= x < 1 */
static inline double rng_unit(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

#endif
