/* Parts of the summary as the suites declare them, for tests of the code that shows them. */
#ifndef TESTS_UNIT_BENCH_OUTPUT_MADE_PARTS_H
#define TESTS_UNIT_BENCH_OUTPUT_MADE_PARTS_H

#include "bench/api/summary_parts.h"

/* In another order than they are shown. */
SUMMARY_PART(cores, pairs, .rank = 4, .label = "cores", .kind = SUMMARY_TIMES,
             .row = {"pingpong", "tsc_skew", "wake", "ipi"});

SUMMARY_PART(baseline, window, .rank = 0, .label = "window", .row = {"empty_*", "do_nothing"},
             .unit = "a call");

#define MADE_WAY(name_) name_, name_ "_inc", name_ "_straight", name_ "_c"
SUMMARY_PART(calls, ways, .rank = 1, .label = "calls", .kind = SUMMARY_TABLE,
             .headings = {"empty", "++*x", "straight", "compiled"},
             .row = {MADE_WAY("direct"), MADE_WAY("plt"), MADE_WAY("got"), MADE_WAY("register"),
                     MADE_WAY("virtual")});

SUMMARY_PART(calls, targets, .rank = 2, .label = "targets", .kind = SUMMARY_PAIR,
             .difference = "mispredicted", .row = {"random_16", "turn_16"});

SUMMARY_PART(sum, both, .rank = 3, .label = "sum", .kind = SUMMARY_PAIR, .row = {"cold", "warm"});

#endif
