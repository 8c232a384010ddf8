/* What concerns several cores: which measure, what comes of a row that they run with each other,
 * and of a watch on one of them. */
#ifndef BENCH_MODEL_CORES_H
#define BENCH_MODEL_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/model/facts.h"
#include "bench/model/row.h"
#include "lib/stats/gaps.h"

/* The cores of a run. */
struct run_cores {
    unsigned count;                       /* of the platform; 0: it knows only the one that runs */
    const struct core_facts *there;       /* `count` of them */
    const char *parked;                   /* how: "hlt", "mwait" */
    unsigned n;                           /* cores that measure, */
    const unsigned *list;                 /* their numbers, ascending, */
    bool together;                        /* all at once */
    const struct run_facts *const *facts; /* of each */
    const struct core_figure *figures;    /* of each those of all `rows` of the registry */
    size_t rows;
};

/* What passed from core a to core b, in ticks; of the TSCs' difference: b is ahead, `error` in
 * greatest - least. */
struct pair {
    unsigned a, b; /* core numbers */
    double least, median, greatest;
};

#define CROWD_STEPS 12 /* 1, 2, 4 .. 1024 cores, and all */
/* One operation by `cores` cores at once: a core's ticks, and the quickest and slowest core's. */
struct contest {
    unsigned cores;
    double ticks, least, greatest;
};

/* A row of several cores. */
struct meeting {
    const struct run_cores *cores;
    struct row row;    /* status, why, ticks an operation in headline.ticks */
    bool signals;      /* its pairs are signals from the boot core to each other */
    struct pair *pair; /* `pairs` of them, out of pairs_all */
    unsigned pairs, pairs_all;
    uint64_t backwards; /* times that a core read a TSC below the one it had been sent */
    struct contest contest[CROWD_STEPS];
    unsigned contests;
};

/* What one core saw that watched for gaps. */
struct watch {
    struct gaps gaps;
    struct gaps_rhythm rhythm;
    uint64_t nmis, smis;          /* meanwhile */
    uint64_t kept[PLATFORM_KEPT]; /* what happened to the core, as the platform keeps it */
};

#endif
