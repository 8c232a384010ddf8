/*
 * After the last row: the cores of one machine side by side. A core is pointed at where its figure
 * differs from that of the median core of its own type by more than both their intervals.
 */
#ifndef BENCH_ACROSS_CORES_COMPARE_H
#define BENCH_ACROSS_CORES_COMPARE_H

#include "bench/api/report.h"
#include "bench/model/cores.h"
#include "bench/show/grouped.h"

/* The table, and an event for each row in which cores differ. Nothing where one core measures. Of
 * rows that stand in columns, a line for each core, those in which cores differ. */
void cores_compare(const struct run_cores *cores, const struct grouped *g, struct report *r);

#endif
