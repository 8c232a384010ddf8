#include "lib/stats/clock_rate.h"
#include "lib/stats/stats.h"
#include "lib/stats/mathx.h"

const char *const clock_source_names[CLOCK_SOURCES] = {"cpuid15", "pmtimer", "hpet", "pit",
                                                       "stated"};

/* Ties are broken in this order: free-running counters, then what a CPU states about itself, then
 * the PIT, whose reads are the slowest and the first that a busy host delays. */
static const enum clock_source preference[CLOCK_VOTERS] = {CLOCK_PMTIMER, CLOCK_HPET, CLOCK_CPUID15,
                                                           CLOCK_PIT};

/* A higher quotient comes from a counter that hardly moved, not from a TSC. */
#define HZ_MOST 1e12

uint64_t clock_hz(const struct clock_read *a, const struct clock_read *b, double hz, unsigned bits,
                  double *error_hz)
{
    *error_hz = 0;
    if (a->tsc_after < a->tsc_before || b->tsc_before < a->tsc_after ||
        b->tsc_after < b->tsc_before || bits < 1 || bits > 64)
        return 0;
    uint64_t steps = (b->count - a->count) & (~0ull >> (64 - bits));
    uint64_t length_a = a->tsc_after - a->tsc_before, length_b = b->tsc_after - b->tsc_before;
    /* From the middle of one reading to the middle of the other. */
    double ticks =
        (double)(b->tsc_before - a->tsc_before) + ((double)length_b - (double)length_a) / 2;
    if (steps == 0 || !(ticks > 0))
        return 0;
    double tsc_hz = ticks * hz / (double)steps;
    if (!(tsc_hz >= 1 && tsc_hz <= HZ_MOST))
        return 0;
    double reads = ((double)length_a + (double)length_b) / 2;
    *error_hz = tsc_hz * (reads / ticks + 1 / (double)steps);
    return (uint64_t)(tsc_hz + 0.5);
}

bool clock_steps(uint64_t from, uint64_t to, unsigned bits, double expected, double *steps)
{
    uint64_t mask = ~0ull >> (64 - bits), seen = (to - from) & mask;
    double turn = (double)(mask / 2 + 1) * 2, ahead = expected - (double)seen;

    if (!(ahead < turn * 0x1p32)) /* no counter goes unread for that long; false for NaN too */
        return false;
    *steps = (double)seen;
    if (ahead > 0)
        *steps += (double)(uint64_t)(ahead / turn + 0.5) * turn;
    double off = expected - *steps;
    return off <= turn / 4 && off >= -turn / 4;
}

uint64_t clock_median(uint64_t *hz, unsigned n)
{
    unsigned zeros = 0;

    stats_sort(hz, n);
    while (zeros < n && hz[zeros] == 0)
        zeros++;
    return zeros < n ? (uint64_t)(stats_quantile(hz + zeros, n - zeros, 0.5) + 0.5) : 0;
}

struct clock_result clock_stated(struct tsc_rate rate)
{
    struct clock_result r = {.hz = rate.hz};

    if (rate.source == TSC_RATE_CPUID)
        r.why_not = "as cpuid15";
    else if (rate.hz == 0)
        r.why_not = "neither CPUID nor an MSR states it";
    else
        r.known = true;
    return r;
}

static bool is_usable(const struct clock_result *r)
{
    return r->known && r->hz > 0;
}

static bool is_coarse(const struct clock_result *r)
{
    return r->error_hz * 1e6 > (double)r->hz * CLOCK_AGREE_PPM;
}

static double apart_hz(const struct clock_result *a, const struct clock_result *b)
{
    return (double)(a->hz > b->hz ? a->hz - b->hz : b->hz - a->hz);
}

/* Symmetric. */
static bool agree(const struct clock_result *a, const struct clock_result *b)
{
    double lesser = (double)(a->hz < b->hz ? a->hz : b->hz);

    return apart_hz(a, b) <= lesser * CLOCK_AGREE_PPM / 1e6 + a->error_hz + b->error_hz;
}

/* While the process was away for a share of the window, the TSC read high by at most that share. */
static double window_error(const struct clock_window *w)
{
    return w->error_hz + w->away * (double)w->hz;
}

static struct clock_result of_undisturbed(const struct clock_window *w, unsigned n)
{
    struct clock_result r = {0};
    uint64_t hz[CLOCK_WINDOWS];
    unsigned undisturbed = 0;

    for (unsigned i = 0; i < n; i++) {
        if (!clock_window_undisturbed(&w[i]))
            continue;
        hz[undisturbed++] = w[i].hz;
        if (window_error(&w[i]) > r.error_hz)
            r.error_hz = window_error(&w[i]);
    }
    r.hz = undisturbed ? clock_median(hz, undisturbed) : 0;
    r.known = undisturbed > 0;
    return r;
}

static struct clock_result of_least_away(const struct clock_window *w, unsigned n)
{
    const struct clock_window *least = NULL;

    for (unsigned i = 0; i < n; i++)
        if (w[i].hz && (!least || w[i].away < least->away))
            least = &w[i];
    if (!least)
        return (struct clock_result){.why_not = "it does not advance while the process runs"};
    return (struct clock_result){.known = true, .hz = least->hz, .error_hz = window_error(least)};
}

struct clock_result clock_of_windows(const struct clock_window *w, unsigned n,
                                     const struct clock_result *other)
{
    struct clock_result undisturbed = of_undisturbed(w, n), any = of_least_away(w, n);

    if (!any.known)
        return any;
    if (!is_usable(other))
        return undisturbed.known ? undisturbed : any;
    if (undisturbed.known && agree(&undisturbed, other))
        return undisturbed;
    struct clock_result r = *other;
    if (undisturbed.known)
        r.error_hz = apart_hz(&undisturbed, other);
    return r;
}

/* A rough source does not vote if it agrees with a finer one. It may contradict all of those. */
static bool may_vote(const struct tsc_clock *c, enum clock_source s)
{
    if (!is_usable(&c->source[s]))
        return false;
    for (int i = 0; is_coarse(&c->source[s]) && i < CLOCK_VOTERS; i++)
        if (is_usable(&c->source[i]) && !is_coarse(&c->source[i]) &&
            agree(&c->source[i], &c->source[s]))
            return false;
    return true;
}

/* More votes, or as many where the other is rough. */
static bool is_better(const struct tsc_clock *c, enum clock_source s, unsigned votes, unsigned most)
{
    return votes > most ||
           (votes == most && is_coarse(&c->source[c->used]) && !is_coarse(&c->source[s]));
}

void clock_choose(struct tsc_clock *c)
{
    c->used = preference[0];
    c->hz = 0;
    c->worst_ppm = 0;
    c->agree = false;

    unsigned most = 0;
    for (int i = 0; i < CLOCK_VOTERS; i++) {
        enum clock_source s = preference[i];
        if (!may_vote(c, s))
            continue;
        unsigned votes = 0; /* including its own */
        for (int j = 0; j < CLOCK_VOTERS; j++)
            votes += may_vote(c, j) && agree(&c->source[j], &c->source[s]);
        if (is_better(c, s, votes, most)) {
            most = votes;
            c->used = s;
            c->hz = c->source[s].hz;
        }
    }
    if (c->hz == 0 && is_usable(&c->source[CLOCK_STATED])) {
        c->used = CLOCK_STATED;
        c->hz = c->source[CLOCK_STATED].hz;
    }
    if (c->hz == 0)
        return;

    const struct clock_result *used = &c->source[c->used];
    c->agree = true;
    for (int i = 0; i < CLOCK_VOTERS; i++) {
        const struct clock_result *other = &c->source[i];
        if (!is_usable(other))
            continue;
        double ppm = apart_hz(other, used) * 1e6 / (double)used->hz;
        if (ppm > c->worst_ppm)
            c->worst_ppm = ppm;
        if (!agree(other, used))
            c->agree = false;
    }
}

bool tick_add(struct tick_finder *f, uint64_t gap, uint64_t tsc, uint64_t count)
{
    uint64_t n = count - f->count;

    f->tsc = tsc;
    if (n == 0) /* something else delayed the loop */
        return true;
    double cost = (double)gap / (double)n;
    if (f->events == 0) {
        f->first_tsc = tsc;
        f->first_count = count;
    }
    /* The first gap may include the time before the loop began. */
    if (f->events > 0 && (f->events == 1 || cost < f->least))
        f->least = cost;
    f->events++;
    f->count = count;
    return f->events < TICK_EVENTS;
}

struct tick_cost tick_judge(const struct tick_finder *f)
{
    struct tick_cost c = {.events = f->events, .cost = UNKNOWN, .interval = UNKNOWN};

    if (f->events < TICK_EVENTS_LEAST || f->count == f->first_count)
        return c;
    c.known = true;
    c.cost = f->least;
    c.interval = (double)(f->tsc - f->first_tsc) / (double)(f->count - f->first_count);
    return c;
}

uint64_t tick_compensate(const struct tick_cost *c, uint64_t least, uint64_t ticks, uint64_t n,
                         uint64_t *taken)
{
    double left = (double)ticks - (double)n * c->cost;
    bool known = least != UINT64_MAX;

    *taken = 0;
    if (n == 0 || !(left > 0) || (known && left < (double)least) ||
        (!known && (double)ticks < c->interval))
        return ticks;
    *taken = n;
    return (uint64_t)(left + 0.5);
}
