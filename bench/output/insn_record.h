/* Writes the records of suite `insn`: several forms per record, in columns. */
#ifndef BENCH_OUTPUT_INSN_RECORD_H
#define BENCH_OUTPUT_INSN_RECORD_H

#include "bench/output/insn_groups.h"
#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/result/insn.h"

/* Writes the forms that were run. written: the records of other cores. */
void insn_record_forms(const struct run_facts *run, const struct insn_table *t,
                       struct insn_written *written, struct report *r);

/* --- insn_bytes.c: the estimate, for the time on a serial line -------------------------------- */

/* Returns the approximate number of bytes that insn_record_forms() and insn_record_left() will
 * write. */
uint64_t insn_record_bytes(const struct insn_table *t);
/* The same for another core with the same forms. */
uint64_t insn_record_bytes_again(const struct insn_table *t);

#endif
