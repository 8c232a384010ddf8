#include "kernel/machine/log.h"
#include "bench/api/registry.h"
#include "bench/cores/crowd.h"

/* Over calls and baseline a row's record has 700 bytes and its histogram 14 a bin at
 * the most; in the table it has some 140, and a kilobyte where a short run shows all of each. */
#define RECORD_BYTES (4u << 10)
#define BIN_BYTES    16u
#define TEXT_BYTES   (2u << 10)  /* of a row */
#define HEAD_BYTES   (64u << 10) /* the run, self-tests, events; 10 KiB were measured */
#define CORE_BYTES   (4u << 10)  /* what a core tells of itself; 1100 were measured */
#define PAIR_BYTES   64u         /* of a matrix: two cores, three figures */
#define LOG_MAX      (16u << 20) /* of each buffer; a report beyond it is cut, and says so */

static uint64_t log_size(const struct options *o, unsigned cores, uint64_t bytes)
{
    struct core_list named;
    uint64_t size, rows = 0, pairs = 0;
    unsigned at_it = core_list_parse(&named, o->cores) ? core_list_count(&named, cores) : 1;
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++) {
        bool selected = registry_selects(o, all[i]);
        rows += selected;
        pairs += selected && all[i]->form == FORM_CORES ? crowd_pairs(at_it) : 0;
    }
    size = arena_cost(HEAD_BYTES + cores * CORE_BYTES + rows * at_it * bytes + pairs * PAIR_BYTES);
    return size < LOG_MAX ? size : LOG_MAX;
}

static uint64_t records_size(const struct options *o, unsigned cores)
{
    uint64_t full = o->samples ? o->samples : SAMPLES_AUTO; /* a bin a window */

    return log_size(o, cores, RECORD_BYTES + BIN_BYTES * (o->hist == HIST_FULL ? full : HIST_CAP));
}

static uint64_t text_size(const struct options *o, unsigned cores)
{
    return log_size(o, cores, TEXT_BYTES);
}

uint64_t log_cost(const struct options *o, unsigned cores)
{
    return records_size(o, cores) + text_size(o, cores);
}

bool log_begin(struct report_log *log, const struct options *o, unsigned cores, struct arena *a)
{
    uint64_t records = records_size(o, cores), text = text_size(o, cores);
    char *at = arena_take(a, records + text);

    if (at)
        report_log_init(log, at, records, at + records, text);
    return at != NULL;
}
