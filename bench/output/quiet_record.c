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
    json_array(j, NULL);
    json_u64(j, NULL, gaps_bin_ns(i));
    json_u64(j, NULL, g->bin[i].count);
    json_u64(j, NULL, g->bin[i].ticks);
    json_close(j);
}

static void record_gap(const struct gap *gap, struct json *j)
{
    json_array(j, NULL);
    json_u64(j, NULL, gap->at);
    json_u64(j, NULL, gap->ticks);
    json_close(j);
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

static void record_cores(const struct quiet *q, const char *name,
                         bool (*has)(const struct quiet *q, unsigned k), struct json *j)
{
    json_array(j, name);
    for (unsigned k = 0; k < q->cores->all; k++)
        if (q->watch[k].began && has(q, k))
            json_u64(j, NULL, q->cores->list[k]);
    json_close(j);
}

static bool any(const struct quiet *q, unsigned k)
{
    (void)q, (void)k;
    return true;
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
