/* The forms that a run measures, and memory for their figures. */
#ifndef BENCH_KINDS_INSN_FORMS_H
#define BENCH_KINDS_INSN_FORMS_H

#include <stddef.h>
#include "bench/api/platform.h"
#include "bench/result/insn.h"
#include "lib/config/options.h"
#include "lib/insn/form.h"

/* Returns the bytes that the table of the forms of bench= needs on any CPU. */
size_t insn_table_bytes(const struct options *o);

/* Makes the table in `memory`, insn_table_bytes() of it on a boundary of 8 bytes: each form with
 * its tests, or with the reason why it is not run. exact: only the first test of each form and
 * its pairs. */
struct insn_table *insn_table_make(void *memory, const struct options *o,
                                   const struct insn_support *s, const struct insn_links *links,
                                   bool exact);

/* Returns what the running core has, by CPUID and XGETBV. */
struct insn_support insn_support_here(const struct platform *p);

#endif
