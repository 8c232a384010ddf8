#include "bench/engine/witness.h"
#include "bench/api/tsc.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

#define ADDS_OF_ITERATION 64
#define FIRST_NOPS        1024 /* in the windows from which the others are planned */
#define FIRST_ADDS        256
#define GROUPS            32 /* the median is used: a neighbour or an interrupt disturbs some */
#define WINDOWS_FINE      8  /* of each kind in a group; ... */
#define WINDOWS_STEPS     2  /* ... plus this number for each core cycle of the TSC's step */
#define WINDOWS_MOST      64
#define FIRST_READS       256
#define SEARCH_MOST       (TSC_HZ_MAX / 4) /* about 1 s; the TSC's rate is not known yet */
#define READ_WORTH        6 /* the time between two readings, at least, in durations of a reading */

struct witness_calibration {
    double level, nops_window, adds_window; /* core cycles */
};

static double nops(unsigned n)
{
    return witness_nops(n / WITNESS_UNIT);
}

static double adds(unsigned n)
{
    return witness_adds(n / ADDS_OF_ITERATION);
}

/* Doubles windows of n NOPs and m additions: the difference does not contain their overhead. */
static struct witness_calibration measure_group(unsigned n, unsigned m, unsigned windows)
{
    double once = 0, twice = 0, ruler = 0, ruler2 = 0;

    for (unsigned i = 0; i < windows; i++) {
        once += nops(n);
        ruler += adds(m);
        twice += nops(2 * n);
        ruler2 += adds(2 * m);
    }
    double ticks = (ruler2 - ruler) / m; /* per core cycle, summed over all windows of a kind */
    if (!(ticks > 0))
        return (struct witness_calibration){UNKNOWN, UNKNOWN, UNKNOWN};
    return (struct witness_calibration){(twice - once) / ticks / n, (2 * once - twice) / ticks,
                                        (2 * ruler - ruler2) / ticks};
}

static unsigned group_windows(const struct engine *e)
{
    uint64_t n = WINDOWS_FINE + WINDOWS_STEPS * e->step_cycles;

    return n < WINDOWS_MOST ? (unsigned)n : WINDOWS_MOST;
}

static struct witness_calibration calibrate(const struct engine *e, unsigned n, unsigned m)
{
    double level[GROUPS], nops_window[GROUPS], adds_window[GROUPS];
    size_t good = 0;

    measure_group(n, m, 1); /* fetches its code */
    for (unsigned i = 0; i < GROUPS; i++) {
        struct witness_calibration c = measure_group(n, m, group_windows(e));
        if (!is_known(c.level))
            continue;
        level[good] = c.level;
        nops_window[good] = c.nops_window;
        adds_window[good++] = c.adds_window;
    }
    if (good <= GROUPS / 2)
        return (struct witness_calibration){UNKNOWN, UNKNOWN, UNKNOWN};
    return (struct witness_calibration){median(level, good), median(nops_window, good),
                                        median(adds_window, good)};
}

/* Returns why the witness cannot run; NULL: it can. */
static const char *obstacle(const struct engine *e)
{
    if (e->facts.execution != EXEC_SILICON)
        return "no real CPU executes this";
    if (cpu_lacks(e->p->cpu, RECIPE_LFENCE))
        return "LFENCE does not serialise here";
    return run_has_ruler(&e->facts) ? NULL : "the ruler does not grow";
}

static bool makes_sense(const struct witness_calibration *c)
{
    return c->level > WITNESS_LEAST && c->level < WITNESS_MOST && is_known(c->nops_window) &&
           is_known(c->adds_window);
}

void witness_open(struct engine *e)
{
    struct core_witness *o = &e->witness;

    memset(o, 0, sizeof *o);
    e->facts.witness = (struct witness_facts){0};
    o->search_left = SEARCH_MOST;
    e->facts.witness.why_not = obstacle(e);
    if (e->facts.witness.why_not)
        return;
    /* Calibrates with windows of a fixed length first, then with windows of the planned length: the
     * first iterations of a loop of NOPs can be slower than the rest. */
    struct witness_calibration c = calibrate(e, FIRST_NOPS, FIRST_ADDS);
    if (makes_sense(&c)) {
        o->plan = witness_plan(e->facts.step / e->facts.ticks_per_cycle, c.level, c.nops_window);
        c = calibrate(e, o->plan.nops, o->plan.adds);
    }
    if (!makes_sense(&c)) {
        e->facts.witness.why_not = "NOPs take no steady time";
        return;
    }
    o->plan.window = c.nops_window;
    o->plan.ruler_window = c.adds_window;
    for (unsigned i = 0; i < FIRST_READS; i++)
        witness_read(e);
}

/* Alternates NOPs and additions, so that both run at the same clock frequency. */
static void take_windows(const struct core_witness *o, double *w_ticks, double *r_ticks)
{
    for (unsigned i = 0; i < o->plan.windows; i++) {
        w_ticks[i] = nops(o->plan.nops);
        r_ticks[i] = adds(o->plan.adds);
    }
}

double witness_read(struct engine *e)
{
    struct core_witness *o = &e->witness;
    double w_ticks[WITNESS_WINDOWS], r_ticks[WITNESS_WINDOWS];

    if (e->facts.witness.why_not)
        return UNKNOWN;
    uint64_t began = tsc_now();
    nops(o->plan.nops); /* refills the front end's caches, which other code has used */
    take_windows(o, w_ticks, r_ticks);
    struct moments w = witness_undisturbed(w_ticks, o->plan.windows, WITNESS_SLOWEST);
    struct moments r = witness_undisturbed(r_ticks, o->plan.windows, WITNESS_RULER);
    double ticks = w.mean - o->plan.window * r.mean / (o->plan.adds + o->plan.ruler_window);
    o->last = witness_level(&o->plan, w.mean, r.mean);
    o->read_at = tsc_now();
    o->read_ticks = o->read_at - began;
    witness_add(&o->levels, o->last, o->plan.noise,
                w.n < 2 || witness_steady(moments_sd(&w), e->facts.step, ticks));
    e->facts.witness.best = o->levels.best;
    return o->last;
}

double witness_read_before(struct engine *e)
{
    const struct core_witness *o = &e->witness;
    bool fresh = o->read_ticks && tsc_now() - o->read_at <= 2 * o->read_ticks;

    return fresh && !e->facts.witness.why_not ? o->last : witness_read(e);
}

bool witness_can_wait(const struct engine *e)
{
    const struct core_witness *o = &e->witness;

    return !e->facts.witness.why_not && tsc_now() - o->read_at < READ_WORTH * o->read_ticks;
}

bool witness_is_shared(const struct engine *e, double before, double after)
{
    const struct core_witness *o = &e->witness;

    return !e->facts.witness.why_not && (!witness_is_exclusive(&o->levels, before, o->plan.noise) ||
                                         !witness_is_exclusive(&o->levels, after, o->plan.noise));
}

void witness_note(struct engine *e, double before, double after, struct row *row)
{
    witness_count_row(e, witness_is_shared(e, before, after), row);
    row->taken.shared = 2 * row->taken.shared_blocks > row->taken.blocks;
}

bool witness_may_search(struct engine *e)
{
    if (e->facts.o->retry_budget == 0)
        return false;
    e->facts.witness.gave_up = e->witness.search_left == 0;
    return !e->facts.witness.gave_up;
}

void witness_searched(struct engine *e, uint64_t from)
{
    uint64_t took = tsc_now() - from;

    e->witness.search_left -= took < e->witness.search_left ? took : e->witness.search_left;
}

void witness_count(struct engine *e, bool shared)
{
    e->facts.witness.blocks += !e->facts.witness.why_not;
    e->facts.witness.shared += !e->facts.witness.why_not && shared;
}
