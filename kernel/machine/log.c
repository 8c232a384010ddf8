#include "kernel/machine/log.h"

/* Over calls and baseline a row's record has 700 bytes and its histogram 14 a bin at
 * the most; in the table it has some 140, and a kilobyte where a short run shows all of each. */
#define RECORD_BYTES (4u << 10)
#define BIN_BYTES    16u
#define TEXT_BYTES   (2u << 10)  /* of a row */
#define HEAD_BYTES   (64u << 10) /* the run, self-tests, events; 10 KiB were measured */
#define CORE_BYTES   (4u << 10)  /* what a core tells of itself; 1100 were measured */
#define PAIR_BYTES   64u         /* of a matrix: two cores, three figures */
#define LOG_MAX      (16u << 20) /* of each buffer; a report beyond it is cut, and says so */

static uint64_t log_size(const struct handoff *h, uint64_t bytes)
{
    uint64_t size = arena_cost(HEAD_BYTES + h->cores * CORE_BYTES + h->needs.rows * bytes +
                               h->needs.pairs * PAIR_BYTES);

    return size < LOG_MAX ? size : LOG_MAX;
}

static uint64_t records_size(const struct handoff *h)
{
    const struct options *o = &h->options;
    uint64_t full = o->samples ? o->samples : SAMPLES_AUTO; /* a bin a window */

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
