/* What stops a machine that nobody asks for anything; seconds long, so only on request. */
#include "bench/api/bench.h"

BENCH(quiet, gaps, .what = "nothing but reading the TSC for watch= ms: SMIs, hypervisors show",
      .form = FORM_WATCH, .ops = 1, .on_request = true);
