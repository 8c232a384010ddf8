/*
 * The measuring engine: one row in, its windows taken in blocks, round after round, its statistics
 * out.
 */
#ifndef BENCH_MEASURE_ENGINE_H
#define BENCH_MEASURE_ENGINE_H

#include <stddef.h>
#include <stdint.h>
#include "bench/context/context.h"
#include "bench/sample/gathered.h"

/* Windows of each kind that a row takes, before it is known what executes the code. */
uint32_t engine_samples_most(const struct options *o);

/* Words of memory that an engine works in. */
size_t engine_need(const struct options *o);

/* The boot core's engine, in the first words of the platform's memory. */
void engine_init(struct engine *e, const struct platform *p, const struct options *o);

/* The same in `memory`, engine_need() words: for a core that measures at the same time. */
void engine_memory(struct engine *e, uint64_t *memory);

/* What executes this code, once that is known: samples=auto depends on it, and how many rounds
 * there are, since only a CPU's figures change with the time of day. */
void engine_executed_by(struct engine *e, const struct behave_verdict *v);

/* clock= and cycle= come to a timer each, started on the core that measures; once it is found what
 * executes this code. */
void engine_timers(struct engine *e);
/* Whether every timer that is named has started, and method= has the timers that it needs. If not,
 * a message for people that names the words and the reasons: nothing is to be measured. */
bool engine_check(const struct engine *e, struct sink *err);
/* They are left as they were found. After the last row. */
void engine_release(struct engine *e);

/*
 * A row, which goes through e->rounds rounds. The caller keeps what it has gathered in between, and
 * may measure other rows. Where e->rounds is 1, e->gathered has the room for it.
 */
void engine_begin(struct engine *e, const struct bench *b, struct gathered *g);
/* Round 0, then 1, ... By another method than doubled there is but one. */
void engine_round(struct engine *e, struct gathered *g, unsigned round);
/* The result, whatever its status, of the rounds so far. On any core; its arrays are in the memory
 * that e works in. */
void engine_end(const struct engine *e, struct gathered *g, struct row *row);

#endif
