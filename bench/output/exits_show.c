/* What a run of suite `exits` shows of exits to a hypervisor by itself (docs/exits.md). */
#include "bench/output/across.h"
#include "bench/api/declare.h"
#include "bench/api/registry.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define SHARE 2 /* scripts/judge/exits.py: an exit takes at least CPUID's time divided by this */

struct exit_rows {
    const struct bench *const *rows;
    size_t n;
    const struct core_figure *figures;
    const struct core_figure *cpuid; /* NULL: row exits/cpuid has no figure */
};

static bool is_of_exits(const struct bench *b)
{
    return str_eq(b->suite, "exits");
}

static bool is_asked_for(const struct run_facts *run, const struct exit_rows *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (is_of_exits(t->rows[i]) && registry_selects(run->o, t->rows[i]))
            return true;
    return false;
}

/* Returns the end of a figure's interval in ticks; its ticks if it has no interval. */
static double end_of(const struct core_figure *f, double end)
{
    return is_known(end) && f->cycles > 0 ? f->ticks * end / f->cycles : f->ticks;
}

/* Returns whether a row certainly takes less than an exit. */
static bool stays(const struct core_figure *cpuid, const struct core_figure *f)
{
    return end_of(f, f->hi) < end_of(cpuid, cpuid->lo) / SHARE;
}

static bool has_figure(const struct exit_rows *t, size_t i)
{
    return t->rows[i]->needs.platform == NEED_RING0 && bench_is_straight(t->rows[i]) &&
           !t->figures[i].wrong && is_known(t->figures[i].ticks);
}

/* Returns the first row from the i-th on that stays, or that may exit; n: none. */
static size_t next(const struct exit_rows *t, size_t i, bool staying)
{
    while (i < t->n && !(has_figure(t, i) && stays(t->cpuid, &t->figures[i]) == staying))
        i++;
    return i;
}

static unsigned count(const struct exit_rows *t, bool staying)
{
    unsigned found = 0;

    for (size_t i = next(t, 0, staying); i < t->n; i = next(t, i + 1, staying))
        found++;
    return found;
}

static void say_rows(struct sink *out, const struct run_facts *run, const struct exit_rows *t)
{
    const char *id = run->cpu->hypervisor_id;

    fmt(out, "%s: CPUID takes", id[0] ? id : "a hypervisor");
    if (run_has_hz(run))
        num_fmt(out, " %.1f ns", units_ns(run, t->cpuid->ticks));
    else
        num_fmt(out, " %.1f ticks", t->cpuid->ticks);
    fmt(out, ". %u rows take less than half of that, so they do not exit. %u others may exit:",
        count(t, true), count(t, false));
    for (size_t i = next(t, 0, false); i < t->n; i = next(t, i + 1, false))
        fmt(out, " %s/%s", t->rows[i]->suite, t->rows[i]->name);
    fmt(out, "; baretick compare with a report of the bare machine decides");
}

static void tell_rows(struct report *r, const struct run_facts *run, const struct exit_rows *t)
{
    char message[4096]; /* every row of suites exits, devices and privileged fits */
    struct sink_buf text;
    struct json line, *j = &line;

    sink_buf_init(&text, message, sizeof message);
    say_rows(&text.sink, run, t);
    if (!report_event_begin(r, j, "exits", message))
        return;
#include "bench/api/fields/event_exits.def"
    json_end(j);
}

void exits_show(struct report *r, const struct run_facts *run, const struct core_figure *figures)
{
    struct exit_rows t = {.figures = figures};

    t.rows = registry(&t.n);
    for (size_t i = 0; i < t.n; i++)
        if (is_of_exits(t.rows[i]) && str_eq(t.rows[i]->name, "cpuid") &&
            is_known(figures[i].ticks))
            t.cpuid = &figures[i];
    if (!is_asked_for(run, &t))
        return;
    if (run->execution != EXEC_SILICON)
        report_event(r, "exits", "not judged: the times of an emulator are not those of exits");
    else if (!run->cpu->hypervisor)
        report_event(r, "exits", "nothing exits: this machine has no hypervisor");
    else if (!t.cpuid)
        report_event(r, "exits", "not known: row exits/cpuid, the scale, has no figure");
    else
        tell_rows(r, run, &t);
}
