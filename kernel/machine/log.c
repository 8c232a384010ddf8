#include "kernel/machine/log.h"

/* In the suites calls and baseline a row's record has at most 700 bytes, plus 14 per histogram bin.
 * In the table a row has about 140 bytes, or 1 KiB in a short run, which shows all statistics. */
#define RECORD_BYTES (4u << 10)
#define BIN_BYTES    16u
#define TEXT_BYTES   (2u << 10)  /* per row */
#define HEAD_BYTES   (64u << 10) /* the run, self-tests, events; measured: 10 KiB */
#define CORE_BYTES   (4u << 10)  /* per core; measured: 1100 bytes */
#define PAIR_BYTES   64u         /* per pair of a matrix: two cores, three figures */
#define LOG_MAX      (16u << 20) /* of each buffer; a longer report is cut and reports this */

static uint64_t log_size(const struct handoff *h, uint64_t bytes)
{
    uint64_t size = arena_cost(HEAD_BYTES + h->cores * CORE_BYTES + h->needs.rows * bytes +
                               h->needs.pairs * PAIR_BYTES);

    return size < LOG_MAX ? size : LOG_MAX;
}

static uint64_t records_size(const struct handoff *h)
{
    const struct options *o = &h->options;
    uint64_t full = o->samples ? o->samples : SAMPLES_AUTO; /* one bin per window */

    return log_size(h, RECORD_BYTES + BIN_BYTES * (o->hist == HIST_FULL ? full : HIST_CAP));
}

static uint64_t text_size(const struct handoff *h)
{
    return log_size(h, TEXT_BYTES);
}

uint64_t log_cost(const struct handoff *h)
{
    return records_size(h) + text_size(h);
}

bool log_begin(struct report_log *log, const struct handoff *h, struct arena *a)
{
    uint64_t records = records_size(h), text = text_size(h);
    char *at = arena_take(a, records + text);

    if (at)
        report_log_init(log, at, records, at + records, text);
    return at != NULL;
}
