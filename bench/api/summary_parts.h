/*
 * The parts of the summary: lines with figures of rows, and of the datasheet's ten figures. A suite
 * declares what the summary takes from it, next to its rows; bench/output/summary.c lays the lines
 * out and knows no suite by name.
 */
#ifndef BENCH_API_SUMMARY_PARTS_H
#define BENCH_API_SUMMARY_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#define SUMMARY_PARTS   8  /* the most parts */
#define SUMMARY_ROWS    20 /* the most rows of a part */
#define SUMMARY_COLUMNS 4  /* of a table */

enum summary_kind {
    SUMMARY_NAMED, /* one line: the name and the figure of each row that was run */
    SUMMARY_PAIR,  /* one line: two rows, and their difference if it has a name */
    SUMMARY_TABLE, /* a line of headings, then a line for each SUMMARY_COLUMNS rows */
    SUMMARY_TIMES, /* up to two lines: rows of several cores, in ns or else in ticks */
};

#define SHEET_FIGURES 10 /* of a datasheet, which people ask for first */
#define SHEET_NAMES   2  /* rows or forms that can have a figure: the first one that was measured */

enum sheet_from {
    SHEET_IN_CACHE, /* of a curve: a size in the cache of level `at`, not in the one above */
    SHEET_LARGEST,  /* of a curve: its largest size, in ns, or in GB/s if bytes are moved */
    SHEET_FORWARD,  /* of a map of store forwarding: a store and a load of the same `at` bytes */
    SHEET_STEP,     /* of a limit: its first step */
    SHEET_LATENCY,  /* of a form: its longest latency that is not an upper bound */
};

/* A figure of the datasheet, which is a line. */
struct sheet_source {
    const char *label;
    const char *name[SHEET_NAMES]; /* of a curve, map, limit or form; NULL: no other */
    enum sheet_from from;
    int32_t at;
};

/* A part: rows of a suite, or figures of the datasheet. */
struct summary_part {
    const char *suite;
    unsigned rank; /* parts are shown by rank, ascending; no two have the same */
    const char *label;
    enum summary_kind kind;
    const char *row[SUMMARY_ROWS]; /* names; "empty_*" is the bare window with the recipe in use */
    const char *unit; /* follows the figures, except those of bare windows; NULL: nothing does */
    /* SUMMARY_PAIR: the difference's name on a CPU; elsewhere it is "apart". NULL: not shown. */
    const char *difference;
    const char *headings[SUMMARY_COLUMNS]; /* SUMMARY_TABLE */
    struct sheet_source figure[SHEET_FIGURES];
};

/* SUMMARY_PART(suite, name, .rank = ..., further fields of struct summary_part); suite and name are
 * words without quotes. */
#define SUMMARY_PART(suite_, name_, ...)                                                           \
    static const struct summary_part summary_##suite_##_##name_ = {.suite = #suite_, __VA_ARGS__}; \
    static const struct summary_part *part_##suite_##_##name_                                      \
        __attribute__((used, section("baretick_summary"))) = &summary_##suite_##_##name_

/* Returns the i-th part by rank; NULL: there are fewer. */
const struct summary_part *summary_part(unsigned i);
/* Returns the i-th figure of the datasheet, in the order of the parts; NULL: there are fewer. */
const struct sheet_source *sheet_source(unsigned i);

#endif
