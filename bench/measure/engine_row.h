/*
 * Measures one row: places it, warms it up and takes its windows in blocks, round after round; then
 * computes its figure and checks it.
 */
#ifndef BENCH_MEASURE_ENGINE_ROW_H
#define BENCH_MEASURE_ENGINE_ROW_H

#include "bench/context/context.h"
#include "bench/sample/gathered.h"

/*
 * Begins a row of e->rounds rounds. The caller keeps *g between the rounds and may measure other
 * rows meanwhile. If e->rounds is 1, e->gathered has the memory for it.
 */
void engine_begin(struct engine *e, const struct bench *b, struct gathered *g);
/* Takes round 0, then 1, ... Other methods than doubled have only one. */
void engine_round(struct engine *e, struct gathered *g, unsigned round);
/* Computes the result of the rounds so far, whatever its status. Runs on any core; the result's
 * arrays are in the memory of e. */
void engine_end(const struct engine *e, struct gathered *g, struct row *row);

#endif
