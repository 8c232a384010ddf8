/*
 * Compares the cores of one machine, after the last row. Marks a core if its figure differs from
 * that of the median core of its type by more than both their intervals.
 */
#ifndef BENCH_ACROSS_CORES_COMPARE_H
#define BENCH_ACROSS_CORES_COMPARE_H

#include "bench/api/report.h"
#include "bench/model/cores.h"
#include "bench/show/grouped.h"

/* Writes the table, and an event for each row in which cores differ. Writes nothing if one core
 * measures. Rows that are already shown in columns are included only if cores differ. */
void cores_compare(const struct run_cores *cores, const struct grouped *g, struct report *r);

#endif
