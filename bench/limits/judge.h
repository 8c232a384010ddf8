/* From the figures of a limit's counts to its steps, or to the reason why it is not judged. */
#ifndef BENCH_LIMITS_JUDGE_H
#define BENCH_LIMITS_JUDGE_H

#include "bench/model/facts.h"
#include "bench/model/limit.h"

/* Sets `steps`, `step`, `spoiled` and `falls_at` from the points and the row's rule. */
void limit_judge(struct limit *l, enum execution execution);

#endif
