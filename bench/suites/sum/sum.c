/*
 * The sum of 10,000 ints, from the caches and from memory: the textbook benchmark, and a row with a
 * number of bytes per operation. The 40,000 bytes fit the second-level cache of every CPU, and the
 * first-level cache of few.
 */
#include "bench/suites/sum/sum.h"
#include "bench/api/summary_parts.h"

#define INT sizeof(uint32_t)
_Static_assert(INT *SUM_INTS <= BARETICK_ROOM_MOST, "the array fits the room");

/* Prime, so no divisor of 10,000: the values are 0 to 9999, each once, unordered. */
#define STRIDE 7919

static void fill(struct baretick_object *o)
{
    uint32_t *array = o->room;

    for (uint32_t i = 0; i < SUM_INTS; i++)
        array[i] = i * STRIDE % SUM_INTS;
}

static const char *added_up(const struct baretick_object *o, uint64_t operations)
{
    const uint64_t sum = (uint64_t)SUM_INTS * (SUM_INTS - 1) / 2;

    return o->counter == operations / SUM_INTS * sum ? NULL : "the sums are not the array's";
}

/* No instruction adds more than 64 bytes (AVX-512). */
#define SUM(name_, what_, ...)                                                                     \
    BARETICK_ROW(sum, name_, what_, .body = sum_pass, .empty = sum_empty, .ops = SUM_INTS,         \
                 .grain = SUM_INTS, .room = INT * SUM_INTS, .setup = fill, .check = added_up,      \
                 .least_instructions = 1.0 / 16, .unit = "byte", .units = INT, __VA_ARGS__)

SUM(warm, "one of 10,000 ints added, the array in the caches that hold it");
SUM(cold, "one of 10,000 ints added, the array in memory", .flags = BARETICK_COLD,
    .compared_with = "warm");

SUMMARY_PART(sum, both, .rank = 3, .label = "sum", .kind = SUMMARY_PAIR, .row = {"cold", "warm"});
