/*
 * The measuring engine: one row in, its windows taken in blocks, its statistics out.
 */
#ifndef BENCH_MEASURE_ENGINE_H
#define BENCH_MEASURE_ENGINE_H

#include <stddef.h>
#include <stdint.h>
#include "bench/measure/context.h"

/* Words of memory that an engine works in. */
size_t engine_need(const struct options *o);

/* The boot core's engine, in the first words of the platform's memory. */
void engine_init(struct engine *e, const struct platform *p, const struct options *o);

/* The same in `memory`, engine_need() words: for a core that measures at the same time. */
void engine_memory(struct engine *e, uint64_t *memory);

/* What executes this code, once that is known: samples=auto depends on it. */
void engine_executed_by(struct engine *e, const struct behave_verdict *v);

/* clock= and cycle= come to a timer each, started on the core that measures; once it is found what
 * executes this code. */
void engine_timers(struct engine *e);
/* Whether they can do what method= needs of them. If not, a message for people that names the words
 * and why each clock does not start: nothing is to be measured. */
bool engine_check(const struct engine *e, struct sink *err);
/* They are left as they were found. After the last row. */
void engine_release(struct engine *e);

/* Runs one row; the result is complete whatever its status. */
void engine_row(struct engine *e, const struct bench *b, struct row *row);

#endif
