/* Writes the records of forms of suite `insn` that were not run. */
#ifndef BENCH_OUTPUT_INSN_LEFT_H
#define BENCH_OUTPUT_INSN_LEFT_H

#include "bench/output/insn_groups.h"
#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/result/insn.h"

/* Writes them, sorted by reason. written: the records of other cores. */
void insn_record_left(const struct run_facts *run, const struct insn_table *t,
                      struct insn_written *written, struct report *r);

#endif
