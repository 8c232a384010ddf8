/* Estimates the bytes of the records of curves, limits and maps before they are measured, for the
 * time on a serial line. The constants are from reports of a Zen 4. */
#ifndef BENCH_OUTPUT_CURVE_BYTES_H
#define BENCH_OUTPUT_CURVE_BYTES_H

#include <stdint.h>

/* What a row's records are like. */
enum record_size {
    SIZE_NOTHING,
    SIZE_CURVE,
    SIZE_SHARED,
    SIZE_LIMIT,
    SIZE_MAP,
    SIZE_MATRIX,
    SIZE_KINDS
};

struct curve_bytes {
    unsigned rows[SIZE_KINDS]; /* that are selected; */
    unsigned pairs;            /* of cores, in a matrix */
    unsigned cores;            /* that measure each curve, limit and map */
    unsigned sizes;            /* of loads and stores, in a map */
    unsigned kept;             /* bytes that the platform adds to a record */
};

/* Returns about how many bytes the records have. */
uint64_t curve_bytes(const struct curve_bytes *of);

#endif
