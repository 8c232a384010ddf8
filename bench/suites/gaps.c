/* Finds what interrupts an idle machine. Takes seconds, so it runs only on request. */
#include "bench/api/bench.h"

BENCH(gaps, gaps, .former_suite = "quiet",
      .what = "reads the TSC for watch= ms: SMIs and hypervisors show as gaps", .form = FORM_WATCH,
      .ops = 1, .on_request = true);
