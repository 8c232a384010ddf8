/*
 * Compares the single-stepped counts with another count of the same windows: the TSC if it counts
 * instructions, else the core's counter of retired instructions. Reruns the windows without traps.
 */
#ifndef BENCH_CHECK_STEPS_COMPARE_H
#define BENCH_CHECK_STEPS_COMPARE_H

#include "bench/check/step_window.h"

/* Called after the row's four windows were stepped. Fills `compared`, `unlike` and `by_counter` of
 * row->stepped, and the values in e->facts.stepping that the core's self-test judges. */
void steps_compare(struct stepper *t);

#endif
