#include "bench/output/kinds_show.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "bench/api/declare.h"
#include "bench/output/show.h"
#include "lib/text/json.h"

#define FIRST 32 /* of the first gaps, in the record */

static void record_length(const struct gaps *g, unsigned i, struct json *j)
{
    if (g->bin[i].count == 0)
        return;
    json_u64s(j, (const uint64_t[]){gaps_bin_ns(i), g->bin[i].count, g->bin[i].ticks}, 3);
}

static void quiet_record_core(const struct quiet *q, unsigned k, struct report *r)
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

static void quiet_record(const struct quiet *q, const struct quiet_sum *s, struct report *r)
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

#define TIME_TEXT 24

/* "35.20 us", or ticks. */
static const char *time_text(const struct quiet *q, unsigned k, double ticks, char text[TIME_TEXT])
{
    static const char *const units[] = {"us", "ms", "s"};
    double v = quiet_us(q, k, ticks);
    unsigned unit = 0;
    struct sink_buf out;

    sink_buf_init(&out, text, TIME_TEXT);
    if (!is_known(v)) {
        num_f64(&out.sink, ticks, 0, 0);
        fmt(&out.sink, " ticks");
        return text;
    }
    for (; v >= 1000 && unit < 2; v /= 1000)
        unit++;
    num_f64(&out.sink, v, v < 10 ? 3 : v < 100 ? 2 : 1, 0);
    fmt(&out.sink, " %s", units[unit]);
    return text;
}

void quiet_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    (void)run;
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out,
        "\r\n%-13s all cores at once do nothing but read their TSC\r\n"
        "core   watched      %%     gaps    longest    99.999%%       in all      SMIs\r\n",
        suite);
}

/* The wait of moments; below the shortest gap it is not known. */
static const char *wait_text(const struct quiet *q, unsigned k, double ticks, char text[TIME_TEXT])
{
    const struct gaps *g = &q->watch[k].gaps;
    char least[TIME_TEXT];

    if (ticks > 0)
        return time_text(q, k, ticks, text);
    time_text(q, k, (double)(g->threshold - g->typical), least);
    fmt_buf(text, TIME_TEXT, "< %s", least);
    return text;
}

static void show_periods(const struct quiet *q, unsigned k, struct report *r)
{
    const struct watch *w = &q->watch[k];
    char text[TIME_TEXT];

    for (unsigned i = 0; i < w->periods.n; i++) {
        const struct gap_period *p = &w->periods.found[i];
        fmt(r->out, "     one every %s", time_text(q, k, p->ticks, text));
        fmt(r->out, " within %s: %u of the first %u gaps", time_text(q, k, p->jitter, text),
            p->gaps, p->of);
        fmt(r->out, " of %llu us or more\r\n",
            (unsigned long long)(gaps_bin_ns(p->class * GAPS_PER_DECADE) / 1000));
    }
    if (w->periods.n == 0 && w->gaps.count > 0)
        fmt(r->out, "     no period\r\n");
}

/* "     12 from 1 us on, 3 from 10 us on": by decade. */
static void show_lengths(const struct gaps *g, struct report *r)
{
    const char *before = "    ";

    for (unsigned c = 0; c < GAPS_CLASSES; c++) {
        uint64_t longer = c + 1 < GAPS_CLASSES ? gaps_in_class(g, c + 1) : 0;
        uint64_t n = gaps_in_class(g, c) - longer;
        if (n == 0)
            continue;
        fmt(r->out, "%s %llu from %s on", before, (unsigned long long)n, gaps_class_names[c]);
        before = ",";
    }
    fmt(r->out, g->count ? "\r\n" : "");
}

static void show_core(const struct quiet *q, unsigned k, struct report *r)
{
    const struct watch *w = &q->watch[k];
    const struct gaps *g = &w->gaps;
    char text[TIME_TEXT];

    report_fresh_line(r);
    fmt(r->out, "%4u %9s ", q->cores->list[k], time_text(q, k, (double)g->watched, text));
    num_f64(r->out, 100 * quiet_watched(w), 2, 6);
    fmt(r->out, " %8llu %10s", (unsigned long long)g->count,
        time_text(q, k, (double)g->longest.ticks, text));
    fmt(r->out, " %10s", wait_text(q, k, gaps_wait(g, QUIET_SHARE), text));
    fmt(r->out, " %12s", time_text(q, k, (double)g->ticks, text));
    if (q->cores->facts[k]->counts_smis)
        fmt(r->out, " %9llu\r\n", (unsigned long long)w->out.smis);
    else
        fmt(r->out, " %9s\r\n", "-");
    show_lengths(g, r);
    show_periods(q, k, r);
    if (w->out.nmis)
        fmt(r->out, "     %llu NMIs or machine checks\r\n", (unsigned long long)w->out.nmis);
}

static void show_result(const struct quiet *q, const struct quiet_sum *s, struct report *r)
{
    const struct run_facts *run = q->cores->facts[0];
    bool first = true;

    if (s->result == QUIET_NOT_ASKED)
        return;
    fmt(r->out, "gaps_max=%u us: ", run->o->gaps_max);
    if (s->result != QUIET_FAIL) {
        fmt(r->out, s->result == QUIET_PASS
                        ? "PASS\r\n"
                        : "not judged: not every core watched for all of the time\r\n");
        return;
    }
    fmt(r->out, "FAIL: exceeded on core");
    for (unsigned k = 0; k < q->cores->all; k++)
        if (q->watch[k].began && quiet_exceeds(q, k)) {
            fmt(r->out, "%s%u", first ? " " : ", ", q->cores->list[k]);
            first = false;
        }
    fmt(r->out, "\r\n");
}

static void show_sum(const struct quiet *q, const struct quiet_sum *s, struct report *r)
{
    char text[TIME_TEXT];

    report_fresh_line(r);
    if (q->out.status != ROW_OK)
        fmt(r->out, "not complete: %s\r\n", q->out.why);
    if (s->cores == 0)
        return;
    fmt(r->out, "longest gap %s on core %u; ",
        time_text(q, s->longest, (double)q->watch[s->longest].gaps.longest.ticks, text),
        q->cores->list[s->longest]);
    fmt(r->out, "99.999%% of all moments wait at most %s (core %u)\r\n",
        wait_text(q, s->wait, s->wait_ticks, text), q->cores->list[s->wait]);
    fmt(r->out, "possible causes: %s\r\n", quiet_causes(q->cores->facts[0]));
    show_result(q, s, r);
}

enum quiet_result quiet_show(const struct quiet *q, struct report *r)
{
    struct quiet_sum s = quiet_sum(q);

    for (unsigned k = 0; k < q->cores->all; k++) {
        if (!q->watch[k].began)
            continue;
        if (report_table(r))
            show_core(q, k, r);
        quiet_record_core(q, k, r);
    }
    if (report_table(r))
        show_sum(q, &s, r);
    quiet_record(q, &s, r);
    return s.result;
}
