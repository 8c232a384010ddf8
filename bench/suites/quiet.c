/* Finds what interrupts an idle machine. Takes seconds, so it runs only on request. */
#include "bench/api/bench.h"
#include "bench/kinds/kinds.h"

BENCH(quiet, gaps, .former_suite = "gaps",
      .what = "all cores read their TSC for quiet_time= s: SMIs, hypervisors show as gaps",
      .kind = &kind_watch, .ops = 1, .on_request = true);

/* Gaps of known lengths and periods, to test whether a report finds them. */
BENCH(planted_quiet, gaps, .what = "the same; each core stops 20 us each ms, 150 us each 7.3 ms",
      .kind = &kind_watch, .ops = 1, .on_request = true,
      .of = &(const struct bench_gaps){{{1000, 20}, {7300, 150}}});
