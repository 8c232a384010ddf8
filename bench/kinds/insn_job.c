#include "bench/kinds/forms.h"
#include "bench/engine/context.h"
#include "bench/engine/witness.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

#define TRIES 3 /* of a shared block */

double insn_job_run(const struct insn_job *j, window_fn fn, uint64_t iterations, uint64_t i)
{
    struct object *o = (struct object *)(void *)j->pass.e->p->data;

    if (iterations)
        insn_batch_iterations(&j->batch, iterations);
    return (double)fn(o, NULL, 0, dither(j->pass.e, i), WINDOW_STACK + j->pass.at.stack).ticks;
}

/* Returns the samples of one kind: of the windows with n copies, or with twice as many. */
static uint64_t *samples_of(const struct insn_job *j, unsigned slot, bool twice)
{
    return j->samples + (2 * slot + twice) * 2 * INSN_WINDOWS_MOST;
}

/* Takes the forward or the backward block of one kind. Its first window is a warm-up. */
static void take(const struct insn_job *j, window_fn fn, uint64_t iterations, uint64_t *to,
                 bool backward)
{
    unsigned n = j->pass.windows, from = backward ? n : 0;

    if (n > 1)
        insn_job_run(j, fn, iterations, 0);
    for (unsigned i = from; i < from + n; i++)
        to[i] = (uint64_t)insn_job_run(j, fn, iterations, i);
}

static void take_both(struct insn_job *j, unsigned slot, bool backward)
{
    const struct insn_windows *w = &j->batch.test[slot];
    bool is_ruler = slot == INSN_RULER_SLOT;
    window_fn fn[] = {is_ruler ? j->batch.ruler : w->once, is_ruler ? j->batch.ruler2 : w->twice};
    uint64_t iterations = is_ruler ? 0 : w->cell->iterations;

    if (!is_ruler && w->writes)
        insn_batch_fill(&j->batch);
    for (unsigned i = 0; i < 2; i++) {
        bool twice = i != backward;
        bool doubles = twice && (is_ruler || !insn_has_two_bodies(w->cell->id.kind));
        take(j, fn[twice], doubles ? 2 * iterations : iterations, samples_of(j, slot, twice),
             backward);
    }
}

void insn_job_take(struct insn_job *j, unsigned slot, bool backward)
{
    struct engine *e = j->pass.e;
    unsigned tries = e->facts.witness.best > 0 ? TRIES : 1;
    bool shared = true;

    for (unsigned i = 0; i < tries && shared; i++) {
        double before = witness_read_before(e);
        take_both(j, slot, backward);
        shared = witness_is_shared(e, before, witness_read(e));
        witness_count(e, shared);
    }
    j->pass.table->blocks++;
    j->pass.table->shared += shared;
    j->shared[slot] |= shared;
}

bool insn_job_has_states(const struct insn_job *j, const struct insn_cell *c)
{
    return insn_has_states(c->id.kind) && !j->pass.table->exact;
}

double insn_job_mean(const struct insn_job *j, unsigned slot, bool twice)
{
    uint64_t sorted[2 * INSN_WINDOWS_MOST], scratch[2 * INSN_WINDOWS_MOST];
    size_t n = (j->pass.table->exact ? 1 : 2) * j->pass.windows, used = 0;
    double sum = 0;

    memcpy(sorted, samples_of(j, slot, twice), n * sizeof *sorted);
    stats_sort(sorted, n);
    struct statistics s = stats_of(sorted, n, scratch);
    double above = stats_disturbed_above(&s, j->pass.e->facts.step);
    if (slot != INSN_RULER_SLOT && insn_job_has_states(j, j->batch.test[slot].cell))
        above = stats_other_state_above(sorted, n, j->pass.e->facts.step);
    for (; used < n && (double)sorted[used] <= above; used++)
        sum += (double)sorted[used];
    return sum / (double)used;
}
