/* The end of a report, the same on every platform: after the last row, an error or a fault. */
#ifndef BENCH_RUN_END_H
#define BENCH_RUN_END_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/essence/essence.h"
#include "bench/show/grouped.h"

/* The contents of the table's end, collected during the run. The platform owns it, so that it is
 * available after a fault. */
struct shown {
    struct essence essence;
    struct grouped grouped; /* rows that wait for the end of their suite */
};

/* The platform's parts of the end. Each function may be NULL. */
struct run_end {
    void *ctx;
    /* Writes what the platform still has to report, before the essence. */
    void (*first)(void *ctx);
    /* Writes a line below the essence, above the verdict. */
    void (*hint)(void *ctx);
};

/* Ends the report of a run that measured: the essence and the verdict. `stopped`: by the user. */
void run_end(const struct run_end *end, struct report *r, const struct shown *shown, bool stopped);

/* Ends the report of a run that cannot begin or continue: the rows that wait, an event of this
 * type with the reason, and the verdict. No essence: a screen shows the event instead. */
void run_end_failed(const struct run_end *end, struct report *r, struct shown *shown,
                    const char *type, const char *why);

#endif
