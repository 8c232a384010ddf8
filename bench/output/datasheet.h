/*
 * The ten figures that people ask for first, for a run of suites that measure the CPU itself: the
 * summary shows them in place of the figures of rows. A CPU of several core types has a column
 * for each, with the figures of the first core of the type that measured.
 */
#ifndef BENCH_OUTPUT_DATASHEET_H
#define BENCH_OUTPUT_DATASHEET_H

#include <stdbool.h>
#include "bench/api/summary_parts.h"
#include "bench/output/lines.h"
#include "bench/result/series.h"
#include "bench/result/facts.h"
#include "bench/result/insn.h"
#include "lib/config/choices.h"

#define SHEET_COLUMNS CORE_LIST_TYPES

struct sheet_figure {
    bool known;
    unsigned rank;      /* index of the name that it is from */
    double value, half; /* half UNKNOWN: not known */
    const char *unit;
    bool shared;   /* a neighbour used the core: not judged */
    bool unjudged; /* no level of the curve is of its cache, or the measurements disagree */
};

struct sheet_column {
    unsigned core;
    const char *type; /* NULL: the CPU has one */
    struct sheet_figure figure[SHEET_FIGURES];
};

struct sheet {
    unsigned columns;
    struct sheet_column column[SHEET_COLUMNS];
};

/* Take the figures that a series, a map, or the table of forms has. `type`: of the core, or
 * NULL. */
void sheet_series(struct sheet *s, const struct run_facts *run, const struct series *c,
                  const char *type);
void sheet_forward(struct sheet *s, const struct run_facts *run, const struct forward_map *m,
                   const char *type);
void sheet_forms(struct sheet *s, const struct run_facts *run, const struct insn_table *t,
                 const char *type);

/* Returns whether any figure is known. */
bool sheet_has(const struct sheet *s);

/* Writes a line of headings and one for each figure. */
void sheet_show(const struct sheet *s, const struct lines_to *to);

#endif
