/* Estimates the bytes of the records of curves, limits and maps before they are measured, for the
 * time on a serial line. The constants are from reports of a Zen 4. */
#ifndef BENCH_OUTPUT_CURVE_BYTES_H
#define BENCH_OUTPUT_CURVE_BYTES_H

#include <stdint.h>

/* The numbers of selected rows of each kind, and of cores. */
struct curve_bytes {
    unsigned curves, limits, maps; /* on each core that measures */
    unsigned together;             /* curves of several cores, once */
    unsigned matrices;             /* of pairs of cores, once */
    unsigned pairs;                /* of each matrix */
    unsigned cores;                /* that measure */
    unsigned sizes;                /* of registers: 1, 2, 4 ... bytes, in a map */
    unsigned kept;                 /* bytes that the platform adds to each record */
};

uint64_t curve_bytes(const struct curve_bytes *of);

#endif
