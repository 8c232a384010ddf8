/* Standard output as a sink. It is written only between rows, so that no write falls between two
 * windows. */
#ifndef HOSTED_PLATFORM_OUTPUT_H
#define HOSTED_PLATFORM_OUTPUT_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "lib/config/options.h"
#include "lib/text/sink.h"

struct sink *output(void);
void output_flush(void);
/* Returns NULL, or why bytes were lost: a full disk, a closed pipe, another file in its place, a
 * file that was truncated or whose position was moved. */
const char *output_lost(void);
/* From now on it must stay the same file and keep what was written to it. */
void output_watch(void);

/* Opens a report on standard output. FORMAT_AUTO is a table on a terminal and records elsewhere.
 * With FORMAT_TABLE there are no records. Progress is shown on a terminal: below the table, or on
 * standard error if standard output is a file or a pipe. */
void output_report(struct report *r, enum format format);

#endif
