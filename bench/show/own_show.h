/* What the witness says of a core (docs/method.md "The witness"): is it ours alone? */
#ifndef BENCH_SHOW_OWN_SHOW_H
#define BENCH_SHOW_OWN_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

/* A line of the report's first ones, in words: what was seen while the core was probed. */
void own_show_head(const struct run_facts *run, struct sink *out);
/* The object "witness": nops_per_cycle, shared, blocks, or why. */
void own_record_head(const struct run_facts *run, struct json *j);

/* A record `witness`, and a line in words: what was seen on this core until now, all rows. */
void own_show_end(const struct run_facts *run, struct report *r);

/* Of a row: shared, shared_blocks, exclusive. */
void own_record_row(const struct run_facts *run, const struct row *row, struct json *j);
/* A note below its line, where its figure is not that of a core alone. */
void own_show_row(const struct row *row, struct sink *out);

#endif
