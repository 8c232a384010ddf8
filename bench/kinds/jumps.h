/*
 * A chain of jumps: code with an element in each page, which jumps to the next one in a
 * pseudo-random order, in one cycle through all pages. Its time per jump shows the reach of the
 * TLBs for code, and of the branch predictor.
 *
 * Each element adds its own number to a sum. The sum of a lap is known, so that every walk is
 * checked: an element that was left out, or visited twice, is found.
 */
#ifndef BENCH_KINDS_JUMPS_H
#define BENCH_KINDS_JUMPS_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/curve/sizes.h"

#define JUMPS_LINE  64          /* bytes of an element */
#define JUMPS_REACH 0x7fe00000u /* most bytes of all pages: a jump has 32 bits */

struct jumps {
    struct order order;
    uint8_t *at;         /* the first page, where it is written */
    const uint8_t *code; /* the same, where it is executed */
    uint64_t page;
    uint32_t n;
    uint64_t sum; /* of a lap */
};

/* Writes the code: an element in each page of `bytes` bytes at `at`. Elements of the pages are in
 * different lines, as far as a page has lines: pages may be the same memory. */
void jumps_build(struct jumps *j, uint8_t *at, const uint8_t *code, uint64_t bytes, uint64_t page,
                 uint64_t seed);

/* Walks one lap. Returns the number of elements, 0: not each was visited once. The code must be
 * executable, here and below. */
uint32_t jumps_check(const struct jumps *j);

/* Walks laps, enough for a measurement, and twice as many, after a walk that is not timed. False:
 * an element was not visited. */
struct jumps_ticks {
    uint64_t once, twice, jumps; /* of the first */
};
bool jumps_time(const struct jumps *j, struct jumps_ticks *t);

/* Walks `laps` laps from an element; *sum gets what the elements added. Returns the ticks between
 * the two readings (jumps.asm). */
uint64_t jumps_walk(const uint8_t *first, uint64_t laps, uint64_t *sum);

#endif
