#include "bench/across/gaps_show.h"
#include "bench/across/one_core_record.h"
#include "lib/decimal/json_f64.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

#define SHOWN    4 /* number of gaps in the table; the record has RECORDED */
#define RECORDED 32

void gaps_heading(struct report *r, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n%-24s gaps, while a core does nothing but read its TSC\r\n", suite);
}

static double us(const struct run_facts *run, double ticks)
{
    return ticks * 1e6 / run->tsc_hz;
}

/* Writes "35.2 us", or ticks. */
static void show_time(const struct run_facts *run, double ticks, struct sink *out)
{
    double v = run_has_hz(run) ? us(run, ticks) : UNKNOWN;

    if (!is_known(v)) {
        num_f64(out, ticks, 0, 0);
        fmt(out, " ticks");
    } else if (v < 1e4) {
        num_f64(out, v, v < 100 ? 2 : 0, 0);
        fmt(out, " us");
    } else {
        num_f64(out, v / 1e3, v < 1e6 ? 1 : 0, 0);
        fmt(out, " ms");
    }
}

static void show_decades(const struct gaps *g, struct sink *out)
{
    bool first = true;

    fmt(out, "  ");
    for (unsigned i = 0; i < GAPS_DECADES; i++) {
        if (g->decade[i] == 0)
            continue;
        fmt(out, "%s%llu %s %s", first ? "" : ", ", (unsigned long long)g->decade[i],
            i + 1 < GAPS_DECADES ? "below" : "of more than", gaps_decade_end(i));
        first = false;
    }
    fmt(out, "\r\n");
}

static void show_first(const struct run_facts *run, const struct gaps *g, struct sink *out)
{
    fmt(out, "  the first:");
    for (size_t i = 0; i < g->kept && i < SHOWN; i++) {
        fmt(out, i ? ", " : " ");
        show_time(run, (double)g->first[i].ticks, out);
        fmt(out, " at ");
        show_time(run, (double)g->first[i].at, out);
    }
    fmt(out, "\r\n");
}

static void show_rhythm(const struct run_facts *run, const struct gaps_rhythm *rhythm,
                        struct sink *out)
{
    if (rhythm->intervals < GAPS_RHYTHM)
        return;
    fmt(out, rhythm->even ? "  in a rhythm: one every "
                          : "  in no rhythm; median from one to the next ");
    show_time(run, rhythm->median, out);
    fmt(out, "\r\n");
}

static void show(const struct run_facts *run, const struct watch *w, struct report *r)
{
    const struct gaps *g = &w->gaps;

    report_fresh_line(r);
    fmt(r->out, "core %-3u ", run->core);
    show_time(run, (double)g->watched, r->out);
    fmt(r->out, " watched, %llu gap%s", (unsigned long long)g->count, g->count == 1 ? "" : "s");
    if (g->count > 0) {
        fmt(r->out, ", longest ");
        show_time(run, (double)g->longest.ticks, r->out);
        fmt(r->out, ", in all ");
        show_time(run, (double)g->ticks, r->out);
    }
    fmt(r->out, "\r\n");
    if (g->count > 0) {
        show_decades(g, r->out);
        show_first(run, g, r->out);
        show_rhythm(run, &w->rhythm, r->out);
    }
    if (w->row.smis || w->row.nmis)
        fmt(r->out, "  %llu SMIs, %llu NMIs or machine checks came\r\n",
            (unsigned long long)w->row.smis, (unsigned long long)w->row.nmis);
}

static void record_list(const struct gaps *g, struct json *j)
{
    json_array(j, "decades");
    for (unsigned i = 0; i < GAPS_DECADES; i++)
        json_u64(j, NULL, g->decade[i]);
    json_close(j);
    json_array(j, "first");
    for (size_t i = 0; i < g->kept && i < RECORDED; i++) {
        json_array(j, NULL);
        json_u64(j, NULL, g->first[i].at);
        json_u64(j, NULL, g->first[i].ticks);
        json_close(j);
    }
    json_close(j);
}

static void record(const struct run_facts *run, const struct watch *w, struct report *r)
{
    const struct gaps *g = &w->gaps;
    struct json j;

    if (!one_core_record_begin(r, &j, "gaps", &w->row))
        return;
    json_u64(&j, "watched_ticks", g->watched);
    json_u64(&j, "iteration_ticks", g->typical);
    json_u64(&j, "threshold_ticks", g->threshold);
    json_u64(&j, "gaps", g->count);
    json_u64(&j, "gap_ticks", g->ticks);
    json_u64(&j, "longest_ticks", g->longest.ticks);
    json_u64(&j, "longest_at_ticks", g->longest.at);
    if (run_has_hz(run)) {
        double seconds = us(run, (double)g->watched) / 1e6;
        json_f64(&j, "seconds", seconds, 6);
        json_f64(&j, "gaps_per_second", (double)g->count / seconds, 3);
        json_f64(&j, "longest_ns", us(run, (double)g->longest.ticks) * 1e3, 0);
        json_f64(&j, "gap_ns", us(run, (double)g->ticks) * 1e3, 0);
    }
    record_list(g, &j);
    if (w->rhythm.intervals > 0)
        json_f64(&j, "interval_ticks", w->rhythm.median, 1);
    json_bool(&j, "rhythm", w->rhythm.even);
    one_core_record_end(&j, run, &w->row);
}

void gaps_show(const struct run_facts *run, const struct watch *w, struct report *r)
{
    if (report_table(r))
        show(run, w, r);
    record(run, w, r);
}
