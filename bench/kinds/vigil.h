/* The memory of suite `quiet` (bench/kinds/quiet.h) in a plan: the result, followed by the cores'
 * watches. */
#ifndef BENCH_KINDS_VIGIL_H
#define BENCH_KINDS_VIGIL_H

#include <stddef.h>
#include <stdint.h>
#include "bench/result/cores.h"

struct crowd;

struct vigil {
    struct quiet quiet;
    struct crowd *crowd;
    uint64_t ticks; /* of the current stretch */
    struct watch watch[];
};

/* Returns its bytes for n cores. */
static inline size_t vigil_size(unsigned n)
{
    return sizeof(struct vigil) + n * sizeof(struct watch);
}

#endif
