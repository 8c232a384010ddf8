/* Data of several cores: which cores measure, the result of a row that they run together, and the
 * result of a watch on one core. */
#ifndef BENCH_RESULT_CORES_H
#define BENCH_RESULT_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/result/facts.h"
#include "bench/result/row.h"
#include "lib/stats/estimate.h"
#include "lib/stats/gaps.h"

/* The cores of a run. */
struct run_cores {
    unsigned count;                       /* of the platform; 0: it knows only the running core */
    const struct core_facts *there;       /* `count` of them */
    const char *parked;                   /* how: "hlt", "mwait", "deep" */
    unsigned n;                           /* cores that measure, ... */
    const unsigned *list;                 /* ... and their numbers, ascending */
    unsigned all;                         /* cores that rows of several cores run on */
    bool together;                        /* all measure at once */
    bool divided;                         /* the machine has several nodes of memory */
    const struct run_facts *const *facts; /* of each core */
    const struct core_figure *figures;    /* of all `rows` of the registry, for each core */
    size_t rows;
};

/* A row of several cores passes over its pairs, or numbers of cores, this often: the fewest values
 * that have an interval by ranks (lib/stats/estimate.h). Odd, so that one is the median. */
#define MEETING_PASSES 11

/* The time of a transfer from core a to core b, in ticks. Or the lead of b's TSC over a's, with
 * error greatest - least. */
struct pair {
    unsigned a, b; /* core numbers */
    double least, median, greatest;
    double pass[MEETING_PASSES]; /* the median of each pass */
};

#define TEAM_STEPS 12 /* 1, 2, 4 .. 1024 cores, and all */
/* An operation on `cores` cores at once: mean ticks, those of the fastest and the slowest core; of
 * each pass, and the medians over the passes. Of TLB shootdowns: the median, the shortest and the
 * longest one; of each pass, and over all. */
struct contention_pass {
    double ticks, least, greatest;
};
struct contention {
    unsigned cores;
    struct contention_pass pass[MEETING_PASSES];
    struct estimate ticks;
    double least, greatest;
};

/* A row of several cores. */
struct team_result {
    struct row row; /* status, why; ticks per operation in figure.ticks, the same as ticks.theta */
    const struct run_cores *cores;
    struct estimate ticks;       /* over the passes: their median, and its interval */
    double pass[MEETING_PASSES]; /* the figure of each pass; `passes` of them */
    unsigned passes;
    bool signals;      /* its pairs are signals from the first core to the second */
    struct pair *pair; /* `pairs` of them, out of pairs_all */
    unsigned pairs, pairs_all;
    uint64_t backwards; /* times that a core read a TSC below the one that it had received */
    struct contention contention[TEAM_STEPS];
    unsigned contentions;
};

/* One core that watched for gaps. */
struct watch {
    struct outcome out;
    struct gaps gaps;
    struct gap_periods periods;
    uint64_t began, ended;            /* TSC; began 0: it did not watch */
    uint64_t smis_before, smis_after; /* the core's SMI counter, if the platform counts them */
};

/* All cores that watched at once. */
struct quiet {
    struct outcome out; /* not ok: a core faulted or did not answer */
    const struct run_cores *cores;
    unsigned n;          /* cores that took part */
    struct watch *watch; /* of each of cores->all */
    bool complete;       /* all of asked_s was watched */
    double asked_s;      /* the time to watch, in seconds */
};

#endif
