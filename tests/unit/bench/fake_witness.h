/* The witness of an engine that is tested without a core: a test plants its readings. */
#ifndef TESTS_UNIT_BENCH_FAKE_WITNESS_H
#define TESTS_UNIT_BENCH_FAKE_WITNESS_H

#include "bench/engine/witness.h"

static struct {
    bool (*is_shared)(void); /* now; NULL: never */
    double limit;            /* a reading above it is one of a shared core; 0: 0.5 */
    unsigned reads;
    unsigned wait; /* blocks that may come between two readings, other than one */
    unsigned waited;
    uint64_t blocks, shared;
} fake_witness;

double witness_read(struct engine *e)
{
    fake_witness.reads++;
    return fake_witness.is_shared && fake_witness.is_shared() ? 1 : 0.125;
}

double witness_read_before(struct engine *e)
{
    return witness_read(e);
}

bool witness_can_wait(const struct engine *e)
{
    fake_witness.waited = fake_witness.waited < fake_witness.wait ? fake_witness.waited + 1 : 0;
    return fake_witness.waited > 0;
}

bool witness_is_shared(const struct engine *e, double before, double after)
{
    double limit = fake_witness.limit > 0 ? fake_witness.limit : 0.5;

    return before > limit || after > limit;
}

void witness_note(struct engine *e, double before, double after, struct row *row)
{
    row->taken.blocks++;
    row->taken.shared_blocks += witness_is_shared(e, before, after);
    row->taken.shared = 2 * row->taken.shared_blocks > row->taken.blocks;
}

bool witness_may_search(struct engine *e)
{
    return true;
}

void witness_searched(struct engine *e, uint64_t from)
{
}

void witness_count(struct engine *e, bool shared)
{
    fake_witness.blocks++;
    fake_witness.shared += shared;
}

#endif
