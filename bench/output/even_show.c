#include "bench/output/across.h"
#include "bench/api/declare.h"
#include "bench/api/registry.h"
#include "bench/output/compare.h"
#include "lib/stats/growth.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define POINTS 32
#define NAME   40

struct series {
    char name[NAME], compared_with[NAME]; /* of the rows, without the count */
    struct even_point point[POINTS];
    size_t n;
    const char *unit;
    bool intervals, shared;
};

/* Copies "sum_cure" of "sum_cure_16". */
static void stem(char *out, const char *name)
{
    size_t end = 0;

    for (size_t i = 0; name[i]; i++)
        if (name[i] == '_')
            end = i;
    str_copy(out, NAME, name, end);
}

static bool same_series(const struct bench *a, const struct bench *b)
{
    char one[NAME], other[NAME];

    if (!a->shown.at || !b->shown.at || !a->shown.compared_with || !b->shown.compared_with ||
        !str_eq(a->suite, b->suite))
        return false;
    stem(one, a->name);
    stem(other, b->name);
    return str_eq(one, other);
}

static const struct core_figure *figure_of(const struct bench *const *rows, size_t n,
                                           const struct core_figure *figures, const char *suite,
                                           const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(rows[i]->suite, suite) && str_eq(rows[i]->name, name))
            return is_known(figures[i].ticks) ? &figures[i] : NULL;
    return NULL;
}

/* Inserts a point, sorted by count. */
static void put(struct series *s, const struct even_point *p)
{
    if (s->n == POINTS)
        return;
    size_t i = s->n++;
    for (; i > 0 && s->point[i - 1].n > p->n; i--)
        s->point[i] = s->point[i - 1];
    s->point[i] = *p;
}

/* Gathers all rows of the series that begins at index `first`. */
static struct series gather(const struct run_facts *run, const struct bench *const *rows, size_t n,
                            const struct core_figure *figures, size_t first)
{
    struct series s = {0};

    stem(s.name, rows[first]->name);
    stem(s.compared_with, rows[first]->shown.compared_with);
    for (size_t i = first; i < n; i++) {
        const struct core_figure *theirs;
        if (!same_series(rows[i], rows[first]) || !is_known(figures[i].ticks))
            continue;
        theirs = figure_of(rows, n, figures, rows[i]->suite, rows[i]->shown.compared_with);
        if (!theirs)
            continue;
        struct comparison b = compare_figures(run, &figures[i], theirs);
        s.unit = b.unit;
        s.shared |= b.shared;
        s.intervals = is_known(b.lo);
        put(&s, &(struct even_point){rows[i]->shown.at, b.apart, s.intervals ? b.lo : b.apart,
                                     s.intervals ? b.hi : b.apart});
    }
    return s;
}

static void say(struct sink *out, const char *suite, const struct series *s, const struct even *v)
{
    const uint32_t least = s->point[0].n, most = s->point[s->n - 1].n;

    fmt(out, "%s/%s compared with %s: ", suite, s->name, s->compared_with);
    if (!v->lo) {
        fmt(out, "does not break even up to n = %u", most);
    } else if (!v->hi) {
        fmt(out, "no proven difference from n = %u to n = %u", v->lo, most);
    } else {
        fmt(out, "breaks even at n = %u", v->n);
        if (v->lo != v->hi)
            fmt(out, " (%u to %u)", v->lo, v->hi);
        if (v->n == least)
            fmt(out, ", the smallest measured count");
    }
    if (s->shared)
        fmt(out, "; not judged: the core was shared");
}

static void tell(struct report *r, const struct run_facts *run, const char *suite,
                 const struct series *s)
{
    const struct even v = even_find(s->point, s->n);
    char message[200];
    struct sink_buf text;
    struct json line, *j = &line;

    sink_buf_init(&text, message, sizeof message);
    say(&text.sink, suite, s, &v);
    if (!compare_event_begin(r, j, run,
                             &(struct compare_event){"breaks_even", message, suite, s->name,
                                                     s->compared_with, s->unit, s->shared, false}))
        return;
#include "bench/api/fields/event_even.def"
    json_end(j);
}

static void tell_series(struct report *r, const struct run_facts *run,
                        const struct core_figure *figures, size_t first)
{
    size_t n;
    const struct bench *const *rows = registry(&n);
    struct series s = gather(run, rows, n, figures, first);

    if (s.n > 1)
        tell(r, run, rows[first]->suite, &s);
}

void even_show(struct report *r, const struct run_facts *run, const struct core_figure *figures)
{
    compare_each_series(r, run, figures, same_series, tell_series);
}
