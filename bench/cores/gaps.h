/*
 * The gap detector (suite `quiet`, FORM_WATCH): each core of the plan in turn does nothing but read
 * its TSC for watch= milliseconds, and what holds it up shows (lib/stats/gaps.h). Its result is no row: a
 * line or a few of the table, and a record `gaps`.
 */
#ifndef BENCH_CORES_GAPS_H
#define BENCH_CORES_GAPS_H

#include "bench/api/report.h"
#include "bench/cores/plan.h"

void gaps_heading(struct report *r, const char *suite);

/* Watches on the k-th core of the plan and tells. Nothing where it is gone, or goes now. */
void gaps_watch(struct plan *plan, const struct bench *b, unsigned k, struct report *r);

#endif
