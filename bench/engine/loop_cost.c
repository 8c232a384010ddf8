#include "bench/engine/loop_cost.h"
#include "lib/stats/mathx.h"

/* The most instructions that a core executes as one (macro-fusion: `cmp` and `jcc`, `mov` and
 * `add`, a NOP and the instruction before it). */
#define FUSED_MOST 2

double loop_gross(const struct loop_facts *f)
{
    double gross = f->net + f->loop;

    return gross > 0 ? gross : UNKNOWN;
}

/* Uses both ends of the interval: a wide interval proves neither that all of the cost is hidden nor
 * that a part is. An unknown bound is NaN; comparisons with it are false. */
enum hidden loop_hides(const struct loop_facts *f)
{
    if (!is_known(f->net) || !is_known(f->loop) || f->instructions <= 0) /* 0: nothing to hide */
        return HIDDEN_NOT;
    double least = f->instructions * f->nop / FUSED_MOST; /* comparisons with NaN are false */
    bool quicker = f->net < least && least - f->net <= f->loop;
    bool proven = quicker && f->hi < least;
    if (proven && (f->net <= 0 || f->lo <= 0) && is_known(loop_gross(f)))
        return HIDDEN_ALL;
    if (proven)
        return HIDDEN_PART;
    return f->net < f->loop || quicker ? HIDDEN_MAYBE : HIDDEN_NOT;
}

void loop_cost(const struct engine *e, const struct gathered *g, struct row *row)
{
    const struct estimate *cycles = &row->figure.cycles;

    row->loop = (struct row_loop){UNKNOWN, UNKNOWN, HIDDEN_NOT};
    if (e->facts.execution != EXEC_SILICON || e->facts.cycle.by == CYCLES_UNKNOWN ||
        !g->used[KIND_EMPTY2] || !is_known(cycles->theta) || row->cycles_per_tick <= 0)
        return;
    double iterations = gathered_location(g, KIND_EMPTY2) - gathered_location(g, KIND_EMPTY);
    double loop = iterations * row->cycles_per_tick / row->out.bench->ops;
    struct loop_facts f = {
        .net = cycles->theta,
        .lo = cycles->lo,
        .hi = cycles->hi,
        .loop = loop > 0 ? loop : UNKNOWN, /* the noise exceeds the loop's cost */
        .instructions = run_instructions(&e->facts, row),
        .nop = e->witness.levels.best > 0 ? e->witness.levels.best : UNKNOWN,
    };
    row->loop = (struct row_loop){f.loop, loop_gross(&f), loop_hides(&f)};
}
