/* Standard output as a sink. Written between rows only, so that no write falls between two
 * windows. */
#ifndef HOSTED_PLATFORM_OUTPUT_H
#define HOSTED_PLATFORM_OUTPUT_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "lib/config/options.h"
#include "lib/text/sink.h"

struct sink *output(void);
void output_flush(void);
/* NULL, or why bytes were lost: a full disk, a closed pipe, another file in its place, a file
 * that was truncated or whose position was moved. */
const char *output_lost(void);
/* From here on it must stay the file that it is, and keep what was written to it. */
void output_watch(void);

/* Whether a person reads it as it comes. */
bool output_terminal(void);

/* Opens a report on standard output. FORMAT_AUTO is a table on a terminal, records elsewhere. With
 * FORMAT_TABLE there is no record at all, and progress is shown on a terminal only. */
void output_report(struct report *r, enum format format);

#endif
