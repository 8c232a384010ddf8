/*
 * After the last row: the cores of one machine side by side. A core is pointed at where its figure
 * differs from that of the median core of its own type by more than both their intervals.
 */
#ifndef BENCH_SHOW_CORES_COMPARE_H
#define BENCH_SHOW_CORES_COMPARE_H

#include "bench/api/report.h"
#include "bench/cores/plan.h"

/* The table, and an event for each row in which cores differ. Nothing where one core measures. */
void cores_compare(const struct plan *plan, struct report *r);

#endif
