/* The witness of an engine that is tested without a core: a test plants its readings. */
#ifndef TESTS_UNIT_FAKE_OWN_H
#define TESTS_UNIT_FAKE_OWN_H

#include "bench/sample/own.h"

static struct {
    bool (*is_shared)(void); /* now; NULL: never */
    double limit;            /* a reading above it is one of a shared core; 0: 0.5 */
    unsigned reads;
    unsigned wait; /* blocks that may come between two readings, beside one */
    unsigned waited;
    uint64_t blocks, shared;
} fake_own;

double own_read(struct engine *e)
{
    (void)e;
    fake_own.reads++;
    return fake_own.is_shared && fake_own.is_shared() ? 1 : 0.125;
}

double own_read_before(struct engine *e)
{
    return own_read(e);
}

bool own_can_wait(const struct engine *e)
{
    (void)e;
    fake_own.waited = fake_own.waited < fake_own.wait ? fake_own.waited + 1 : 0;
    return fake_own.waited > 0;
}

bool own_is_shared(const struct engine *e, double before, double after)
{
    double limit = fake_own.limit > 0 ? fake_own.limit : 0.5;

    (void)e;
    return before > limit || after > limit;
}

void own_note(struct engine *e, double before, double after, struct row *row)
{
    row->blocks++;
    row->shared_blocks += own_is_shared(e, before, after);
    row->shared = 2 * row->shared_blocks > row->blocks;
}

bool own_may_search(struct engine *e)
{
    (void)e;
    return true;
}

void own_searched(struct engine *e, uint64_t from)
{
    (void)e, (void)from;
}

void own_count(struct engine *e, bool shared)
{
    (void)e;
    fake_own.blocks++;
    fake_own.shared += shared;
}

#endif
