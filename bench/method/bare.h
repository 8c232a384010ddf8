/*
 * Measures the bare window with each recipe, in ensembles. Paoloni does this before any measurement
 * (324264, 3.2): a method whose empty window is not ergodic is not suitable for a body. Runs once
 * before the first row with method=ensembles.
 */
#ifndef BENCH_METHOD_BARE_H
#define BENCH_METHOD_BARE_H

#include "bench/context/context.h"
#include "bench/model/ahead.h"

/* Takes ensembles= times size= windows of each recipe on the boot core; fewer and smaller ensembles
 * if they would take more than 1 s: some recipes take 10,000 ticks per window in a guest. */
void bare_windows(const struct engine *e, struct bare_window window[RECIPE_COUNT]);

#endif
