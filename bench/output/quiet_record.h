/* The records of suite `quiet`. */
#ifndef BENCH_OUTPUT_QUIET_RECORD_H
#define BENCH_OUTPUT_QUIET_RECORD_H

#include "bench/output/quiet_sum.h"
#include "bench/api/report.h"

/* Writes the record `gaps` of the k-th core, which watched. */
void quiet_record_core(const struct quiet *q, unsigned k, struct report *r);
/* Writes the record `quiet`. */
void quiet_record(const struct quiet *q, const struct quiet_sum *s, struct report *r);

#endif
