#include "lib/stats/gaps.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

void gaps_init(struct gaps *g, uint64_t typical, uint64_t hz)
{
    memset(g, 0, sizeof *g);
    g->typical = typical;
    g->threshold = typical * GAPS_ITERATIONS > GAPS_TICKS ? typical * GAPS_ITERATIONS : GAPS_TICKS;
    for (unsigned i = GAPS_DECADES - 1; i-- > 0; hz /= 10)
        g->limit[i] = hz; /* 1 s, 100 ms, ... 1 us */
}

void gaps_add(struct gaps *g, uint64_t at, uint64_t iteration)
{
    struct gap gap = {at, iteration - g->typical};
    unsigned decade = 0;

    while (decade < GAPS_DECADES - 1 && gap.ticks >= g->limit[decade])
        decade++;
    g->decade[decade]++;
    g->count++;
    g->ticks += gap.ticks;
    if (gap.ticks > g->longest.ticks)
        g->longest = gap;
    if (g->kept < GAPS_KEPT)
        g->first[g->kept++] = gap;
}

struct gaps_rhythm gaps_rhythm(const struct gaps *g, uint64_t *scratch)
{
    struct gaps_rhythm r = {0};

    if (g->kept < 2)
        return r;
    r.intervals = g->kept - 1;
    for (size_t i = 0; i < r.intervals; i++)
        scratch[i] = g->first[i + 1].at - g->first[i].at;
    stats_sort(scratch, r.intervals);
    r.median = stats_quantile(scratch, r.intervals, 0.5);
    double spread =
        stats_quantile(scratch, r.intervals, 0.75) - stats_quantile(scratch, r.intervals, 0.25);
    r.even = r.intervals >= GAPS_RHYTHM && spread * GAPS_EVEN <= r.median;
    return r;
}

const char *gaps_decade_end(unsigned i)
{
    static const char *const ends[GAPS_DECADES] = {"1 us",  "10 us",  "100 us", "1 ms",
                                                   "10 ms", "100 ms", "1 s",    "1 s"};

    return ends[i];
}
