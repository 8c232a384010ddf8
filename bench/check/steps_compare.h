/*
 * The windows that were single-stepped, against what else counts their instructions: the TSC where
 * it counts instructions, else the core's counter of retired ones. They run once more, freely.
 */
#ifndef BENCH_CHECK_STEPS_COMPARE_H
#define BENCH_CHECK_STEPS_COMPARE_H

#include "bench/check/step_window.h"

/* The row's four windows have been stepped. Fills `compared`, `unlike` and `by_counter` of
 * row->stepped, and what the core's self-test judges in e->stepping. */
void steps_compare(struct stepper *t);

#endif
