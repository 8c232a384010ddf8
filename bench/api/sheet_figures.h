/*
 * The ten figures of a CPU that people ask for first. bench/suites/essence_rows.c declares where
 * each is from, next to the suites that have them; bench/essence/sheet.h takes and shows them.
 */
#ifndef BENCH_API_SHEET_FIGURES_H
#define BENCH_API_SHEET_FIGURES_H

#include <stdint.h>

#define SHEET_FIGURES 10
#define SHEET_NAMES   2 /* rows or forms that can have a figure: the first one that was measured */

enum sheet_from {
    SHEET_IN_CACHE, /* of a curve: a size in the cache of level `at`, not in the one above */
    SHEET_LARGEST,  /* of a curve: its largest size, in ns, or in GB/s if bytes are moved */
    SHEET_FORWARD,  /* of a map of store forwarding: a store and a load of the same `at` bytes */
    SHEET_STEP,     /* of a limit: its first step */
    SHEET_LATENCY,  /* of a form: its longest latency that is no upper bound */
};

struct sheet_source {
    const char *label;
    const char *name[SHEET_NAMES]; /* of a curve, map, limit or form; NULL: no other */
    enum sheet_from from;
    int32_t at;
};

extern const struct sheet_source sheet_sources[SHEET_FIGURES];

#endif
