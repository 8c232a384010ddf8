/*
 * Compares the frequencies that CPU and firmware state with the measured TSC: lines of the table's
 * head, and the array "speeds" of the record's object "tsc".
 */
#ifndef BENCH_HEAD_SPEED_SHOW_H
#define BENCH_HEAD_SPEED_SHOW_H

#include "lib/cpu/speeds.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

struct speed_facts {
    struct speed_stated speed[SPEEDS];
    const char *measured_by; /* the source that they are compared with; NULL: not available */
    const char *why_not;     /* why measured_by is not available */
    double measured_hz, error_hz;
    bool unlike; /* SMBIOS: the first of several processors that differ */
};

void speed_show(const struct speed_facts *f, struct sink *out);
void speed_record(const struct speed_facts *f, struct json *j);

#endif
