#include "lib/stats/gaps.h"
#include "lib/stats/mathx.h"
#include "lib/text/mem.h"

#define NS_A_US 1000

uint64_t gaps_bin_ns(unsigned bin)
{
    static const uint64_t hundredths[GAPS_PER_DECADE] = {100, 125, 160, 200, 250,
                                                         315, 400, 500, 630, 800};
    uint64_t ns = hundredths[bin % GAPS_PER_DECADE] * NS_A_US / 100;

    for (unsigned i = 0; i < bin / GAPS_PER_DECADE; i++)
        ns *= 10;
    return ns;
}

const char *const gaps_class_names[GAPS_CLASSES] = {"1 us",  "10 us",  "100 us", "1 ms",
                                                    "10 ms", "100 ms", "1 s"};

void gaps_init(struct gaps *g, uint64_t typical, double hz)
{
    memset(g, 0, sizeof *g);
    for (unsigned i = 0; i < GAPS_BINS; i++)
        g->bin[i].least = (uint64_t)((double)gaps_bin_ns(i) * hz / 1e9);
    g->typical = typical;
    g->threshold = typical + g->bin[0].least;
    if (g->threshold < typical * GAPS_ITERATIONS)
        g->threshold = typical * GAPS_ITERATIONS;
}

/* Returns the bin of a gap. Every gap is as long as the first one at least. */
static unsigned bin_of(const struct gaps *g, uint64_t ticks)
{
    unsigned low = 0, high = GAPS_BINS;

    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (ticks >= g->bin[middle].least)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void gaps_add(struct gaps *g, uint64_t at, uint64_t iteration)
{
    struct gap gap = {at, iteration - g->typical};
    unsigned bin = bin_of(g, gap.ticks);

    g->bin[bin].count++;
    g->bin[bin].ticks += gap.ticks;
    g->count++;
    g->ticks += gap.ticks;
    if (gap.ticks > g->longest.ticks)
        g->longest = gap;
    for (unsigned c = 0; c < GAPS_CLASSES && c * GAPS_PER_DECADE <= bin; c++)
        if (g->first[c].n < GAPS_KEPT)
            g->first[c].gap[g->first[c].n++] = gap;
}

/*
 * Goes from the longest bin down. `count` and `ticks` are those of the bins above the current one;
 * with w in the current bin the sum is ticks - w * count, plus mean - w for each of its gaps, as
 * long as w is below their mean.
 */
double gaps_wait(const struct gaps *g, double share)
{
    double allowed = (1 - share) * (double)g->watched, count = 0, ticks = 0;

    for (unsigned i = GAPS_BINS; i-- > 0;) {
        const struct gaps_bin *b = &g->bin[i];
        double more = count + (double)b->count, sum = ticks + (double)b->ticks;
        if (b->count > 0) {
            double mean = (double)b->ticks / (double)b->count;
            if (ticks - mean * count > allowed)
                return (ticks - allowed) / count;
            if (sum - (double)b->least * more > allowed)
                return (sum - allowed) / more;
        }
        count = more;
        ticks = sum;
    }
    if (count > 0 && ticks - (double)g->bin[0].least * count > allowed)
        return (ticks - allowed) / count;
    return 0;
}

#define TOLERANCE 10   /* the tolerance is this part of a period, or of the mean distance */
#define FIRST     16   /* a series begins with one of the first gaps that are left, ... */
#define LAGS      32   /* ... and its second gap is one of the next ones */
#define CHANCE    1e-3 /* of a search in gaps at random times */
#define SAME      20   /* periods are the same if they differ by this part at most, ... */
#define MULTIPLES 8    /* ... or if one is a multiple of the other, up to this one */
#define MISSING   3    /* one of this number of beats may have no gap, ... */
#define EARLY     8    /* ... and near the beginning this number more */

/* Gaps that are looked at; those of a period that was found are left out. */
struct search {
    size_t n, left;
    const struct gap *gap;
    bool used[GAPS_KEPT];
    double span, distance; /* from the first to the last that are left; mean between two */
};

/* A series under construction. */
struct series {
    double period, tolerance, jitter;
    unsigned hits, beats; /* after its first gap, up to the last hit */
    bool member[GAPS_KEPT];
};

static size_t next_left(const struct search *s, size_t i)
{
    while (i < s->n && s->used[i])
        i++;
    return i;
}

static void count_left(struct search *s)
{
    size_t first = next_left(s, 0), last = first;

    s->left = 0;
    for (size_t i = first; i < s->n; i = next_left(s, i + 1)) {
        s->left++;
        last = i;
    }
    s->span = s->left > 1 ? (double)(s->gap[last].at - s->gap[first].at) : 0;
    s->distance = s->left > 1 ? s->span / (double)(s->left - 1) : 0;
}

/* Returns the gap nearest to `at`, after gap i, if it is within the tolerance; s->n: no gap
 * is. */
static size_t gap_near(const struct search *s, size_t i, double at, double tolerance)
{
    size_t best = s->n;

    for (size_t k = next_left(s, i + 1); k < s->n; k = next_left(s, k + 1)) {
        double begins = (double)s->gap[k].at;
        if (begins > at + tolerance)
            break;
        if (begins >= at - tolerance &&
            (best == s->n || mathx_size(begins - at) < mathx_size((double)s->gap[best].at - at)))
            best = k;
    }
    return best;
}

/* Follows the series whose first two gaps are i and k, up to the last gap or until too many beats
 * have no gap. */
static void follow(const struct search *s, size_t i, size_t k, struct series *r)
{
    double first = (double)s->gap[i].at, end = (double)s->gap[s->n - 1].at, at = first;
    unsigned beats = 0;
    size_t last = i;

    memset(r, 0, sizeof *r);
    r->period = (double)(s->gap[k].at - s->gap[i].at);
    r->tolerance = (r->period < s->distance ? r->period : s->distance) / TOLERANCE;
    r->member[i] = true;
    while (at + r->period <= end + r->tolerance &&
           (beats - r->hits) * MISSING <= beats + EARLY * MISSING) {
        at += r->period;
        beats++;
        size_t found = gap_near(s, last, at, r->tolerance);
        if (found == s->n)
            continue;
        double late = mathx_size((double)s->gap[found].at - at);
        r->jitter = late > r->jitter ? late : r->jitter;
        r->member[found] = true;
        last = found;
        at = (double)s->gap[found].at;
        r->hits++;
        r->beats = beats;
        r->period = (at - first) / beats;
    }
}

/* Returns the probability that gaps at random times fill `hits` of the beats: at most
 * C(beats, hits) q^hits, with q the probability for one beat. */
static double chance(const struct search *s, const struct series *r)
{
    double q = 2 * r->tolerance / s->distance, p = 1;

    for (unsigned i = 1; i <= r->hits; i++)
        p *= q * (double)(r->beats - r->hits + i) / i;
    return p;
}

/* Returns whether it has enough of its beats, and is not a burst. */
static bool is_whole(const struct search *s, const struct series *r)
{
    return r->hits > 0 && (r->beats - r->hits) * MISSING <= r->beats &&
           2 * r->period * r->beats >= s->span;
}

static bool is_better(const struct series *r, const struct series *than)
{
    return r->hits != than->hits ? r->hits > than->hits : r->jitter < than->jitter;
}

/* Finds the series with the most gaps. False: chance explains every series. */
static bool find(struct search *s, struct series *best)
{
    struct series r;
    size_t i = next_left(s, 0);
    unsigned tries = 0;

    count_left(s);
    memset(best, 0, sizeof *best);
    if (s->left < 2 || s->distance <= 0)
        return false;
    for (unsigned a = 0; a < FIRST && i < s->n; a++, i = next_left(s, i + 1)) {
        size_t k = next_left(s, i + 1);
        for (unsigned b = 0; b < LAGS && k < s->n; b++, k = next_left(s, k + 1)) {
            follow(s, i, k, &r);
            tries++;
            if (is_whole(s, &r) && is_better(&r, best))
                *best = r;
        }
    }
    return best->hits > 0 && chance(s, best) * tries < CHANCE;
}

static bool is_reported(const struct gap_periods *p, double period)
{
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned m = 1; m <= MULTIPLES; m++)
            if (mathx_size(m * p->found[i].ticks - period) * SAME <= p->found[i].ticks)
                return true;
    return false;
}

static void search_class(const struct gaps *g, unsigned class, struct gap_periods *p)
{
    struct search s;
    struct series best;

    memset(&s, 0, sizeof s);
    s.gap = g->first[class].gap;
    s.n = g->first[class].n;
    for (unsigned i = 0; i < GAP_PERIODS_OF_CLASS && find(&s, &best); i++) {
        for (size_t k = 0; k < s.n; k++)
            s.used[k] = s.used[k] || best.member[k];
        if (p->n < GAP_PERIODS_MOST && !is_reported(p, best.period))
            p->found[p->n++] = (struct gap_period){.class = class,
                                                   .ticks = best.period,
                                                   .jitter = best.jitter,
                                                   .gaps = best.hits + 1,
                                                   .of = (unsigned)s.n};
    }
}

struct gap_periods gap_periods(const struct gaps *g)
{
    struct gap_periods p = {0};

    for (unsigned c = GAPS_CLASSES; c-- > 0;)
        search_class(g, c, &p);
    return p;
}
