#include "bench/output/quiet_record.h"
#include "bench/output/one_core_record.h"
#include "bench/output/show.h"
#include "lib/text/decimal.h"
#include "lib/text/json.h"

#define FIRST 32 /* of the first gaps, in the record */

static void record_times(const struct quiet *q, unsigned k, struct json *j)
{
    const struct watch *w = &q->watch[k];
    double seconds = quiet_us(q, k, (double)w->gaps.watched) / 1e6;

    if (!is_known(seconds))
        return;
    json_f64(j, "seconds", seconds, 6);
    json_f64(j, "gaps_per_second", seconds > 0 ? (double)w->gaps.count / seconds : 0, 3);
    json_f64(j, "longest_ns", quiet_us(q, k, (double)w->gaps.longest.ticks) * 1e3, 0);
    json_f64(j, "gap_ns", quiet_us(q, k, (double)w->gaps.ticks) * 1e3, 0);
    json_f64(j, "wait_ns", quiet_us(q, k, gaps_wait(&w->gaps, QUIET_SHARE)) * 1e3, 0);
}

static void record_lengths(const struct gaps *g, struct json *j)
{
    json_array(j, "lengths");
    for (unsigned i = 0; i < GAPS_BINS; i++) {
        if (g->bin[i].count == 0)
            continue;
        json_array(j, NULL);
        json_u64(j, NULL, gaps_bin_ns(i));
        json_u64(j, NULL, g->bin[i].count);
        json_u64(j, NULL, g->bin[i].ticks);
        json_close(j);
    }
    json_close(j);
}

static void record_first(const struct gaps_first *first, struct json *j)
{
    json_array(j, "first");
    for (size_t i = 0; i < first->n && i < FIRST; i++) {
        json_array(j, NULL);
        json_u64(j, NULL, first->gap[i].at);
        json_u64(j, NULL, first->gap[i].ticks);
        json_close(j);
    }
    json_close(j);
}

static void record_periods(const struct gap_periods *periods, struct json *j)
{
    json_array(j, "periods");
    for (unsigned i = 0; i < periods->n; i++) {
        const struct gap_period *p = &periods->found[i];
        json_object(j, NULL);
        json_u64(j, "least_ns", gaps_bin_ns(p->class * GAPS_PER_DECADE));
        json_f64(j, "ticks", p->ticks, 1);
        json_f64(j, "jitter_ticks", p->jitter, 1);
        json_u64(j, "gaps", p->gaps);
        json_u64(j, "of", p->of);
        json_close(j);
    }
    json_close(j);
}

void quiet_record_core(const struct quiet *q, unsigned k, struct report *r)
{
    const struct watch *w = &q->watch[k];
    const struct run_facts *run = q->cores->facts[k];
    struct json j;

    if (!one_core_record_begin(r, &j, "gaps", &w->out))
        return;
    json_u64(&j, "watched_ticks", w->gaps.watched);
    json_u64(&j, "elapsed_ticks", w->ended - w->began);
    json_u64(&j, "iteration_ticks", w->gaps.typical);
    json_u64(&j, "threshold_ticks", w->gaps.threshold);
    json_u64(&j, "gaps", w->gaps.count);
    json_u64(&j, "gap_ticks", w->gaps.ticks);
    json_u64(&j, "longest_ticks", w->gaps.longest.ticks);
    json_u64(&j, "longest_at_ticks", w->gaps.longest.at);
    json_f64(&j, "wait_ticks", gaps_wait(&w->gaps, QUIET_SHARE), 0);
    record_times(q, k, &j);
    record_lengths(&w->gaps, &j);
    record_first(&w->gaps.first[0], &j);
    record_periods(&w->periods, &j);
    if (run->counts_smis) {
        json_u64(&j, "smis_before", w->smis_before);
        json_u64(&j, "smis_after", w->smis_after);
    }
    one_core_record_end(&j, run, &w->out);
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

static void record_worst(const struct quiet *q, const struct quiet_sum *s, struct json *j)
{
    if (s->cores == 0)
        return;
    double longest = (double)q->watch[s->longest].gaps.longest.ticks;
    json_f64(j, "least_watched", s->least_watched, 6);
    json_u64(j, "longest_core", q->cores->list[s->longest]);
    json_f64(j, "longest_ns", quiet_us(q, s->longest, longest) * 1e3, 0);
    json_u64(j, "wait_core", q->cores->list[s->wait]);
    json_f64(j, "wait_ns", quiet_us(q, s->wait, s->wait_ticks) * 1e3, 0);
}

void quiet_record(const struct quiet *q, const struct quiet_sum *s, struct report *r)
{
    static const char *const results[] = {
        [QUIET_NOT_JUDGED] = "not judged", [QUIET_PASS] = "pass", [QUIET_FAIL] = "fail"};
    const struct run_facts *run = q->cores->facts[0];
    struct json j;

    if (!report_record(r, &j, "quiet"))
        return;
    json_str(&j, "suite", q->out.bench->suite);
    json_str(&j, "name", q->out.bench->name);
    (void)one_core_record_status(&j, &q->out);
    record_cores(q, "cores", any, &j);
    json_bool(&j, "complete", q->complete);
    json_f64(&j, "asked_s", q->asked_s, 2);
    record_worst(q, s, &j);
    json_str(&j, "causes", quiet_causes(run));
    if (s->result != QUIET_NOT_ASKED) {
        json_u64(&j, "gaps_max_us", run->o->gaps_max);
        json_str(&j, "result", results[s->result]);
        record_cores(q, "exceeded", quiet_exceeds, &j);
    }
    json_end(&j);
}
