/* Standard output as a sink. Written between rows only, so that no write falls between two
 * windows. */
#ifndef HOSTED_OUTPUT_H
#define HOSTED_OUTPUT_H

#include <stdbool.h>
#include "lib/text/sink.h"

struct sink *output(void);
void output_flush(void);
/* Bytes were lost: a full disk, a closed pipe. */
bool output_lost(void);

/* Of the terminal that standard output is; REPORT_COLUMNS where it does not say. */
unsigned output_columns(void);

#endif
