/* Reports whether a core is exclusive, by its witness (docs/witness.md "The witness"). */
#ifndef BENCH_SHOW_WITNESS_SHOW_H
#define BENCH_SHOW_WITNESS_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

/* Writes a line of the report's head: what was seen while the core was probed. */
void witness_show_head(const struct run_facts *run, struct sink *out);
/* Writes the object "witness": nops_per_cycle, shared, blocks, or why. */
void witness_record_head(const struct run_facts *run, struct json *j);

/* Writes a record `witness`, and a line: what was seen on this core until now, in all rows. */
void witness_show_end(const struct run_facts *run, struct report *r);

/* Writes a row's members: shared, shared_blocks, exclusive. */
void witness_record_row(const struct run_facts *run, const struct row *row, struct json *j);
/* Writes a note below the row's line if it is shared. */
void witness_show_row(const struct row *row, struct sink *out);

#endif
