#include "bench/cores/gaps.h"
#include "bench/check/guard.h"
#include "bench/context/pace.h"
#include "bench/cores/one_core.h"
#include "bench/sample/interleave.h"
#include "lib/stats/stats.h"

#define CALIBRATION        1023 /* iterations; odd, so that one is the median */
#define STRETCHES_A_SECOND 4    /* the user's key is polled between two */

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

/* Returns GAPS_KEPT words for sorting, after the watch in the engine's memory. */
static uint64_t *scratch_of(struct watch *w)
{
    return (uint64_t *)(void *)(w + 1);
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

    /* At most 10^6 ms of 10^10 Hz: it fits. */
    return (ms * (uint64_t)run_limit_hz(&e->facts) + 999) / 1000;
}

/* Returns the median duration of an iteration. */
static uint64_t typical_iteration(uint64_t *iteration)
{
    uint64_t last = tsc();

    for (unsigned i = 0; i < CALIBRATION; i++) {
        uint64_t now = tsc();
        iteration[i] = now - last;
        last = now;
    }
    stats_sort(iteration, CALIBRATION);
    return iteration[CALIBRATION / 2];
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
static void spin_in_stretches(const struct engine *e, struct watch *w)
{
    uint64_t all = gaps_duration(e), most = (uint64_t)run_limit_hz(&e->facts) / STRETCHES_A_SECOND;

    while (w->gaps.watched < all && pace_go_on(e)) {
        uint64_t left = all - w->gaps.watched;
        struct stretch s = {e, &w->gaps, left < most ? left : most};
        if (!guard_run(e, &w->row, spin_stretch, &s))
            break;
        pace_show(e, (double)w->gaps.watched / (double)all);
    }
}

static void watch_here(struct engine *e, void *memory)
{
    struct watch *w = memory;

    gaps_init(&w->gaps, typical_iteration(scratch_of(w)), (uint64_t)run_limit_hz(&e->facts));
    spin_in_stretches(e, w);
}

const struct watch *gaps_watch(struct plan *plan, const struct bench *b, unsigned k)
{
    const struct one_core s = {watch_here, sizeof(struct watch), asked_ms(&plan->core[k].engine)};

    struct watch *w = one_core_measure(plan, b, k, &s);

    if (w)
        w->rhythm = gaps_rhythm(&w->gaps, scratch_of(w));
    return w;
}
