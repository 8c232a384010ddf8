/*
 * The measuring engine: takes a row's windows in blocks, round after round, and computes
 * statistics.
 */
#ifndef BENCH_ENGINE_ENGINE_H
#define BENCH_ENGINE_ENGINE_H

#include <stddef.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/engine/gathered.h"

/* Returns the most windows of each kind that a row takes, before the execution is known. */
uint32_t engine_samples_most(const struct options *o);

/* Returns the words of memory that an engine needs. */
size_t engine_need(const struct options *o);

/* Initialises the boot core's engine in the first words of the platform's memory. */
void engine_init(struct engine *e, const struct platform *p, const struct options *o);

/* Moves the engine to `memory`, engine_need() words: for a core that measures at the same time. */
void engine_memory(struct engine *e, uint64_t *memory);

/* Sets the execution once it is known. samples=auto depends on it, and the number of rounds does,
 * since only a CPU's figures change over time. */
void engine_executed_by(struct engine *e, const struct behave_verdict *v);

/* Starts the timers of clock= and cycle= on the core that measures. Needs the execution. */
void engine_timers(struct engine *e);
/* Returns whether every timer that is named has started, and whether method= has the timers that it
 * needs. If not, writes a message with the words and the reasons; nothing must be measured then. */
bool engine_check(const struct engine *e, struct sink *err);
/* Stops the timers and restores their former state. Called after the last row. */
void engine_release(struct engine *e);

/* --- engine_row.c: one row, from its placement through its rounds to its checked figure ------- */

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
