#include "bench/kinds/forms.h"
#include "lib/insn/form.h"
#include "bench/engine/poll.h"
#include "lib/stats/mathx.h"
#include "lib/text/mem.h"

static bool has_history(const struct insn_row *row, const struct insn_cell *c)
{
    unsigned kind = c->id.kind;
    struct insn_test t;

    return (kind == INSN_TEST_DISTINCT || kind == INSN_TEST_BREAKS || kind == INSN_TEST_LATENCY) &&
           insn_test(&t, insn_form(row->form), row->decoration, &c->id) == INSN_RUNS &&
           insn_has_source(&t);
}

/* Returns whether a pass measures a cell of a row: the pass aims at this kind of test, the test was
 * not aborted, and it needs another placement. */
static bool insn_is_due(const struct insn_pass *pass, const struct insn_row *row,
                        const struct insn_cell *c)
{
    bool at_most, is_mix = c->id.kind == INSN_TEST_MIXED;

    if (c->ended || is_mix != (pass->aim == AIM_MIXES))
        return false;
    /* The throughput of the first pass tells how many fillers hide a copy. */
    if (c->id.kind == INSN_TEST_SLOTS && pass->table->passes == 0)
        return false;
    switch (pass->aim) {
    case AIM_MIXES:
        return insn_mix_wants(c);
    case AIM_HISTORY:
        return c->copies > 0 && row->values == INSN_USUAL && has_history(row, c) &&
               insn_wants_after(pass->table, row, c);
    case AIM_ALL:
        return insn_has_room(c);
    default:
        return insn_has_room(c) && !insn_figure(pass->table, row, c, &at_most).settled;
    }
}

/*
 * Number of copies: more than the reorder buffer and the scheduler hold (512 and about 200 entries
 * on the largest CPUs so far), so that both windows fill them. Of slow forms: as many as take about
 * 4000 cycles. A loop of fast forms runs until it takes about as long, so that one mispredicted end
 * is below 1%.
 */
enum { COPIES = 640, FEW = 4, CYCLES = 4000, ITERATIONS_LEAST = 4, ITERATIONS_MOST = 64 };
_Static_assert(INSN_LOOP_COPIES *ITERATIONS_LEAST >= COPIES,
               "a loop is as long as a straight line");
#define STATES_APART 0.05 /* of a window: windows n and 2n are in different states */
enum { TRIALS = 3 };

/* --- how many copies -------------------------------------------------------------------------- */

/* Returns the difference of the least ticks of two windows. */
static double roughly(const struct insn_job *j, const struct insn_windows *w, uint64_t iterations)
{
    double least[2] = {0};

    for (unsigned i = 0; i < TRIALS; i++)
        for (unsigned k = 0; k < 2; k++) {
            double ticks = insn_job_run(j, k ? w->twice : w->once, iterations << k, i);
            if (i == 0 || ticks < least[k])
                least[k] = ticks;
        }
    return least[1] - least[0];
}

static double cycle_of(const struct insn_job *j)
{
    return run_has_ruler(&j->pass.e->facts) ? j->pass.e->facts.ticks_per_cycle : 1;
}

/* Chooses loop or straight line, by the ticks of a few copies. */
static void choose(const struct insn_job *j, const struct insn_windows *w)
{
    struct insn_cell *c = w->cell;

    if (c->id.kind == INSN_TEST_SLOTS || c->id.kind == INSN_TEST_FILLERS) {
        if (!mixed_choose_fillers(j->pass.table, j->row, c))
            c->ended = GUARD_STOPPED;
        return;
    }
    double cycles = roughly(j, w, 0) / FEW / cycle_of(j);
    double most = cycles > 0 ? CYCLES / cycles : COPIES;

    c->copies = (uint16_t)(most < FEW ? FEW : most < COPIES ? most : COPIES);
    if (c->copies < INSN_LOOP_COPIES || c->id.kind == INSN_TEST_STRAIGHT ||
        !insn_can_loop(&w->test.view) || !insn_values_can_loop(j->row->values))
        return;
    c->copies = INSN_LOOP_COPIES;
    c->iterations = ITERATIONS_LEAST;
}

static void choose_iterations(const struct insn_job *j, const struct insn_windows *w)
{
    double iteration = roughly(j, w, ITERATIONS_LEAST) / ITERATIONS_LEAST / cycle_of(j);
    double most = iteration > 0 ? CYCLES / iteration : ITERATIONS_LEAST;

    w->cell->iterations = (uint16_t)(most < ITERATIONS_LEAST  ? ITERATIONS_LEAST
                                     : most < ITERATIONS_MOST ? most
                                                              : ITERATIONS_MOST);
}

/* --- guarded calls ---------------------------------------------------------------------------- */

static void try_few(void *ctx)
{
    struct insn_job *j = ctx;

    insn_batch_fill(&j->batch);
    for (j->at = 0; j->at < j->batch.built; j->at++)
        choose(j, &j->batch.test[j->at]);
}

static double score_of(const struct insn_job *j, unsigned i, double cycle)
{
    const struct insn_cell *c = j->batch.test[i].cell;
    double iteration = c->iterations * cycle;

    return mixed_score(insn_job_mean(j, i, false) / iteration,
                       insn_job_mean(j, i, true) / iteration, c,
                       insn_blocker_cost(j->pass.table, c->id.other));
}

/* Returns the ticks that twice as many copies take longer. If windows of n and of 2n copies were in
 * different states, half of those of 2n counts, without what an empty window takes. A straight line
 * of n copies may also be faster because a part of them fits the reorder buffer. */
static double longer_of(const struct insn_job *j, unsigned i)
{
    const struct insn_cell *c = j->batch.test[i].cell;
    double once = insn_job_mean(j, i, false), twice = insn_job_mean(j, i, true);

    if (!insn_job_has_states(j, c))
        return twice - once;
    double empty = 2 * insn_job_mean(j, INSN_RULER_SLOT, false) -
                   insn_job_mean(j, INSN_RULER_SLOT, true),
           slower = 2 * once - twice - empty, most = STATES_APART * once;
    bool differ = slower > most || (c->iterations > 0 && slower < -most);
    return differ ? (twice - empty) / 2 : twice - once;
}

static double value_of(const struct insn_job *j, unsigned i, double cycle)
{
    const struct insn_cell *c = j->batch.test[i].cell;

    switch (c->id.kind) {
    case INSN_TEST_SLOTS:
        return mixed_slots(insn_job_mean(j, i, false), insn_job_mean(j, i, true), c);
    case INSN_TEST_MIXED:
        return score_of(j, i, cycle);
    case INSN_TEST_FILLERS: {
        double ticks = insn_job_mean(j, i, true) - insn_job_mean(j, i, false);
        return ticks / (c->copies * (c->blockers + 1)) / c->iterations / cycle;
    }
    default:
        return longer_of(j, i) / c->copies / (c->iterations ? c->iterations : 1) / cycle;
    }
}

static void measure(void *ctx)
{
    struct insn_job *j = ctx;
    const struct insn_batch *b = &j->batch;

    memset(j->shared, 0, sizeof j->shared);
    insn_batch_fill(b);
    for (j->at = 0; j->at < b->built; j->at++)
        if (b->test[j->at].cell->taken == 0 &&
            b->test[j->at].cell->iterations == ITERATIONS_LEAST &&
            !insn_has_two_bodies(b->test[j->at].cell->id.kind))
            choose_iterations(j, &b->test[j->at]);
    double cycle = cycle_of(j);
    if (j->pass.table->exact) { /* the ruler and a second block would have the same counts again */
        for (j->at = 0; j->at < b->built; j->at++)
            insn_job_take(j, j->at, false);
    } else {
        insn_job_take(j, INSN_RULER_SLOT, false);
        for (j->at = 0; j->at < b->built; j->at++)
            insn_job_take(j, j->at, false);
        while (j->at-- > 0)
            insn_job_take(j, j->at, true);
        insn_job_take(j, INSN_RULER_SLOT, true);
        cycle =
            (insn_job_mean(j, INSN_RULER_SLOT, true) - insn_job_mean(j, INSN_RULER_SLOT, false)) /
            INSN_RULER;
    }
    for (unsigned i = 0; i < b->built; i++)
        j->value[i] = cycle > 0 ? value_of(j, i, cycle) : UNKNOWN;
}

/* Figures with the other history are kept only from exclusive placements, because there is room for
 * few. */
static void keep_after(struct insn_cell *c, double value, bool shared)
{
    if (!shared)
        c->after[c->after_taken++] = (float)value;
}

static void keep(struct insn_job *j)
{
    for (unsigned i = 0; i < j->batch.built; i++) {
        struct insn_cell *c = j->batch.test[i].cell;
        bool shared = j->shared[i] || j->shared[INSN_RULER_SLOT];
        if (!is_known(j->value[i]))
            continue;
        if (j->pass.aim == AIM_HISTORY) {
            keep_after(c, j->value[i], shared);
            continue;
        }
        if (shared && c->id.kind == INSN_TEST_MIXED)
            continue;
        insn_add_place(c, j->value[i], shared);
    }
}

/* --- faults ----------------------------------------------------------------------------------- */

/* Marks the test that was aborted. False: the user stopped the run. */
static bool mark(struct insn_job *j, const struct guard_ended *ended)
{
    if (ended->by == GUARD_STOPPED) {
        if (j->pass.e->poll)
            j->pass.e->poll->stopped = true;
        return false;
    }
    const char *what = ended->by == GUARD_FAULT ? ended->what : "it exceeded deadline=";
    j->row->fault = insn_fault_number(j->pass.table, what);
    bool all = ended->by == GUARD_DEADLINE;
    for (unsigned i = 0; i < j->batch.n; i++)
        if (all || i == j->at)
            j->batch.test[i].cell->ended = (uint8_t)ended->by;
    return true;
}

/* --- a row ------------------------------------------------------------------------------------ */

/* Adds to the batch the row's tests that this pass measures and whose number of copies is known
 * (tried), or not known (not tried). */
static void collect(struct insn_job *j, bool tried)
{
    struct insn_cell *c = j->pass.table->cell + j->row->first;

    insn_batch_begin(&j->batch, &j->pass, j->row);
    for (unsigned i = 0; i < j->row->cells; i++)
        if ((tried == (c[i].copies > 0)) && insn_is_due(&j->pass, j->row, &c[i]))
            insn_batch_add(&j->batch, &c[i]);
}

/* Calls fn for all tests of the batch, as many at once as fit the buffer. A test that is aborted is
 * removed, and the others are run again. */
static bool run_all(struct insn_job *j, void (*fn)(void *ctx), void (*done)(struct insn_job *j))
{
    struct guard_ended ended;

    while (j->batch.n > 0) {
        if (!insn_batch_build(&j->batch)) {
            j->batch.test[0].cell->ended = GUARD_FAULT;
            j->row->fault = insn_fault_number(j->pass.table, "its copies cannot be encoded");
            insn_batch_drop(&j->batch, 1);
            continue;
        }
        if (j->pass.e->p->guarded(fn, j, &ended)) {
            if (done)
                done(j);
            insn_batch_drop(&j->batch, j->batch.built);
        } else if (!mark(j, &ended)) {
            return false;
        } else {
            for (unsigned i = j->batch.n; i-- > 0;)
                if (j->batch.test[i].cell->ended) {
                    memmove(&j->batch.test[i], &j->batch.test[i + 1],
                            (--j->batch.n - i) * sizeof j->batch.test[0]);
                }
        }
    }
    return true;
}

/* The throughputs of form and blocker determine how many copies of each to take. */
static void choose_mixes(const struct insn_job *j)
{
    struct insn_cell *c = j->pass.table->cell + j->row->first;

    for (unsigned i = 0; i < j->row->cells; i++)
        if (insn_is_due(&j->pass, j->row, &c[i]))
            mixed_choose(j->pass.table, j->row, &c[i]);
}

/* In the first pass, the time of a few copies of each test determines how many to take. */
static bool try_row(struct insn_job *j)
{
    if (j->pass.aim == AIM_MIXES) {
        choose_mixes(j);
        return true;
    }
    collect(j, false);
    for (unsigned i = 0; i < j->batch.n; i++)
        j->batch.test[i].cell->copies = FEW;
    return j->pass.table->exact || run_all(j, try_few, NULL);
}

bool insn_measure(const struct insn_pass *pass, struct insn_row *row)
{
    static struct insn_job job;
    const struct engine *e = pass->e;
    struct sink_buf text;

    job.pass = *pass;
    job.row = row;
    job.samples = e->memory;
    sink_buf_init(&text, job.name, sizeof job.name);
    insn_row_name(row, &text.sink);
    e->p->row.begin(e->p, "insn", job.name, 0);
    bool go_on = try_row(&job);
    if (go_on) {
        collect(&job, true);
        go_on = run_all(&job, measure, keep);
        row->reached = true;
    }
    e->p->row.end(e->p);
    return go_on;
}
