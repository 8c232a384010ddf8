#include "bench/output/across.h"
#include "bench/api/declare.h"
#include "bench/api/registry.h"
#include "bench/objects/object_rows.h"
#include "bench/output/compare.h"
#include "lib/text/decimal.h"
#include "lib/stats/growth.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

struct series {
    struct growth_point point[OBJECT_ARGS_MOST];
    size_t n, failed; /* arguments with a figure, and those whose rows failed */
    const char *unit;
    bool shared;
};

static bool same_series(const struct bench *a, const struct bench *b)
{
    return a->code && b->code && a->code->args_of && b->code->args_of &&
           str_eq(a->suite, b->suite) && str_eq(a->code->args_of, b->code->args_of);
}

static struct series gather(const struct run_facts *run, const struct bench *const *rows, size_t n,
                            const struct core_figure *figures, size_t first)
{
    struct series s = {0};

    for (size_t i = first; i < n && s.n < OBJECT_ARGS_MOST; i++) {
        if (!same_series(rows[i], rows[first]))
            continue;
        s.failed += figures[i].wrong;
        if (figures[i].wrong || !is_known(figures[i].ticks))
            continue;
        struct comparison b = compare_figures(run, &figures[i], &figures[i]);
        s.unit = b.unit;
        s.shared |= b.shared;
        s.point[s.n++] = (struct growth_point){rows[i]->code->arg, b.mine};
    }
    return s;
}

static void say_curve(struct sink *out, const struct growth *g, const char *unit)
{
    num_fmt(out, "%.3f %s", g->coefficient, unit);
    if (g->curve != GROWTH_CONSTANT)
        fmt(out, " x %s", growth_names[g->curve]);
    num_fmt(out, " with an error of %.1f%% of the mean", 100 * g->error);
}

static void say(struct sink *out, const struct bench *b, const struct series *s,
                const struct growth *g)
{
    fmt(out, "%s/%s, %zu argument%s", b->suite, b->code->args_of, s->n, s->n == 1 ? "" : "s");
    if (s->failed)
        fmt(out, ", of which %zu failed", s->failed);
    fmt(out, ": ");
    if (g->points < GROWTH_POINTS_LEAST) {
        fmt(out, "no fit: it needs %u above 0", GROWTH_POINTS_LEAST);
        return;
    }
    if (g->fits) {
        fmt(out, "%s, ", growth_names[g->curve]);
        say_curve(out, g, s->unit);
    } else {
        fmt(out, "no curve fits; the best is ");
        say_curve(out, g, s->unit);
        fmt(out, ", and %u%% is allowed", (unsigned)(100 * GROWTH_ERROR_MOST + 0.5));
    }
    if (s->shared)
        fmt(out, "; not judged: the core was shared");
}

static void tell(struct report *r, const struct run_facts *run, const struct bench *b,
                 const struct series *s)
{
    struct growth g = growth_fit(s->point, s->n);
    char message[256];
    struct sink_buf text;
    struct json line, *j = &line;

    sink_buf_init(&text, message, sizeof message);
    say(&text.sink, b, s, &g);
    if (!compare_event_begin(r, j, run,
                             &(struct compare_event){"growth", message, b->suite, b->code->args_of,
                                                     NULL, s->unit, s->shared, false}))
        return;
#include "bench/api/fields/event_growth.def"
    json_end(j);
}

static void tell_series(struct report *r, const struct run_facts *run,
                        const struct core_figure *figures, size_t first)
{
    size_t n;
    const struct bench *const *rows = registry(&n);
    struct series s = gather(run, rows, n, figures, first);

    if (s.n > 0)
        tell(r, run, rows[first], &s);
}

void growth_show(struct report *r, const struct run_facts *run, const struct core_figure *figures)
{
    compare_each_series(r, run, figures, same_series, tell_series);
}
