/* Suite `insn` (FORM_INSN) on a core of the plan: the table of instruction forms. */
#ifndef BENCH_KINDS_FORMS_KIND_H
#define BENCH_KINDS_FORMS_KIND_H

#include "bench/kinds/plan.h"
#include "bench/result/insn.h"

/* Makes the table of the k-th core, without figures. NULL: the core is gone. It is valid until the
 * next core's. */
struct insn_table *forms_plan(struct plan *plan, const struct bench *b, unsigned k);

/* Measures it on that core. False: the core is gone. If the user stops the run, the table has the
 * figures so far. */
bool forms_measure(struct plan *plan, unsigned k);

#endif
