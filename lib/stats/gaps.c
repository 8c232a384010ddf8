#include "lib/stats/gaps.h"
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

const char *gaps_class_name(unsigned class)
{
    static const char *const names[GAPS_CLASSES] = {"1 us",  "10 us",  "100 us", "1 ms",
                                                    "10 ms", "100 ms", "1 s"};

    return names[class];
}

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

uint64_t gaps_in_class(const struct gaps *g, unsigned class)
{
    uint64_t n = 0;

    for (unsigned i = class * GAPS_PER_DECADE; i < GAPS_BINS; i++)
        n += g->bin[i].count;
    return n;
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
