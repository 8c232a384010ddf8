#include "bench/output/kinds_show.h"
#include "bench/api/declare.h"
#include "bench/output/show.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/curve/cache_line.h"
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

#define UNIT_WIDTH    4  /* " KiB" */
#define SIZE_DECIMALS 3  /* an eighth */
#define LINE          64 /* bytes of an operation of bandwidth */

/* Returns whether several cores measured it. */
static bool is_together(const struct curve *c)
{
    return bench_curve(c->out.bench)->team != BENCH_ALONE;
}

static const char *unit_of(const struct run_facts *run, const struct curve *c)
{
    return c && is_together(c) ? "ticks" : units_per_op(run);
}

/* Returns a point's figure in that unit. */
static double figure(const struct run_facts *run, const struct curve *c,
                     const struct curve_point *p)
{
    return run_has_cycles(run) && !is_together(c) ? p->cycles : p->ticks;
}

static double ns(const struct run_facts *run, double ticks)
{
    return units_have_ns(run) && run->execution == EXEC_SILICON ? units_ns(run, ticks) : UNKNOWN;
}

/* Writes "48 KiB", "1.5 MiB", "2 GiB", at least `width` columns wide. */
static void show_size(uint64_t bytes, int width, struct sink *out)
{
    static const char *const unit[] = {" KiB", " MiB", " GiB"};
    unsigned u = bytes >= 1 << 30 ? 2 : bytes >= 1 << 20;
    double v = (double)bytes / (double)(1u << 10 * (u + 1));
    double shown = v;
    int decimals = 0;

    for (; decimals < SIZE_DECIMALS && shown != (double)(uint64_t)shown; shown *= 10)
        decimals++;
    num_f64(out, v, decimals, width > UNIT_WIDTH ? width - UNIT_WIDTH : 0);
    fmt(out, "%s", unit[u]);
}

static void show_number(double v, int decimals, int width, struct sink *out)
{
    if (is_known(v))
        num_f64(out, v, decimals, width);
    else
        fmt(out, "%*s", width, "-");
}

static int decimals_of(const struct run_facts *run, const struct curve *c, double v)
{
    if (units_are_instructions(run) && !is_together(c))
        return 3; /* exact */
    return v < 100 ? 2 : 1;
}

static enum bench_by by(const struct curve *c)
{
    return bench_by(bench_curve(c->out.bench));
}

/* Returns whether the operation moves a line of 64 bytes. */
static bool is_bandwidth(const struct curve *c)
{
    enum bench_by b = by(c);

    return b == BENCH_BY_CORES ||
           (b == BENCH_BY_SIZE && !bench_is_chase(bench_curve(c->out.bench)->load));
}

static const char *const by_words[] = {
    [BENCH_BY_SIZE] = "size",   [BENCH_BY_OFFSET] = "offset", [BENCH_BY_STATE] = "state",
    [BENCH_BY_CORES] = "cores", [BENCH_BY_RATE] = "rate",
};

/* Returns what was checked, in words. */
static const char *checked(const struct curve *c)
{
    if (by(c) == BENCH_BY_OFFSET)
        return "; every value was checked";
    if (by(c) == BENCH_BY_STATE)
        return ", per instruction; every line was checked";
    if (by(c) == BENCH_BY_RATE)
        return ", a load of the chase; every element was visited";
    return is_bandwidth(c) ? ", per line of 64 bytes; every word was checked"
                           : "; every element was visited";
}

/* Writes the last column: ns, or GB/s. */
static void show_last(const struct run_facts *run, const struct curve *c,
                      const struct curve_point *p, struct sink *out)
{
    double time = ns(run, p->ticks);

    show_number(is_bandwidth(c) ? LINE / time : time, 2, 8, out);
}

/* Writes what a point is, 13 columns wide. */
static void show_where(const struct curve *c, const struct curve_point *p, struct sink *out)
{
    switch (by(c)) {
    case BENCH_BY_OFFSET:
        fmt(out, "%13lld", (long long)p->bytes);
        break;
    case BENCH_BY_STATE:
        fmt(out, "%13s", line_state_names[p->bytes]);
        break;
    case BENCH_BY_CORES:
    case BENCH_BY_RATE:
        fmt(out, "%13llu", (unsigned long long)p->bytes);
        break;
    case BENCH_BY_SIZE:
        show_size(p->bytes, 13, out);
        break;
    }
}

static void show_points(const struct run_facts *run, const struct curve *c, struct sink *out)
{
    fmt(out, "%13s %12s       +-     %s\r\n",
        by(c) == BENCH_BY_RATE ? "others' MB/s" : by_words[by(c)], unit_of(run, c),
        is_bandwidth(c) ? "GB/s" : "  ns");
    for (size_t i = 0; i < c->n; i++) {
        const struct curve_point *p = &c->point[i];
        double v = figure(run, c, p);
        int decimals = decimals_of(run, c, v);
        show_where(c, p, out);
        fmt(out, " ");
        show_number(v, decimals, 12, out);
        fmt(out, " ");
        show_number(estimate_longer_of(v, p->lo, p->hi), decimals, 8, out);
        fmt(out, " ");
        show_last(run, c, p, out);
        fmt(out, p->shared ? "  shared core: not judged\r\n"
                 : is_known(p->cycles) && !is_known(p->lo) && run->execution == EXEC_SILICON
                     ? "  no interval: few or unequal visits\r\n"
                     : "\r\n");
    }
}

/* Writes "L1 32 KiB", or "L1 TLB 256 KiB": what the TLB reaches. */
static void show_cache(const struct curve *curve, const struct cache *c, struct sink *out)
{
    fmt(out, "L%u %s", c->level, bench_is_pages(bench_curve(curve->out.bench)->load) ? "TLB " : "");
    show_size(c->size, 0, out);
}

/* Writes how much longer an operation takes than in the level before: the cost of a miss there. */
static void show_more(const struct run_facts *run, const struct curve *c, double more,
                      struct sink *out)
{
    double apart = more < 0 ? -more : more;

    num_fmt(out, ", %.*f", decimals_of(run, c, apart), apart);
    fmt(out, more < 0 ? " less than the level before" : " more than the level before");
}

/* Writes where a level ends, and what CPUID has there. */
static void show_end(const struct curve *c, const struct level *l, struct sink *out)
{
    if (!l->beyond)
        return;
    if (!l->half_way) {
        fmt(out, "; has no clear end%s", l->cache < 0 ? "" : ", lies in CPUID's ");
        if (l->cache >= 0)
            show_cache(c, &c->cache[l->cache], out);
        return;
    }
    fmt(out, "; ends between ");
    show_size(l->to, 0, out);
    fmt(out, " and ");
    show_size(l->half_way, 0, out);
    fmt(out,
        l->cache < 0 ? ", where CPUID has no %s"
        : l->early   ? ", before CPUID's "
                     : ", at CPUID's ",
        bench_is_pages(bench_curve(c->out.bench)->load) ? "TLB" : "cache");
    if (l->cache >= 0)
        show_cache(c, &c->cache[l->cache], out);
    if (l->early)
        fmt(out, ": others use the rest of it");
}

static void show_level(const struct run_facts *run, const struct curve *c, size_t i,
                       struct sink *out)
{
    const struct level *l = &c->level[i];

    num_fmt(out, "    %8.*f %s from ", decimals_of(run, c, l->value), l->value, unit_of(run, c));
    show_size(l->from, 0, out);
    fmt(out, " to ");
    show_size(l->to, 0, out);
    if (i > 0)
        show_more(run, c, l->value - l[-1].value, out);
    show_end(c, l, out);
    fmt(out, "\r\n");
}

static bool is_found(const struct curve *c, unsigned cache)
{
    for (size_t i = 0; i < c->levels; i++)
        if (c->level[i].cache == (int)cache)
            return true;
    return false;
}

/* Returns whether the curve climbs so slowly from a level that more levels may be hidden. */
static bool has_unclear_end(const struct curve *c)
{
    for (size_t i = 0; i < c->levels; i++)
        if (c->level[i].beyond && !c->level[i].half_way)
            return true;
    return false;
}

/* Writes the caches of CPUID at which no level ends, and the reason. */
static void show_not_found(const struct curve *c, struct sink *out)
{
    bool any = false;

    for (unsigned i = 0; i < c->caches; i++) {
        if (c->cache[i].type == CACHE_INSTRUCTION || is_found(c, i))
            continue;
        fmt(out, any ? ", " : "  CPUID also has ");
        show_cache(c, &c->cache[i], out);
        any = true;
    }
    if (any)
        fmt(out, has_unclear_end(c) ? ": the curve climbs past there without a flat range\r\n"
                                    : ": no level ends there\r\n");
}

static void show_levels(const struct run_facts *run, const struct curve *c, struct sink *out)
{
    if (c->spoiled == CURVE_EMULATED) {
        fmt(out, "  levels: not judged: an emulator's times are noise\r\n");
        return;
    }
    if (c->spoiled == CURVE_SHARED)
        fmt(out, "  levels: not judged: most sizes were measured on a shared core\r\n");
    if (c->spoiled == CURVE_FALLS) {
        fmt(out, "  levels: not judged: ");
        show_size(c->falls_at, 0, out);
        fmt(out, " takes less time than a smaller size, so it was disturbed\r\n");
    }
    if (c->spoiled != CURVE_CLEAN)
        return;
    fmt(out, c->levels ? "  levels found:\r\n" : "  no level was found\r\n");
    for (size_t i = 0; i < c->levels; i++)
        show_level(run, c, i, out);
    if (!units_are_instructions(run))
        show_not_found(c, out);
}

static void show_limits(const struct curve *c, struct sink *out)
{
    if (!c->less_memory && !c->less_time)
        return;
    fmt(out, "  up to ");
    show_size(c->n ? c->point[c->n - 1].bytes : 0, 0, out);
    fmt(out, " instead of ");
    show_size(c->wanted, 0, out);
    fmt(out, ": %s\r\n",
        c->less_time ? "larger sizes would take too long" : "there is too little memory for more");
}

static void show(const struct run_facts *run, const struct curve *c, struct report *r)
{
    report_fresh_line(r);
    fmt(r->out, "%-24s core %u: ", c->out.bench->name, run->core);
    if (c->out.status != ROW_OK) {
        fmt(r->out, "%s: %s\r\n", c->out.status == ROW_WRONG ? "FAIL" : "not available",
            c->out.why);
        return;
    }
    fmt(r->out, "pages of ");
    show_size(c->page, 0, r->out);
    if (c->prefetch)
        fmt(r->out, ", prefetchers %s", c->prefetch);
    fmt(r->out, "%s\r\n", checked(c));
    show_points(run, c, r->out);
    if (by(c) == BENCH_BY_SIZE) {
        show_levels(run, c, r->out);
        show_limits(c, r->out);
    }
    fmt(r->out, "\r\n");
}

/* --- the record ------------------------------------------------------------------------------- */

/* Figures have no more decimals than their interval needs. */
static void record_point(const struct run_facts *run, const struct curve *c,
                         const struct curve_point *p, struct json *j)
{
    double v = figure(run, c, p), side = estimate_longer_of(v, p->lo, p->hi),
           time = ns(run, p->ticks);
    int most = units_are_instructions(run) || v < 1 ? 3 : 2,
        decimals = json_decimals(2 * side, most);

    json_array(j, NULL);
    json_i64(j, NULL, (int64_t)p->bytes);
    json_f64(j, NULL, v, decimals);
    json_f64(j, NULL, side, decimals);
    /* A ns has several cycles, so it needs a decimal more. */
    json_f64(j, NULL, time, decimals < 3 ? decimals + 1 : 3);
    json_close(j);
}

static bool is_shared(const struct curve *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->out.status == ROW_OK && c->point[i].shared)
            return true;
    return false;
}

static const char *const spoiled_words[] = {
    [CURVE_SHARED] = "most sizes were measured on a shared core",
    [CURVE_FALLS] = "a size takes less time than a smaller one",
    [CURVE_EMULATED] = "an emulator's times are noise",
};

static void record(const struct run_facts *run, const struct curve *c, struct report *r)
{
    const struct outcome *out = &c->out;
    bool ok = out->status == ROW_OK;
    struct json line, *j = &line;

    if (!report_record(r, j, "curve"))
        return;
#include "bench/api/fields/curve.def"
    json_end(j);
}

void curve_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "\r\n%-24s %s of an operation, by size of the working set\r\n", suite,
        unit_of(run, NULL));
}

void curve_show(const struct run_facts *run, const struct curve *c, struct report *r)
{
    if (report_table(r))
        show(run, c, r);
    record(run, c, r);
}
