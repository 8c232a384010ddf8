#include "bench/output/summary.h"
#include "bench/result/cycles.h"
#include "bench/output/per_op.h"
#include "lib/config/options.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

void summary_machine(struct summary *s, const struct run_facts *run, unsigned cores,
                     const struct board *b)
{
    const struct cpu *c = run->cpu;
    const char *vendor = b->text[BOARD_SYSTEM_VENDOR], *product = b->text[BOARD_SYSTEM_PRODUCT];
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

static void say_clock(const struct run_facts *run, struct sink *out)
{
    if (units_are_instructions(run)) {
        fmt(out, "one instruction is %llu ticks of the TSC",
            (unsigned long long)run->ticks_per_instruction);
        return;
    }
    if (run_has_hz(run)) {
        num_fmt(out, "TSC %.3f MHz", run->tsc_hz / 1e6);
    } else {
        fmt(out, "TSC of unknown frequency");
    }
    if (run->execution != EXEC_SILICON || !run_has_ruler(run))
        return;
    fmt(out, ", core ");
    if (run_has_hz(run)) {
        num_fmt(out, "%.1f MHz: ", run->tsc_hz / run->ticks_per_cycle / 1e6);
    }
    num_fmt(out, "%.4f ticks a cycle", run->ticks_per_cycle);
}

static void say_unit(const struct run_facts *run, struct sink *out)
{
    const struct row_figure none = {0};

    fmt(out, "%s/op", per_op_of(run, &none).unit);
    if (units_are_instructions(run))
        fmt(out, ": INSTRUCTIONS, not time");
    else if (run_has_cycles(run))
        fmt(out, " by %s", run->cycle.source.used->name);
    if (run->o->method != METHOD_DOUBLED)
        fmt(out, ", method=%s", method_names[run->o->method]);
}

void summary_begin(struct summary *s, const struct run_facts *run)
{
    struct sink_buf text;

    s->execution = run->execution;
    s->core = run->core;
    s->cores = run->cores;
    s->together = run->o->share == SHARE_TOGETHER && run->cores > 1;
    s->gross = units_window(run);
    sink_buf_init(&text, s->clock, sizeof s->clock);
    say_clock(run, &text.sink);
    sink_buf_init(&text, s->unit, sizeof s->unit);
    say_unit(run, &text.sink);
}

/* Returns the row's figure in the summary; NULL: no figure. Of the bare windows only that with the
 * recipe in use has one. */
static struct summary_figure *figure_of(struct summary *s, const struct run_facts *run,
                                        const struct bench *b)
{
    const struct summary_part *part;

    if (bench_is_bare(b) && b->window.recipe != run->recipe)
        return NULL;
    for (unsigned p = 0; (part = summary_part(p)); p++)
        for (unsigned i = 0; i < SUMMARY_ROWS && part->row[i]; i++)
            if (str_eq(b->suite, part->suite) && glob_match(part->row[i], b->name))
                return &s->figure[p][i];
    return NULL;
}

/* Returns a bare window's ticks, as in the first columns of its line: nothing is subtracted. */
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
        return row->gross.ticks.n ? row->gross.ticks.median : UNKNOWN;
    }
}

/* Takes the figure of the row's line. */
static void take(struct summary_figure *f, const struct run_facts *run, const struct row *row)
{
    struct per_op op = per_op_of(run, &row->figure);

    *f = (struct summary_figure){.state = SUMMARY_FIGURE,
                                 .name = row->out.bench->name,
                                 .value = op.value,
                                 .half = op.half,
                                 .percent = op.percent,
                                 .ns = UNKNOWN,
                                 .gross = bench_is_bare(row->out.bench),
                                 .shared = row->taken.shared,
                                 .doubt = row->method.doubt != NULL};
    if (bench_is_bare(row->out.bench))
        f->value = units_of(run, window_of(row));
    if (!bench_has_windows(row->out.bench)) { /* several cores met */
        f->value = row->figure.ticks;
        f->half = UNKNOWN;
        if (run->execution == EXEC_SILICON && run_has_hz(run))
            f->ns = units_ns(run, row->figure.ticks);
    }
    if (row->out.status == ROW_WRONG)
        f->state = SUMMARY_FAILED;
}

static void count(struct summary *s, const struct run_facts *run, const struct row *row)
{
    struct summary_spoils *p = &s->spoils;
    enum throttled throttled =
        run->kept->throttled ? run->kept->throttled(row->out.kept) : THROTTLED_UNKNOWN;

    s->rows++;
    p->shared += row->taken.shared;
    p->throttled += throttled == THROTTLED_YES;
    p->throttling_known = p->throttling_known || throttled != THROTTLED_UNKNOWN;
    p->disturbed += row->taken.disturbed;
    p->windows += row->gross.ticks.n ? row->gross.ticks.n : row->method.body.all.n;
}

void summary_row(struct summary *s, const struct run_facts *run, const struct row *row)
{
    struct summary_figure *figure = figure_of(s, run, row->out.bench);

    if (row->out.status == ROW_UNSUPPORTED)
        return;
    if (figure && row->out.core == s->core)
        take(figure, run, row);
    if (bench_has_windows(row->out.bench))
        count(s, run, row);
}

void summary_end(struct summary *s, const struct run_facts *run, uint64_t smis)
{
    struct summary_spoils *p = &s->spoils;

    p->witness_runs = !run->witness.why_not;
    p->never_exclusive = p->witness_runs && !(run->witness.best > 0);
    p->smis_known = run->counts_smis;
    p->smis = smis;
}
