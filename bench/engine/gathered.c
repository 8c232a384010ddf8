#include "bench/engine/gathered.h"
#include "bench/engine/cut.h"
#include "lib/text/mem.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t body_bins(const struct options *o, uint32_t samples, unsigned rounds)
{
    size_t windows = parts_windows(o, samples);

    if (o->hist == HIST_FULL)
        return windows;
    return smaller(windows, rounds > 1 ? GATHERED_BODY_BINS : GATHERED_BINS);
}

static size_t empty_bins(const struct options *o, uint32_t samples, unsigned rounds)
{
    return smaller(parts_windows(o, samples), rounds > 1 ? GATHERED_EMPTY_BINS : GATHERED_BINS);
}

/* Called before SSE is enabled: it must not fill a struct. */
size_t gathered_need(const struct options *o, uint32_t samples, unsigned rounds)
{
    return cut_words(sizeof(struct gathered)) +
           parts_count(o, samples, rounds) * (2 + 3 * cut_words(sizeof(struct estimate_taken)) +
                                              cut_words(sizeof(struct part_halves))) +
           parts_blocks(o, samples, rounds) +
           cut_words(parts_blocks(o, samples, rounds) * sizeof(uint32_t)) +
           cut_words(body_bins(o, samples, rounds) * sizeof(struct bin)) +
           cut_words(empty_bins(o, samples, rounds) * sizeof(struct bin));
}

void gathered_init(struct gathered *g, const struct engine *e)
{
    const struct options *o = e->facts.o;
    size_t body = body_bins(o, e->facts.samples, e->facts.rounds),
           empty = empty_bins(o, e->facts.samples, e->facts.rounds);
    struct cut c = {(uint64_t *)(void *)g, cut_words(sizeof *g)};

    memset(g, 0, sizeof *g);
    size_t parts = parts_count(o, e->facts.samples, e->facts.rounds);
    size_t blocks = parts_blocks(o, e->facts.samples, e->facts.rounds);
    g->ticks = cut(&c, parts);
    g->ruler = cut(&c, parts * cut_words(sizeof *g->ruler));
    g->counter = cut(&c, parts * cut_words(sizeof *g->counter));
    g->all = cut(&c, parts * cut_words(sizeof *g->all));
    g->halves = cut(&c, parts * cut_words(sizeof *g->halves));
    g->level = cut(&c, parts); /* one word each; a float needs half of it */
    g->value = cut(&c, blocks);
    g->placement = cut(&c, cut_words(blocks * sizeof *g->placement));
    histogram_init(&g->body, cut(&c, cut_words(body * sizeof(struct bin))), body);
    histogram_init(&g->empty, cut(&c, cut_words(empty * sizeof(struct bin))), empty);
    if (c.used != gathered_need(o, e->facts.samples, e->facts.rounds))
        __builtin_trap(); /* gathered_need() leaves an array out */
}
