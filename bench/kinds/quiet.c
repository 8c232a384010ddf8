/*
 * Suite `quiet`: all cores at once do nothing but read their TSC for quiet_time=
 * seconds, so that every interruption appears as a gap (lib/stats/gaps.h).
 *
 * They do so in stretches of a second. In a stretch all cores begin together and nothing else runs.
 * Between two stretches the boot core polls for a key and updates the progress line while the
 * others wait: a poll may cause an SMI, which stops all cores, and would be a gap of the program's
 * own. This time is not watched.
 */
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/result/cores.h"
#include "bench/api/tsc.h"
#include "bench/engine/guard.h"
#include "bench/engine/poll.h"
#include "bench/kinds/team.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

#define CALIBRATION    1023 /* iterations; odd, so that one is the median */
#define STRETCH_MS     1000
#define EXACT_FRACTION 100 /* quiet_time=auto is this part of a second where no gap can occur */

_Static_assert(CALIBRATION * sizeof(uint64_t) <= sizeof((struct gaps *)0)->first,
               "a calibration does not fit");

/* The memory of a watch in a plan, after that of its rendezvous: the result, followed by the cores'
 * watches. */
struct watching {
    struct quiet quiet;
    struct team *team;
    uint64_t ticks; /* of the current stretch */
    struct watch watch[];
};

/* Returns how long each core watches, in ticks. */
static uint64_t quiet_duration(const struct engine *e)
{
    uint64_t hz = (uint64_t)run_limit_hz(&e->facts);

    if (e->facts.o->quiet_time > 0)
        return e->facts.o->quiet_time * hz;
    return e->facts.execution == EXEC_INSTRUCTIONS ? hz / EXACT_FRACTION : QUIET_TIME_AUTO * hz;
}

/* --- on each core ----------------------------------------------------------------------------- */

/* Returns the median duration of an iteration. */
static uint64_t typical_iteration(uint64_t *iteration)
{
    uint64_t last = tsc_unfenced();

    for (unsigned i = 0; i < CALIBRATION; i++) {
        uint64_t now = tsc_unfenced();
        iteration[i] = now - last;
        last = now;
    }
    stats_sort(iteration, CALIBRATION);
    return iteration[CALIBRATION / 2];
}

/* The gaps that a row plants. A train's first one is due after every_us; in the second train after
 * half of it, so that two gaps do not come at once. */
struct planting {
    const struct bench_gap_train *train;
    uint64_t hz, due[BENCH_GAP_TRAINS]; /* ticks since then */
};

static const struct bench_gaps no_gaps;

static uint64_t ticks_of(uint64_t us, uint64_t hz)
{
    return us * hz / 1000000;
}

static struct planting planting_from(const struct bench_gaps *gaps, uint64_t at, uint64_t hz)
{
    struct planting p = {.train = gaps->train, .hz = hz};

    for (unsigned i = 0; i < BENCH_GAP_TRAINS && p.train[i].us; i++) {
        uint64_t every = ticks_of(p.train[i].every_us, hz), first = i ? every / 2 : every;
        p.due[i] = at < first ? first : (at - first + every) / every * every + first;
    }
    return p;
}

/* Holds the core up if a gap is due, `at` ticks after the watch began. */
static void plant_due(struct planting *p, uint64_t at)
{
    for (unsigned i = 0; i < BENCH_GAP_TRAINS && p->train[i].us; i++) {
        if (at < p->due[i])
            continue;
        uint64_t from = tsc_unfenced(), length = ticks_of(p->train[i].us, p->hz);
        while (tsc_unfenced() - from < length)
            ;
        p->due[i] += ticks_of(p->train[i].every_us, p->hz);
    }
}

static uint64_t own_nmis(const struct engine *e)
{
    return e->p->events.own_nmis ? e->p->events.own_nmis() : 0;
}

/* Watches for `ticks`. A TSC that goes back (a process that is moved) makes no gap: differences are
 * signed. An NMI that the program sends for a deadline makes no gap either. */
static void spin(const struct engine *e, struct watch *w, uint64_t ticks, struct planting *planting)
{
    int64_t threshold = (int64_t)w->gaps.threshold;
    uint64_t nmis = own_nmis(e), before = w->gaps.watched, start = tsc_unfenced(), last = start;

    while ((int64_t)(last - start) < (int64_t)ticks) {
        uint64_t now = tsc_unfenced();
        if ((int64_t)(now - last) >= threshold) {
            uint64_t nmis_now = own_nmis(e);
            if (nmis_now == nmis)
                gaps_add(&w->gaps, last - w->began, now - last);
            nmis = nmis_now;
            w->gaps.watched = before + now - start; /* the stretch may be aborted */
            now = tsc_unfenced();                   /* the time for recording is not a gap */
        }
        last = now;
        if (planting)
            plant_due(planting, last - w->began);
    }
    w->gaps.watched = before + last - start;
    w->ended = last;
}

/* Begins the watch of a core. */
static void begin_watch(const struct engine *e, struct watch *w)
{
    w->began = tsc_unfenced();
    w->smis_before = engine_smis(e);
}

/* A core and its place in the rendezvous. */
struct attendant {
    struct watching *v;
    const struct engine *engine;
    struct watch *watch;
    unsigned place;
};

static void watch_stretch(void *ctx)
{
    const struct attendant *attendant = ctx;
    struct watch *w = attendant->watch;
    const struct bench_gaps *plant = w->out.bench->of ? w->out.bench->of : &no_gaps;
    uint64_t hz = (uint64_t)run_limit_hz(&attendant->engine->facts);

    if (w->gaps.typical == 0)
        gaps_init(&w->gaps, typical_iteration((uint64_t *)(void *)w->gaps.first), (double)hz);
    if (!team_pass(attendant->v->team, attendant->place))
        return;
    if (w->began == 0)
        begin_watch(attendant->engine, w);
    struct planting planting = planting_from(plant, tsc_unfenced() - w->began, hz);
    spin(attendant->engine, w, attendant->v->ticks, plant != &no_gaps ? &planting : NULL);
    w->smis_after = engine_smis(attendant->engine);
    attendant->v->team->core[attendant->place].complete = true;
}

static void watch_here(void *ctx, unsigned core)
{
    struct watching *v = ctx;
    struct plan *plan = v->team->plan;
    struct plan_core *pc = plan_core(plan, core);
    struct watch *w = &v->quiet.watch[pc - plan->core];
    struct attendant attendant = {v, &pc->engine, w, pc->gate.place};
    uint64_t smis = w->out.smis, nmis = w->out.nmis;

    pc->waits = false;
    span_begin(&pc->engine, &w->out, STRETCH_MS);
    (void)guard_run(&pc->engine, &w->out, watch_stretch, &attendant);
    span_end(&pc->engine, &w->out);
    pc->nmis += w->out.nmis;
    pc->row.out = w->out; /* of this stretch */
    w->out.smis += smis;
    w->out.nmis += nmis;
    barrier_leave(&plan->barrier, attendant.place);
    pc->back = true;
}

/* --- on the boot core ------------------------------------------------------------------------- */

/* Repeats a stretch for which a core came too late. False: the row has failed, or the user stopped
 * the run. */
static bool watch_together(struct watching *v, const struct engine *e)
{
    enum team_end end = TEAM_AGAIN;
    uint64_t patience = v->team->patience, none;

    v->team->late = 0;
    while (end == TEAM_AGAIN) {
        if (!poll_go_on(e))
            return false;
        end = team_meet(v->team, v->quiet.n, watch_here, v, &none);
    }
    v->team->patience = patience;
    return end == TEAM_MET;
}

static void begin(struct watching *v, struct plan *plan, const struct bench *b)
{
    memset(v, 0, sizeof *v);
    team_begin(plan, b);
    plan->bench = b;
    plan->stage = 0;
    v->team = team_of(plan);
    v->quiet.out.bench = b;
    v->quiet.cores = &plan->cores;
    v->quiet.watch = v->watch;
    v->quiet.n = team_take_places(v->team);
    for (unsigned k = 0; k < plan->all; k++) {
        struct watch *w = &v->quiet.watch[k];
        memset(w, 0, sizeof *w);
        w->out.bench = b;
        w->out.core = plan->list[k];
    }
}

/* If the run was stopped, or a core was lost or did not answer, the result has what was watched
 * until then, and the reason. */
static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    struct watching *v =
        (struct watching *)(void *)((uint8_t *)plan->shared + team_size(plan->all));
    const struct engine *e = &plan->core[k].engine;
    uint64_t all = quiet_duration(e), done = 0,
             most = (uint64_t)run_limit_hz(&e->facts) * STRETCH_MS / 1000;

    begin(v, plan, b);
    do {
        v->ticks = all - done < most ? all - done : most;
        if (!watch_together(v, e))
            break;
        done += v->ticks;
        poll_show(e, (double)done / (double)all);
    } while (done < all);
    v->quiet.complete = done >= all;
    v->quiet.asked_s = (double)all / run_limit_hz(&e->facts);
    if (!plan->poll->stopped)
        v->quiet.out = v->team->met.row.out;
    for (unsigned i = 0; i < plan->all; i++)
        v->quiet.watch[i].periods = gap_periods(&v->quiet.watch[i].gaps);
    return &v->quiet.out;
}

static size_t memory(const struct options *o, unsigned all)
{
    (void)o;
    return team_size(all) + sizeof(struct watching) + all * sizeof(struct watch);
}

static double guess(const struct engine *e, const struct bench *b)
{
    (void)b;
    return (double)quiet_duration(e);
}

const struct kind kind_watch = {.name = "gaps",
                                .conducted = true,
                                .timed = true,
                                .cores = "all", /* a machine's quiet is that of all of its cores */
                                .options = OPTIONS_WATCH,
                                .no_body = "it watches cores",
                                .so_far = "its gaps so far",
                                .memory = memory,
                                .guess = guess,
                                .measure = measure_row};
