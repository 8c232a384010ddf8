/*
 * Rows for the cost of the measurement itself: the empty window with every recipe, and the call of
 * a C function that does nothing, or almost nothing.
 */
#include "bench/suites/baseline/baseline.h"
#include "bench/api/counted.h"
#include "bench/api/summary_parts.h"

#define EMPTY(name_, ENUM_)                                                                        \
    BENCH(baseline, empty_##name_, .what = "nothing between the two readings",                     \
          .window.form = FORM_EMPTY, .ops = 1, .window.recipe = RECIPE_##ENUM_)
EMPTY(plain, PLAIN);
EMPTY(rdtscp, RDTSCP);
EMPTY(xfence, XFENCE);
EMPTY(paoloni, PAOLONI);
EMPTY(cpuid, CPUID);
EMPTY(mfence, MFENCE);
EMPTY(lfence, LFENCE);
EMPTY(serialize, SERIALIZE);

BENCH(baseline, do_nothing, .what = "a call of a C function that returns 0",
      .window.form = FORM_FUNCTION, .ops = 1, .function = baseline_do_nothing,
      .window.not_doubled = true, .proof.errors_are_wrong = true, .shown.c_step = C_DO_NOTHING);

BENCH(baseline, do_something, .what = "a call of a C function that counts and returns 0",
      .window.form = FORM_FUNCTION, .ops = 1, .function = baseline_do_something,
      .check = check_counted, .window.not_doubled = true, .proof.errors_are_wrong = true,
      .shown.c_step = C_DO_SOMETHING);

SUMMARY_PART(baseline, window, .rank = 0, .label = "window", .row = {"empty_*", "do_nothing"},
             .unit = "a call");
