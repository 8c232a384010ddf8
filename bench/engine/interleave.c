#include "bench/engine/interleave.h"
#include "bench/engine/witness.h"
#include "bench/api/tsc.h"
#include "lib/stats/mathx.h"
#include "lib/text/mem.h"

#define BLOCKS (INTERLEAVE_ROUND / ENGINE_BLOCK)
#define TRIES  8 /* of a shared block */

static void fill_block(struct engine *e, window_fn fn, uint64_t *samples, size_t from)
{
    struct object *o = (struct object *)(void *)e->p->data;

    for (size_t i = from; i < from + ENGINE_BLOCK; i++)
        samples[i] = fn(o, NULL, 0, dither(e, i), WINDOW_STACK).ticks;
}

/* Takes a block between two readings of the witness. Returns whether it was shared. */
static bool fill_judged_block(struct engine *e, window_fn fn, uint64_t *samples, size_t from)
{
    double before = witness_read_before(e);

    fill_block(e, fn, samples, from);
    bool shared = witness_is_shared(e, before, witness_read(e));
    witness_count(e, shared);
    return shared;
}

/* Takes a block, repeatedly if it is shared. Returns whether the last try was shared. */
static bool fill_exclusive_block(struct engine *e, window_fn fn, uint64_t *samples, size_t from)
{
    bool shared = fill_judged_block(e, fn, samples, from);

    for (unsigned i = 1; i < TRIES && shared && witness_may_search(e); i++) {
        uint64_t began = tsc_now();
        shared = fill_judged_block(e, fn, samples, from);
        witness_searched(e, began);
    }
    return shared;
}

/* Adds the undisturbed windows of one kind's round. */
static void judge_round(const struct engine *e, const uint64_t *samples, size_t round,
                        const bool *shared, uint64_t *sorted, struct interleaved *kind, double *sum)
{
    memcpy(sorted, samples, round * sizeof *sorted);
    stats_sort(sorted, round);
    struct statistics s = stats_of(sorted, round, sorted + round);
    double above = stats_disturbed_above(&s, e->facts.step);
    for (size_t i = 0; i < round; i++)
        if ((double)samples[i] <= above && !shared[i / ENGINE_BLOCK]) {
            *sum += (double)samples[i];
            kind->n++;
        }
}

static size_t rounds_of(size_t n)
{
    return (n + INTERLEAVE_ROUND - 1) / INTERLEAVE_ROUND;
}

size_t interleave_windows(size_t n)
{
    size_t rounds = rounds_of(n), blocks = rounds * 2 * ENGINE_BLOCK;

    return (n + blocks - 1) / blocks * blocks;
}

void interleave(struct engine *e, const window_fn *fn, unsigned kinds, size_t n,
                struct interleaved *kind)
{
    const size_t all = interleave_windows(n), round = all / rounds_of(n);
    uint64_t *samples = e->memory, *sorted = samples + kinds * round;
    double sum[INTERLEAVE_KINDS] = {0};
    bool shared[INTERLEAVE_KINDS][BLOCKS];

    for (unsigned k = 0; k < kinds; k++) {
        kind[k] = (struct interleaved){0};
        /* Warm-up. */
        fill_block(e, fn[k], samples, 0);
    }
    for (size_t done = 0; done < all; done += round) {
        for (size_t at = 0; at < round; at += 2 * ENGINE_BLOCK) {
            for (unsigned k = 0; k < kinds; k++)
                shared[k][at / ENGINE_BLOCK] =
                    fill_exclusive_block(e, fn[k], samples + k * round, at);
            for (unsigned k = kinds; k-- > 0;)
                shared[k][at / ENGINE_BLOCK + 1] =
                    fill_exclusive_block(e, fn[k], samples + k * round, at + ENGINE_BLOCK);
        }
        for (unsigned k = 0; k < kinds; k++)
            judge_round(e, samples + k * round, round, shared[k], sorted, &kind[k], &sum[k]);
    }
    for (unsigned k = 0; k < kinds; k++)
        kind[k].location = kind[k].n ? sum[k] / (double)kind[k].n : UNKNOWN;
}
