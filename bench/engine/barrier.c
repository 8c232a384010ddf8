#include "bench/engine/barrier.h"
#include "bench/api/tsc.h"
#include "lib/text/mem.h"

#define LEFT UINT64_MAX
/*
 * Ticks until the start: enough for the first core to write every core's line, which takes about
 * 100 ns each on the largest machines, and for the last core to read its line.
 */
#define LEAD_TICKS     8000
#define LEAD_EACH_CORE 1000

static uint64_t lead(const struct barrier *b)
{
    return LEAD_TICKS + (uint64_t)b->n * LEAD_EACH_CORE;
}

void barrier_init(struct barrier *b, struct barrier_line *line, unsigned n)
{
    b->n = n;
    b->line = line;
    memset(line, 0, n * sizeof *line);
}

void barrier_offset(struct barrier *b, unsigned place, int64_t offset)
{
    b->line[place].offset = offset;
}

/* Waits for all other places in order. Returns the place that is missing, or BARRIER_GO. */
static int gather(const struct barrier *b, uint64_t round, uint64_t until)
{
    for (unsigned i = 1; i < b->n; i++)
        while (atomic_load_explicit(&b->line[i].arrived, memory_order_acquire) < round) {
            if (tsc_now() > until)
                return (int)i;
            __builtin_ia32_pause();
        }
    return BARRIER_GO;
}

static void release(const struct barrier *b, uint64_t round)
{
    uint64_t start = tsc_now() + lead(b);

    for (unsigned i = 0; i < b->n; i++) {
        struct barrier_line *l = &b->line[i];
        uint64_t theirs = start + (uint64_t)(l->offset - b->line[0].offset);
        atomic_store_explicit(&l->start, theirs, memory_order_relaxed);
        atomic_store_explicit(&l->go, round, memory_order_release);
    }
}

static void shut(const struct barrier *b, unsigned missing)
{
    for (unsigned i = 0; i < b->n; i++)
        atomic_store_explicit(&b->line[i].closed, missing + 1, memory_order_release);
}

/* Waits for the first core's start. It may have left after that: `go` overrides `closed`. */
static int await_start(const struct barrier_line *line, uint64_t round, uint64_t until)
{
    for (;;) {
        uint32_t closed = atomic_load_explicit(&line->closed, memory_order_acquire);
        if (atomic_load_explicit(&line->go, memory_order_acquire) >= round)
            return BARRIER_GO;
        if (closed)
            return (int)closed - 1;
        if (tsc_now() > until)
            return 0;
        __builtin_ia32_pause();
    }
}

int barrier_pass(struct barrier *b, unsigned place, uint64_t patience)
{
    struct barrier_line *line = &b->line[place];
    uint64_t round = ++line->round, now = tsc_now();

    atomic_store_explicit(&line->arrived, round, memory_order_release);
    if (place == 0) {
        int missing = gather(b, round, now + patience);
        if (missing == BARRIER_GO)
            release(b, round);
        else
            shut(b, (unsigned)missing);
    }
    /* The first core may arrive one `patience` late, and wait equally long for another core. */
    int result = await_start(line, round, now + 2 * patience);
    if (result != BARRIER_GO)
        return result;
    uint64_t start = atomic_load_explicit(&line->start, memory_order_relaxed);
    /* A start too far in the future means a wrong offset: starts at once. */
    for (now = tsc_now(); now < start && start - now <= lead(b); now = tsc_now())
        __builtin_ia32_pause();
    return BARRIER_GO;
}

void barrier_leave(struct barrier *b, unsigned place)
{
    atomic_store_explicit(&b->line[place].arrived, LEFT, memory_order_release);
    if (place == 0)
        shut(b, 0);
}
