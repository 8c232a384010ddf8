/* From the figures of a limit's counts to its steps, or to the reason why it is not judged. */
#ifndef BENCH_KINDS_LIMIT_JUDGE_H
#define BENCH_KINDS_LIMIT_JUDGE_H

#include "bench/result/facts.h"
#include "bench/result/limit.h"

/* Sets `steps`, `step`, `spoiled` and `falls_at` from the points and the row's rule. */
void limit_judge(struct limit *l, enum execution execution);

#endif
