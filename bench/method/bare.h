/*
 * The bare window by each recipe, in ensembles: what Paoloni looks at before he measures anything
 * (324264, 3.2), since a method whose empty window is not ergodic is fit for no body either. Taken
 * once before the first row with method=ensembles.
 */
#ifndef BENCH_METHOD_BARE_H
#define BENCH_METHOD_BARE_H

#include "bench/context/context.h"
#include "bench/model/ahead.h"

/* ensembles= times size= windows of each recipe on the boot core; fewer and smaller ensembles where
 * they would take longer than a second, as some recipes take 10,000 ticks a window in a guest. */
void bare_windows(const struct engine *e, struct bare_window window[RECIPE_COUNT]);

#endif
