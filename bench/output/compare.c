#include "bench/output/compare.h"
#include "bench/api/declare.h"
#include "bench/api/registry.h"
#include "bench/result/cycles.h"
#include "lib/stats/mathx.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/stats/shift.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* Writes v with three decimals and a prefix so that it is below `step`: k M G T, or Ki Mi Gi Ti. */
static void prefixed(struct sink *out, double v, double step, const char *mark)
{
    static const char letters[] = " kMGT";
    unsigned i = 0;

    for (; v >= step && i + 2 < sizeof letters; i++)
        v /= step;
    num_f64(out, v, 3, 0);
    if (i)
        fmt(out, " %c%s", *mark && i == 1 ? 'K' : letters[i], mark);
    else
        fmt(out, " ");
}

/* Returns base units per second; NaN if the time is not known. */
static double per_second(const struct run_facts *run, const struct row *row)
{
    if (units_are_instructions(run) || !run_has_hz(run) || row->figure.ticks <= 0)
        return UNKNOWN;
    return row->out.bench->shown.base_per_op * run->tsc_hz / row->figure.ticks;
}

static bool has_units(const struct row *row)
{
    return row->out.bench->shown.base_unit && row->figure.known;
}

void compare_units_show(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct bench *b = row->out.bench;
    double second = per_second(run, row), cycles = row->figure.cycles.theta;

    if (!has_units(row) || run->execution == EXEC_EMULATED)
        return;
    fmt(r->out, "  = %u %ss an operation", b->shown.base_per_op, b->shown.base_unit);
    if (is_known(cycles) && cycles > 0 && run_has_cycles(run)) {
        num_fmt(r->out, ", %.3f %ss a%s", b->shown.base_per_op / cycles, b->shown.base_unit,
                units_are_instructions(run) ? "n instruction" : " cycle");
    }
    if (is_known(second)) {
        fmt(r->out, ", ");
        prefixed(r->out, second, 1000, "");
        fmt(r->out, "%ss/s (", b->shown.base_unit);
        prefixed(r->out, second, 1024, "i");
        fmt(r->out, ")");
    }
    fmt(r->out, "\r\n");
}

#define SHIFT_LEVEL 0.99

static double longer(double a, double b)
{
    return a > b ? a : b;
}

/* Computes the difference and its interval: from the placements' figures if both rows have enough,
 * else from the two figures, whose errors are independent. */
static void set_apart(const struct core_figure *mine, const struct core_figure *theirs,
                      struct comparison *s)
{
    struct shift_set a = {mine->theta, mine->placements, mine->rounds};
    struct shift_set b = {theirs->theta, theirs->placements, theirs->rounds};
    struct shift shift = shift_over_rounds(&a, &b, SHIFT_LEVEL);

    if (is_known(shift.lo)) {
        s->by = shift.by_rounds ? "rounds" : "placements";
        s->apart = shift.by;
        s->lo = shift.lo;
        s->hi = shift.hi;
        return;
    }
    s->by = "intervals";
    double mine_below = mine->cycles - mine->lo, mine_above = mine->hi - mine->cycles;
    double their_below = theirs->cycles - theirs->lo, their_above = theirs->hi - theirs->cycles;
    s->lo = s->apart - mathx_sqrt(mine_below * mine_below + their_above * their_above);
    s->hi = s->apart + mathx_sqrt(mine_above * mine_above + their_below * their_below);
}

struct comparison compare_figures(const struct run_facts *run, const struct core_figure *mine,
                                  const struct core_figure *theirs)
{
    struct comparison s = {.unit = "ticks",
                           .mine = mine->ticks,
                           .theirs = theirs->ticks,
                           .mine_half = UNKNOWN,
                           .theirs_half = UNKNOWN,
                           .lo = UNKNOWN,
                           .hi = UNKNOWN,
                           .shared = mine->shared || theirs->shared};

    if (units_are_instructions(run)) {
        s.unit = "instructions";
        s.mine = units_of(run, mine->ticks);
        s.theirs = units_of(run, theirs->ticks);
    }
    s.apart = s.mine - s.theirs;
    if (units_are_instructions(run) || !run_has_cycles(run) || !is_known(mine->cycles) ||
        !is_known(theirs->cycles))
        return s;
    s.unit = "cycles";
    s.mine = mine->cycles;
    s.theirs = theirs->cycles;
    s.mine_half = longer(mine->cycles - mine->lo, mine->hi - mine->cycles);
    s.theirs_half = longer(theirs->cycles - theirs->lo, theirs->hi - theirs->cycles);
    s.apart = s.mine - s.theirs;
    set_apart(mine, theirs, &s);
    return s;
}

static void say(struct sink *out, double v, double half)
{
    num_f64(out, v, 3, 0);
    if (!is_known(half))
        return;
    num_fmt(out, " +- %.3f", half);
}

static void say_both(struct sink *out, const struct bench *b, const struct comparison *s)
{
    fmt(out, "%s/%s ", b->suite, b->name);
    say(out, s->mine, s->mine_half);
    fmt(out, ", %s ", b->shown.compared_with);
    say(out, s->theirs, s->theirs_half);
    fmt(out, " %s/op: ", s->unit);
    say(out, s->apart, longer(s->apart - s->lo, s->hi - s->apart));
    fmt(out, " apart");
}

/* Returns whether the effect of the move is judged. A sweep takes both rows at all offsets, so that
 * they do not differ. */
static bool judges_move(const struct run_facts *run, const struct bench *b,
                        const struct comparison *s)
{
    return b->shown.moved_bytes && is_known(s->lo) && !s->shared &&
           run->execution == EXEC_SILICON && run->o->layout != LAYOUT_SWEEP;
}

static bool is_sensitive(const struct comparison *s)
{
    return s->lo > 0 || s->hi < 0;
}

static void say_move(struct sink *out, const struct bench *b, const struct comparison *s)
{
    fmt(out, "; code moved by %u bytes: this CPU is %ssensitive to that", b->shown.moved_bytes,
        is_sensitive(s) ? "" : "not ");
    if (is_sensitive(s))
        return;
    num_fmt(out, " beyond the interval, %.3f to %.3f", s->lo, s->hi);
}

bool compare_event_begin(struct report *r, struct json *j, const struct run_facts *run,
                         const struct compare_event *e)
{
    if (e->only_record ? !report_event_record(r, j, e->kind, e->message)
                       : !report_event_begin(r, j, e->kind, e->message))
        return false;
#include "bench/api/fields/event_rows.def"
    return true;
}

static void compare(struct report *r, const struct run_facts *run, const struct bench *b,
                    const struct core_figure *mine, const struct core_figure *theirs, bool grouped)
{
    struct comparison s = compare_figures(run, mine, theirs);
    char message[320];
    struct sink_buf text;
    struct json line, *j = &line;

    sink_buf_init(&text, message, sizeof message);
    say_both(&text.sink, b, &s);
    if (s.shared)
        fmt(&text.sink, "; not judged: the core was shared");
    if (judges_move(run, b, &s))
        say_move(&text.sink, b, &s);
    if (!compare_event_begin(r, j, run,
                             &(struct compare_event){"compared", message, b->suite, b->name,
                                                     b->shown.compared_with, s.unit, s.shared,
                                                     .only_record = grouped}))
        return;
#include "bench/api/fields/event_compared.def"
    json_end(j);
}

void compare_rows(struct report *r, const struct run_facts *run, const struct core_figure *figures,
                  const struct grouped *grouped)
{
    size_t n, left_out = 0;
    const struct bench *const *rows = registry(&n);

    if (report_table(r)) {
        report_fresh_line(r);
        fmt(r->out, "\r\n");
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; rows[i]->shown.compared_with && k < n; k++)
            if (str_eq(rows[k]->suite, rows[i]->suite) &&
                str_eq(rows[k]->name, rows[i]->shown.compared_with) && is_known(figures[i].ticks) &&
                is_known(figures[k].ticks)) {
                bool both = !rows[i]->shown.moved_bytes && grouped_both(grouped, rows[i], rows[k]);
                left_out += both;
                compare(r, run, rows[i], &figures[i], &figures[k], both);
            }
    if (left_out && report_table(r))
        fmt(r->out,
            "compared: %zu more pairs are in adjacent columns of the tables above; table=rows "
            "lists each\r\n",
            left_out);
}

bool compare_begins_series(const struct bench *const *rows, size_t i, compare_alike *alike)
{
    size_t first = 0;

    while (first < i && !alike(rows[first], rows[i]))
        first++;
    return first == i && alike(rows[i], rows[i]);
}

void compare_each_series(struct report *r, const struct run_facts *run,
                         const struct core_figure *figures, compare_alike *alike,
                         compare_tell *tell)
{
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (compare_begins_series(rows, i, alike))
            tell(r, run, figures, i);
}
