#include "bench/output/quiet_record.h"
#include "bench/api/declare.h"
#include "bench/output/show.h"
#include "lib/text/decimal.h"
#include "lib/text/json.h"

#define FIRST 32 /* of the first gaps, in the record */

static void record_length(const struct gaps *g, unsigned i, struct json *j)
{
    if (g->bin[i].count == 0)
        return;
    json_u64s(j, (const uint64_t[]){gaps_bin_ns(i), g->bin[i].count, g->bin[i].ticks}, 3);
}

void quiet_record_core(const struct quiet *q, unsigned k, struct report *r)
{
    const struct watch *w = &q->watch[k];
    const struct outcome *out = &w->out;
    const struct gaps *g = &w->gaps;
    const struct run_facts *run = q->cores->facts[k];
    double seconds = quiet_us(q, k, (double)g->watched) / 1e6;
    struct json line, *j = &line;

    if (!report_record(r, j, "gaps"))
        return;
#include "bench/api/fields/gaps.def"
    json_end(j);
}

/* Returns the first core from the k-th on that watched and of which `has` is true; all: none. */
static unsigned next_core(const struct quiet *q, unsigned k,
                          bool (*has)(const struct quiet *q, unsigned k))
{
    while (k < q->cores->all && !(q->watch[k].began && has(q, k)))
        k++;
    return k;
}

static bool has_begun(const struct quiet *q, unsigned k)
{
    return q->watch[k].began;
}

void quiet_record(const struct quiet *q, const struct quiet_sum *s, struct report *r)
{
    static const char *const results[] = {
        [QUIET_NOT_JUDGED] = "not judged", [QUIET_PASS] = "pass", [QUIET_FAIL] = "fail"};
    const struct outcome *out = &q->out;
    const struct run_facts *run = q->cores->facts[0];
    bool asked = s->result != QUIET_NOT_ASKED;
    struct json line, *j = &line;

    if (!report_record(r, j, "quiet"))
        return;
#include "bench/api/fields/quiet.def"
    json_end(j);
}
