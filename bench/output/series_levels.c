#include "bench/output/kinds_show.h"
#include "bench/api/kind.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

#define UNIT_WIDTH    4 /* " KiB" */
#define SIZE_DECIMALS 3 /* an eighth */

const char *series_unit(const struct run_facts *run, const struct series *c)
{
    return series_is_together(c) ? "ticks" : units_per_op(run);
}

/* Writes why the levels or steps are not judged. */
void series_say_spoiled(const struct series *c, struct sink *out)
{
    switch (c->spoiled) {
    case SERIES_SHARED:
        fmt(out, "most %ss were measured on a shared core", c->out.bench->kind->point);
        break;
    case SERIES_FALLS:
        fmt(out, "a %s takes less time than a smaller one", c->out.bench->kind->point);
        break;
    case SERIES_UNCERTAIN:
        fmt(out, "the step is too uncertain: intervals overlap, or the core was shared");
        break;
    case SERIES_COUNTED:
        fmt(out, "instructions are counted, which shows no limit");
        break;
    case SERIES_EMULATED:
        fmt(out, "an emulator's times are noise");
        break;
    case SERIES_NOT_JUDGED:
        fmt(out, "there is no rule for what to find in it");
        break;
    case SERIES_CLEAN:
        break;
    }
}

/* Writes "48 KiB", "1.5 MiB", "2 GiB", at least `width` columns wide. */
void series_say_size(uint64_t bytes, int width, struct sink *out)
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

int series_decimals(const struct run_facts *run, const struct series *c, double v)
{
    if (units_are_instructions(run) && !series_is_together(c))
        return 3; /* exact */
    return v < 100 ? 2 : 1;
}

/* Writes "L1 32 KiB", or "L1 TLB 256 KiB": what the TLB reaches. */
static void show_cache(const struct series *curve, const struct cache *c, struct sink *out)
{
    fmt(out, "L%u %s", c->level, bench_is_pages(series_curve(curve)->load) ? "TLB " : "");
    series_say_size(c->size, 0, out);
}

/* Writes how much longer an operation takes than in the level before: the cost of a miss there. */
static void show_more(const struct run_facts *run, const struct series *c, double more,
                      struct sink *out)
{
    double apart = more < 0 ? -more : more;

    num_fmt(out, ", %.*f", series_decimals(run, c, apart), apart);
    fmt(out, more < 0 ? " less than the level before" : " more than the level before");
}

/* Writes where a level ends, and what CPUID has there. */
static void show_end(const struct series *c, const struct level *l, struct sink *out)
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
    series_say_size(l->to, 0, out);
    fmt(out, " and ");
    series_say_size(l->half_way, 0, out);
    fmt(out,
        l->cache < 0 ? ", where CPUID has no %s"
        : l->early   ? ", before CPUID's "
                     : ", at CPUID's ",
        bench_is_pages(series_curve(c)->load) ? "TLB" : "cache");
    if (l->cache >= 0)
        show_cache(c, &c->cache[l->cache], out);
    if (l->early)
        fmt(out, ": others use the rest of it");
}

static void show_level(const struct run_facts *run, const struct series *c, size_t i,
                       struct sink *out)
{
    const struct level *l = &c->level[i];

    num_fmt(out, "    %8.*f %s from ", series_decimals(run, c, l->value), l->value,
            series_unit(run, c));
    series_say_size(l->from, 0, out);
    fmt(out, " to ");
    series_say_size(l->to, 0, out);
    if (i > 0)
        show_more(run, c, l->value - l[-1].value, out);
    show_end(c, l, out);
    fmt(out, "\r\n");
}

static bool is_found(const struct series *c, unsigned cache)
{
    for (size_t i = 0; i < c->levels; i++)
        if (c->level[i].cache == (int)cache)
            return true;
    return false;
}

/* Returns whether the curve climbs so slowly from a level that more levels may be hidden. */
static bool has_unclear_end(const struct series *c)
{
    for (size_t i = 0; i < c->levels; i++)
        if (c->level[i].beyond && !c->level[i].half_way)
            return true;
    return false;
}

/* Writes the caches of CPUID at which no level ends, and the reason. */
static void show_not_found(const struct series *c, struct sink *out)
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

static void say_levels(const struct run_facts *run, const struct series *c, struct sink *out)
{
    if (c->spoiled != SERIES_CLEAN) {
        fmt(out, "  levels: not judged: ");
        if (c->spoiled == SERIES_FALLS) {
            series_say_size(c->falls_at, 0, out);
            fmt(out, " takes less time than a smaller size, so it was disturbed");
        } else {
            series_say_spoiled(c, out);
        }
        fmt(out, "\r\n");
        return;
    }
    fmt(out, c->levels ? "  levels found:\r\n" : "  no level was found\r\n");
    for (size_t i = 0; i < c->levels; i++)
        show_level(run, c, i, out);
    if (!units_are_instructions(run))
        show_not_found(c, out);
}

/* Writes where a curve ends that was meant to go further. */
static void say_shorter(const struct series *c, struct sink *out)
{
    if (!c->less_memory && !c->less_time)
        return;
    fmt(out, "  up to ");
    series_say_size(c->n ? (uint64_t)c->point[c->n - 1].x : 0, 0, out);
    fmt(out, " instead of ");
    series_say_size(c->wanted, 0, out);
    fmt(out, ": %s\r\n",
        c->less_time ? "larger sizes would take too long" : "there is too little memory for more");
}

void series_say_levels(const struct run_facts *run, const struct series *c, struct sink *out)
{
    say_levels(run, c, out);
    say_shorter(c, out);
}
