/*
 * An order of n elements, pseudo-random or in strides, computed and not stored: the element at any
 * position can be asked for at once. A pointer chase follows it: element order_at(0) points to
 * order_at(1), and so on; the last one points to the first. Since the order is a permutation, this
 * is one cycle through all elements. Pure; integers only.
 */
#ifndef LIB_MEMORY_ORDER_H
#define LIB_MEMORY_ORDER_H

#include <stdint.h>

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
void order_init_stride(struct order *o, uint32_t n, uint32_t stride);

/* Returns the element at position t of the order, both below n. t = n is position 0 again. */
uint32_t order_at(const struct order *o, uint32_t t);

#endif
