#include "bench/show/essence_take.h"
#include "bench/measure/cycle.h"
#include "bench/show/per_op.h"
#include "bench/show/units.h"
#include "lib/config/method.h"
#include "lib/decimal/num.h"
#include "lib/stats/known.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

void essence_machine(struct essence *s, const struct engine *e, const struct board *b)
{
    const struct cpu *c = e->p->cpu;
    const char *vendor = b->text[BOARD_SYSTEM_VENDOR], *product = b->text[BOARD_SYSTEM_PRODUCT];
    unsigned cores = e->p->cores ? e->p->cores->count : 1;
    struct sink_buf text;

    sink_buf_init(&text, s->machine, sizeof s->machine);
    fmt(&text.sink, "%s", c->brand[0] ? c->brand : c->vendor_id);
    if (cpu_model_is_masked(c))
        fmt(&text.sink, ", model masked");
    fmt(&text.sink, ", %u core%s", cores, cores == 1 ? "" : "s");
    if (c->hypervisor)
        fmt(&text.sink, ", under %s", c->hypervisor_id[0] ? c->hypervisor_id : "a hypervisor");
    if (vendor[0] || product[0])
        fmt(&text.sink, ", %s%s%s", vendor, vendor[0] && product[0] ? " " : "", product);
}

static void say_clock(const struct engine *e, struct sink *out)
{
    if (units_are_instructions(e)) {
        fmt(out, "one instruction is %llu ticks of the TSC",
            (unsigned long long)e->ticks_per_instruction);
        return;
    }
    if (engine_has_hz(e)) {
        fmt(out, "TSC ");
        num_f64(out, e->tsc_hz / 1e6, 3, 0);
        fmt(out, " MHz");
    } else {
        fmt(out, "TSC of unknown frequency");
    }
    if (e->execution != EXEC_SILICON || !engine_has_ruler(e))
        return;
    fmt(out, ", core ");
    if (engine_has_hz(e)) {
        num_f64(out, e->tsc_hz / e->ticks_per_cycle / 1e6, 1, 0);
        fmt(out, " MHz: ");
    }
    num_f64(out, e->ticks_per_cycle, 4, 0);
    fmt(out, " ticks a cycle");
}

static void say_unit(const struct engine *e, struct sink *out)
{
    const struct headline none = {0};

    fmt(out, "%s/op", per_op_of(e, &none).unit);
    if (units_are_instructions(e))
        fmt(out, ": INSTRUCTIONS, not time");
    else if (cycle_known(e))
        fmt(out, " by %s", e->cycle.source.used->name);
    if (e->o->method != METHOD_DOUBLED)
        fmt(out, ", method=%s", method_names[e->o->method]);
    else if (!units_are_instructions(e) && cycle_known(e))
        fmt(out, ", +-98%%");
}

void essence_begin(struct essence *s, const struct engine *e)
{
    struct sink_buf text;

    s->execution = e->execution;
    s->core = e->core;
    s->cores = e->cores;
    s->together = e->o->share == SHARE_TOGETHER && e->cores > 1;
    s->gross = units_are_instructions(e) ? "instructions" : "ticks";
    sink_buf_init(&text, s->clock, sizeof s->clock);
    say_clock(e, &text.sink);
    sink_buf_init(&text, s->unit, sizeof s->unit);
    say_unit(e, &text.sink);
    fmt_buf(s->window, sizeof s->window, "empty_%s", recipe_names[e->recipe]);
}

/* Which of the rows that are shown; ESSENCE_ROWS: none. */
static unsigned find(const struct essence *s, const struct bench *b)
{
    unsigned i = 0;

    for (; i < ESSENCE_ROWS; i++) {
        const char *name = i == ESSENCE_WINDOW ? s->window : essence_names[i].name;
        if (str_eq(b->suite, essence_names[i].suite) && str_eq(b->name, name))
            break;
    }
    return i;
}

/* A bare window, as the first figures of its line: it has nothing to subtract. */
static double window_of(const struct row *row)
{
    const struct method_side *side = &row->method.body;

    switch (row->method.method) {
    case METHOD_PLAIN:
        return side->all.n ? side->all.mean : UNKNOWN;
    case METHOD_KBEST:
        return side->all.n ? (double)side->kbest.smallest[0] : UNKNOWN;
    case METHOD_ENSEMBLES:
        return side->all.n ? (double)side->ensemble.least : UNKNOWN;
    default:
        return row->ticks.n ? row->ticks.median : UNKNOWN;
    }
}

/* What its line shows. */
static void take(struct essence_figure *f, const struct engine *e, const struct row *row)
{
    struct per_op op = per_op_of(e, &row->headline);

    *f = (struct essence_figure){.state = ESSENCE_FIGURE,
                                 .value = op.value,
                                 .half = op.half,
                                 .ns = UNKNOWN,
                                 .gross = row->bench->form == FORM_EMPTY,
                                 .shared = row->shared,
                                 .doubt = row->method.doubt != NULL};
    if (row->bench->form == FORM_EMPTY)
        f->value = units_of(e, window_of(row));
    if (row->bench->form == FORM_CORES) {
        f->value = row->headline.ticks;
        f->half = UNKNOWN;
        if (e->execution == EXEC_SILICON && engine_has_hz(e))
            f->ns = units_ns(e, row->headline.ticks);
    }
    if (row->status == ROW_WRONG)
        f->state = ESSENCE_FAILED;
}

static void count(struct essence *s, const struct engine *e, const struct row *row)
{
    struct essence_spoils *p = &s->spoils;
    enum throttled throttled =
        e->p->row_throttled ? e->p->row_throttled(e->p, row->core) : THROTTLED_UNKNOWN;

    s->rows++;
    p->shared += row->shared;
    p->throttled += throttled == THROTTLED_YES;
    p->throttling_known = p->throttling_known || throttled != THROTTLED_UNKNOWN;
    p->disturbed += row->disturbed;
    p->windows += row->ticks.n ? row->ticks.n : row->method.body.all.n;
}

void essence_row(struct essence *s, const struct engine *e, const struct row *row)
{
    unsigned at = find(s, row->bench);

    if (row->status == ROW_UNSUPPORTED)
        return;
    if (at < ESSENCE_ROWS && row->core == s->core)
        take(&s->figure[at], e, row);
    if (row->bench->form != FORM_CORES)
        count(s, e, row);
}

void essence_end(struct essence *s, const struct engine *e, uint64_t smis)
{
    struct essence_spoils *p = &s->spoils;

    p->own_known = !e->own.why_not;
    p->own_never = p->own_known && !(e->own.witness.best > 0);
    p->smis_known = e->p->smis != NULL;
    p->smis = smis;
}
