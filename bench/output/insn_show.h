/* Shows suite `insn`: what will be measured, the records of all forms, a line for each of a few. */
#ifndef BENCH_OUTPUT_INSN_SHOW_H
#define BENCH_OUTPUT_INSN_SHOW_H

#include "bench/output/insn_groups.h"
#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/result/insn.h"

void insn_heading(struct report *r, const struct run_facts *run, const char *suite);

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

#endif
