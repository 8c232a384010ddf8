#include "bench/cores/gaps.h"
#include "bench/check/guard.h"
#include "bench/sample/interleave.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

#define CALIBRATION        1023       /* iterations; odd, so that one is the median */
#define UNKNOWN_HZ         1000000000 /* limits the watch if the TSC's frequency is not known */
#define STRETCHES_A_SECOND 4          /* the user's key is polled between two */

_Static_assert(sizeof(struct watch) + GAPS_KEPT * sizeof(uint64_t) <=
                       INTERLEAVE_NEED * sizeof(uint64_t) &&
                   CALIBRATION <= GAPS_KEPT,
               "a watch does not fit an engine's memory");

/* Reads the TSC without a fence: an iteration should be short, not exact. */
static inline uint64_t tsc(void)
{
    uint32_t lo, hi;

    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return (uint64_t)hi << 32 | lo;
}

/* Returns the watch in the engine's memory; GAPS_KEPT words for sorting follow it. */
static struct watch *watch_of(const struct seat *seat)
{
    return (struct watch *)(void *)seat->engine.memory;
}

static uint64_t *scratch_of(struct watch *w)
{
    return (uint64_t *)(void *)(w + 1);
}

uint64_t gaps_hz(const struct engine *e)
{
    return run_has_hz(&e->facts) ? (uint64_t)e->facts.tsc_hz : UNKNOWN_HZ;
}

static unsigned asked_ms(const struct engine *e)
{
    if (e->facts.o->watch > 0)
        return e->facts.o->watch;
    return e->facts.execution == EXEC_INSTRUCTIONS ? WATCH_AUTO_EXACT : WATCH_AUTO;
}

uint64_t gaps_duration(const struct engine *e)
{
    uint64_t ms = asked_ms(e);

    return (ms * gaps_hz(e) + 999) / 1000; /* at most 10^6 ms of 10^10 Hz: it fits */
}

/* Returns the median duration of an iteration. */
static uint64_t typical_turn(uint64_t *turn)
{
    uint64_t last = tsc();

    for (unsigned i = 0; i < CALIBRATION; i++) {
        uint64_t now = tsc();
        turn[i] = now - last;
        last = now;
    }
    stats_sort(turn, CALIBRATION);
    return turn[CALIBRATION / 2];
}

static uint64_t own_nmis(const struct engine *e)
{
    return e->p->own_nmis ? e->p->own_nmis() : 0;
}

/* Watches for `ticks`. A TSC that goes back (a process that is moved) makes no gap: differences are
 * signed. An NMI that the program sends for a deadline makes no gap either. */
static void spin(const struct engine *e, struct gaps *g, int64_t ticks)
{
    int64_t threshold = (int64_t)g->threshold;
    uint64_t own = own_nmis(e);
    uint64_t start = tsc(), last = start, before = g->watched;

    while ((int64_t)(last - start) < ticks) {
        uint64_t now = tsc();
        if ((int64_t)(now - last) >= threshold) {
            uint64_t own_now = own_nmis(e);
            if (own_now == own)
                gaps_add(g, before + last - start, now - last);
            own = own_now;
            now = tsc(); /* the time for recording is no gap */
        }
        last = now;
    }
    g->watched += last - start;
}

struct stretch {
    const struct engine *engine;
    struct gaps *gaps;
    uint64_t ticks;
};

static void spin_stretch(void *ctx)
{
    const struct stretch *s = ctx;

    spin(s->engine, s->gaps, (int64_t)s->ticks);
}

/* Watches in intervals, and polls for a key between them; this time is not watched. */
static void spin_in_stretches(struct seat *seat, struct gaps *g)
{
    const struct engine *e = &seat->engine;
    uint64_t all = gaps_duration(e), most = gaps_hz(e) / STRETCHES_A_SECOND;

    while (g->watched < all && pace_go_on(e)) {
        uint64_t left = all - g->watched;
        struct stretch s = {e, g, left < most ? left : most};
        if (!guard_run(e, &seat->row, spin_stretch, &s))
            break;
        pace_show(e, (double)g->watched / (double)all);
    }
}

static void watch_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct seat *seat = plan_seat(plan, core);
    const struct engine *e = &seat->engine;
    struct watch *w = watch_of(seat);

    memset(&seat->row, 0, sizeof seat->row);
    seat->row.bench = plan->bench;
    e->p->row_begin(e->p, plan->bench->suite, plan->bench->name, 0);
    e->p->row_longer(e->p, asked_ms(e));
    uint64_t smis = engine_smis(e) - pace_smis(e), nmis = e->p->nmis();
    gaps_init(&w->gaps, typical_turn(scratch_of(w)), gaps_hz(e));
    spin_in_stretches(seat, &w->gaps);
    w->smis = engine_smis(e) - pace_smis(e) - smis;
    w->nmis = e->p->nmis() - nmis;
    e->p->row_end(e->p);
    memset(w->kept, 0, sizeof w->kept);
    engine_keep(e, w->kept);
    seat->back = true;
}

const struct watch *gaps_watch(struct plan *plan, const struct bench *b, unsigned k)
{
    struct seat *seat = &plan->seat[k];
    struct watch *w = watch_of(seat);

    plan->bench = b;
    plan->stage = k;
    if (seat->gone || plan_on(plan, k, watch_here, plan) || plan->pace->stopped)
        return NULL;
    w->rhythm = gaps_rhythm(&w->gaps, scratch_of(w));
    seat->nmis += w->nmis;
    return w;
}
