#include "lib/memory/order.h"

/* Returns the next number of a Weyl sequence, mixed (splitmix64; Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void order_init(struct order *o, uint32_t n, uint64_t seed)
{
    uint32_t bits = 1;

    while (bits < 31 && (1u << bits) < n)
        bits++;
    o->n = n;
    o->stride = 0;
    o->mask = (1u << bits) - 1;
    o->shift = (bits + 1) / 2;
    for (unsigned i = 0; i < ORDER_ROUNDS; i++) {
        o->multiply[i] = (uint32_t)draw(&seed) | 1;
        o->add[i] = (uint32_t)draw(&seed);
    }
}

void order_init_stride(struct order *o, uint32_t n, uint32_t stride)
{
    o->n = n;
    o->stride = stride;
}

/* Permutes the numbers up to the mask: an odd factor, a sum, and an XOR with the upper half can
 * each be undone. */
static uint32_t mix(const struct order *o, uint32_t x)
{
    for (unsigned i = 0; i < ORDER_ROUNDS; i++) {
        x = (x * o->multiply[i] + o->add[i]) & o->mask;
        x ^= x >> o->shift;
    }
    return x;
}

/* Mixes again until the result is below n. Following a permutation from a number below n leads to
 * one below n, at the latest to itself; so this is a permutation of those below n. */
uint32_t order_at(const struct order *o, uint32_t t)
{
    t = t == o->n ? 0 : t;
    if (o->stride)
        return t % (o->n / o->stride) * o->stride + t / (o->n / o->stride);
    uint32_t x = mix(o, t);

    while (x >= o->n)
        x = mix(o, x);
    return x;
}
