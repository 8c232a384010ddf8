/*
 * What each kind of measurement shows, but for windows (show.h): lines in the table, and records.
 * `run` is that of the core that measured.
 */
#ifndef BENCH_OUTPUT_KINDS_SHOW_H
#define BENCH_OUTPUT_KINDS_SHOW_H

#include <stdint.h>
#include "bench/api/kind.h"
#include "bench/api/report.h"
#include "bench/result/series.h"
#include "bench/result/facts.h"
#include "bench/result/cores.h"
#include "bench/output/insn_groups.h"
#include "bench/result/insn.h"

/* --- series_show.c: a curve over sizes, or counts and their steps ----------------------------- */

void series_show(const struct run_facts *run, const struct series *c, struct report *r);

/* --- series_levels.c: words of a series, and the lines about the levels of a curve ------------ */

/* Returns what the row measures; NULL: it has no struct bench_curve. */
static inline const struct bench_curve *series_curve(const struct series *c)
{
    return c->out.bench->kind->is_curve ? bench_curve(c->out.bench) : NULL;
}

/* Returns whether several cores measured it. */
static inline bool series_is_together(const struct series *c)
{
    return series_curve(c) && series_curve(c)->team != BENCH_ALONE;
}

/* Returns the unit of its figures, and with how many decimals this one is shown. */
const char *series_unit(const struct run_facts *run, const struct series *c);
int series_decimals(const struct run_facts *run, const struct series *c, double v);

/* Writes "48 KiB", "1.5 MiB", "2 GiB", at least `width` columns wide. */
void series_say_size(uint64_t bytes, int width, struct sink *out);
/* Writes why the levels or steps are not judged. */
void series_say_spoiled(const struct series *c, struct sink *out);
/* Writes the levels, each with the cache that ends there, or why they are not judged; and where the
 * curve ends, if it was meant to go further. */
void series_say_levels(const struct run_facts *run, const struct series *c, struct sink *out);

/* --- forward_show.c: a map of store forwarding, one record per size of the store -------------- */

void forward_show(const struct run_facts *run, const struct forward_map *m, struct report *r);

/* --- quiet_show.c: a line and a record `gaps` per core, and a record `quiet` for all ---------- */

void quiet_heading(struct report *r, const struct run_facts *run, const char *suite);

/* Returns the result of gaps_max=. */
enum quiet_result quiet_show(const struct quiet *q, struct report *r);

/* --- insn_show.c: forms of instructions, a line for each of a few ----------------------------- */

/* Writes, before the first pass, the number of forms, the time, and the bytes of the records.
 * `cores`: the number that measures forms. `others`: bytes of the curves of the run. */
void insn_show_plan(const struct run_facts *run, const struct insn_table *t, unsigned cores,
                    uint64_t others, struct report *r);

/* Records of the cores before: of forms that ran, and of those that did not. */
struct insn_records {
    struct insn_written ran, left;
};

/* Writes the forms' figures, the forms that were not run, and a summary. */
void insn_show(const struct run_facts *run, const struct insn_table *t, struct insn_records *before,
               struct report *r);

/* --- curve_bytes.c: bytes of records before they are measured --------------------------------- */

/* Estimates the bytes of the records of curves, limits and maps before they are measured, for the
 * time on a serial line. The constants are from reports of a Zen 4. */

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

/* --- quiet_sum.c: sums up suite `quiet` over its cores, and judges it by gaps_max= ------------ */

/* The share of the moments whose wait is reported: docs/quiet.md "What is measured". */
#define QUIET_SHARE 0.99999

enum quiet_result {
    QUIET_NOT_ASKED,  /* no gaps_max= */
    QUIET_NOT_JUDGED, /* no gap is too long, but a core is missing, or not all of the time was
                         watched, or the TSC's frequency is not known */
    QUIET_PASS,
    QUIET_FAIL /* a gap is too long */
};

struct quiet_sum {
    unsigned cores;         /* that watched */
    unsigned longest, wait; /* places of the cores with the longest gap and wait */
    double wait_ticks;      /* of that core */
    double least_watched;   /* share of the time that was watched, on the core with the least */
    enum quiet_result result;
};

/* With cores = 0 only `result` is valid. */
struct quiet_sum quiet_sum(const struct quiet *q);

/* Returns whether this core's longest gap exceeds gaps_max=. */
bool quiet_exceeds(const struct quiet *q, unsigned k);

/* Returns the share of the time from begin to end that the core watched, 0 to 1. */
double quiet_watched(const struct watch *w);

/* Returns what can cause a gap where the program runs. */
const char *quiet_causes(const struct run_facts *run);

/* Returns a time of this core in us; UNKNOWN: the TSC's frequency is not known. */
double quiet_us(const struct quiet *q, unsigned k, double ticks);

#endif
