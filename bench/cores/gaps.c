#include "bench/cores/gaps.h"
#include "bench/measure/interleave.h"
#include "lib/decimal/json_f64.h"
#include "lib/decimal/num.h"
#include "lib/stats/gaps.h"
#include "lib/stats/stats.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

#define WATCH_MS       2000 /* watch=auto: several of the firmwares' periodic SMIs, if there are any */
#define WATCH_MS_EXACT 10         /* where instructions are counted nothing can come */
#define CALIBRATION    1023       /* turns; odd, so that one is the median */
#define UNKNOWN_HZ     1000000000 /* to end by, where the TSC's frequency is not known */
#define SHOWN          4          /* of the first gaps; the record has RECORDED */
#define RECORDED       32

/* On one core; in its engine's memory. */
struct watch {
    struct gaps gaps;
    uint64_t scratch[GAPS_KEPT];
    uint64_t nmis, smis;
};
_Static_assert(sizeof(struct watch) <= INTERLEAVE_NEED * sizeof(uint64_t) &&
                   CALIBRATION <= GAPS_KEPT,
               "a watch does not fit an engine's memory");

/* Nothing waits for it: a turn is to be short, not exact. */
static inline uint64_t tsc(void)
{
    uint32_t lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return (uint64_t)hi << 32 | lo;
}

static struct watch *watch_of(const struct seat *seat)
{
    return (struct watch *)(void *)seat->engine.memory;
}

static uint64_t hz_of(const struct engine *e)
{
    return e->tsc_hz > 0 ? (uint64_t)e->tsc_hz : UNKNOWN_HZ;
}

static uint64_t duration(const struct engine *e)
{
    uint64_t ms = e->o->watch;
    if (ms == 0)
        ms = e->execution == EXEC_INSTRUCTIONS ? WATCH_MS_EXACT : WATCH_MS;
    return (ms * hz_of(e) + 999) / 1000; /* at most 10^6 ms of 10^10 Hz: it fits */
}

/* The median of some turns. */
static uint64_t typical_turn(uint64_t *turn)
{
    uint64_t last = tsc();
    for (unsigned i = 0; i < CALIBRATION; i++) {
        uint64_t now = tsc();
        turn[i] = now - last;
        last = now;
    }
    stats_sort(turn, CALIBRATION);
    return turn[CALIBRATION / 2];
}

/* A TSC that goes back (a process that is moved) makes no gap: differences are signed. */
static void spin(struct gaps *g, int64_t ticks)
{
    int64_t threshold = (int64_t)g->threshold;
    uint64_t start = tsc(), last = start;
    while ((int64_t)(last - start) < ticks) {
        uint64_t now = tsc();
        if ((int64_t)(now - last) >= threshold) {
            gaps_add(g, last - start, now - last);
            now = tsc(); /* what that took is nobody's gap */
        }
        last = now;
    }
    g->watched = last - start;
}

static void watch_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct seat *seat = plan_seat(plan, core);
    const struct engine *e = &seat->engine;
    struct watch *w = watch_of(seat);
    e->p->row(plan->bench->suite, plan->bench->name);
    uint64_t smis = engine_smis(e), nmis = e->p->nmis();
    gaps_init(&w->gaps, typical_turn(w->scratch), hz_of(e));
    spin(&w->gaps, (int64_t)duration(e));
    w->smis = engine_smis(e) - smis;
    w->nmis = e->p->nmis() - nmis;
    e->p->row(NULL, NULL);
    seat->back = true;
}

/* --- what is told ----------------------------------------------------------------------------- */

void gaps_heading(struct report *r, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n%-24s what holds a core up that only reads its TSC\r\n", suite);
}

static bool knows_time(const struct engine *e)
{
    return e->tsc_hz > 0;
}

static double us(const struct engine *e, double ticks)
{
    return ticks * 1e6 / (double)hz_of(e);
}

/* "35.2 us", or ticks. */
static void show_time(const struct engine *e, double ticks, struct sink *out)
{
    double v = us(e, ticks);
    if (!knows_time(e)) {
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

static void show_first(const struct engine *e, const struct gaps *g, struct sink *out)
{
    fmt(out, "  the first:");
    for (size_t i = 0; i < g->kept && i < SHOWN; i++) {
        fmt(out, i ? ", " : " ");
        show_time(e, (double)g->first[i].ticks, out);
        fmt(out, " at ");
        show_time(e, (double)g->first[i].at, out);
    }
    fmt(out, "\r\n");
}

static void show_rhythm(const struct engine *e, struct gaps_rhythm rhythm, struct sink *out)
{
    if (rhythm.intervals < GAPS_RHYTHM)
        return;
    fmt(out,
        rhythm.even ? "  in a rhythm: one every " : "  in no rhythm; median from one to the next ");
    show_time(e, rhythm.median, out);
    fmt(out, "\r\n");
}

static void show(const struct seat *seat, const struct watch *w, struct gaps_rhythm rhythm,
                 struct report *r)
{
    const struct engine *e = &seat->engine;
    const struct gaps *g = &w->gaps;
    report_fresh_line(r);
    fmt(r->out, "core %-3u ", e->core);
    show_time(e, (double)g->watched, r->out);
    fmt(r->out, " watched, %llu gap%s", (unsigned long long)g->count, g->count == 1 ? "" : "s");
    if (g->count > 0) {
        fmt(r->out, ", longest ");
        show_time(e, (double)g->longest.ticks, r->out);
        fmt(r->out, ", in all ");
        show_time(e, (double)g->stolen, r->out);
    }
    fmt(r->out, "\r\n");
    if (g->count > 0) {
        show_decades(g, r->out);
        show_first(e, g, r->out);
        show_rhythm(e, rhythm, r->out);
    }
    if (w->smis || w->nmis)
        fmt(r->out, "  %llu SMIs, %llu NMIs or machine checks came\r\n",
            (unsigned long long)w->smis, (unsigned long long)w->nmis);
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

static void record(const struct seat *seat, const struct watch *w, struct gaps_rhythm rhythm,
                   const struct bench *b, struct report *r)
{
    const struct engine *e = &seat->engine;
    const struct gaps *g = &w->gaps;
    double seconds = (double)g->watched / (double)hz_of(e);
    struct json j;
    if (!report_record(r, &j, "gaps"))
        return;
    json_str(&j, "suite", b->suite);
    json_str(&j, "name", b->name);
    json_u64(&j, "core", e->core);
    json_u64(&j, "watched_ticks", g->watched);
    json_u64(&j, "turn_ticks", g->typical);
    json_u64(&j, "threshold_ticks", g->threshold);
    json_u64(&j, "gaps", g->count);
    json_u64(&j, "stolen_ticks", g->stolen);
    json_u64(&j, "longest_ticks", g->longest.ticks);
    json_u64(&j, "longest_at_ticks", g->longest.at);
    if (knows_time(e)) {
        json_f64(&j, "seconds", seconds, 6);
        json_f64(&j, "gaps_per_second", (double)g->count / seconds, 3);
        json_f64(&j, "longest_ns", us(e, (double)g->longest.ticks) * 1e3, 0);
        json_f64(&j, "stolen_ns", us(e, (double)g->stolen) * 1e3, 0);
    }
    record_list(g, &j);
    if (rhythm.intervals > 0)
        json_f64(&j, "interval_ticks", rhythm.median, 1);
    json_bool(&j, "rhythm", rhythm.even);
    if (e->p->smis)
        json_u64(&j, "smis", w->smis);
    json_u64(&j, "nmis", w->nmis);
    if (e->p->row_record)
        e->p->row_record(&j, e->core);
    json_end(&j);
}

void gaps_watch(struct plan *plan, const struct bench *b, unsigned k, struct report *r)
{
    struct seat *seat = &plan->seat[k];
    plan->bench = b;
    if (seat->gone || plan_on(plan, k, watch_here, plan))
        return;
    struct watch *w = watch_of(seat);
    struct gaps_rhythm rhythm = gaps_rhythm(&w->gaps, w->scratch);
    r->smis += w->smis;
    seat->nmis += w->nmis;
    if (report_table(r))
        show(seat, w, rhythm, r);
    record(seat, w, rhythm, b, r);
}
