/* The schema of a report: every field of every record, in the order of docs/report.md. */
#ifndef BENCH_API_SCHEMA_H
#define BENCH_API_SCHEMA_H

#include "lib/text/json.h"

extern const struct json_shape report_shape;

#endif
