#include "lib/curve/cache_line.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define EVICT 2 /* times the size of the cache that the line leaves */

const char *const line_state_names[LINE_STATES] = {
    [LINE_ABSENT] = "absent",         [LINE_CLEAN_L1] = "clean L1",
    [LINE_CLEAN_L2] = "clean L2",     [LINE_CLEAN_L3] = "clean L3",
    [LINE_DIRTY_L1] = "dirty L1",     [LINE_DIRTY_L2] = "dirty L2",
    [LINE_DIRTY_L3] = "dirty L3",     [LINE_HELD_CLEAN] = "held clean",
    [LINE_HELD_DIRTY] = "held dirty",
};

bool line_state_is_dirty(enum line_state s)
{
    return (s >= LINE_DIRTY_L1 && s <= LINE_DIRTY_L3) || s == LINE_HELD_DIRTY;
}

/* Returns the level of the cache that has the line; 0: none of this core does. */
static unsigned level_of(enum line_state s)
{
    if (s >= LINE_CLEAN_L1 && s <= LINE_CLEAN_L3)
        return s - LINE_CLEAN_L1 + 1;
    return s >= LINE_DIRTY_L1 && s <= LINE_DIRTY_L3 ? s - LINE_DIRTY_L1 + 1 : 0;
}

bool line_state_evicts(enum line_state s, const struct cache *cache, unsigned caches,
                       uint64_t *bytes)
{
    unsigned level = level_of(s);

    *bytes = level > 1 ? EVICT * caches_bytes(cache, caches, level - 1) : 0;
    return level <= 1 || (*bytes > 0 && caches_bytes(cache, caches, level) > 0);
}

enum forward_how forward_overlap(unsigned store, unsigned load, int offset)
{
    int end = offset + (int)load;

    if (end <= 0 || offset >= (int)store)
        return FORWARD_APART;
    return offset >= 0 && end <= (int)store ? FORWARD_INSIDE : FORWARD_PARTIAL;
}

/* Returns the median of the loads that get some bytes; `waits` if no load does. */
static double partial(unsigned store, unsigned load, const double *time, double waits)
{
    double found[FORWARD_CELLS];
    size_t n = 0;

    for (unsigned i = 0; i < forward_cells(store, load); i++)
        if (forward_overlap(store, load, forward_offset(load, i)) == FORWARD_PARTIAL &&
            is_known(time[i]))
            found[n++] = time[i];
    return n ? median(found, n) : waits;
}

void forward_judge(unsigned store, unsigned load, const double *time, double waits, char *how)
{
    double most = FORWARD_WAITS * partial(store, load, time, waits);

    for (unsigned i = 0; i < forward_cells(store, load); i++) {
        how[i] = (char)forward_overlap(store, load, forward_offset(load, i));
        if (how[i] == FORWARD_INSIDE && is_known(time[i]) && is_known(most))
            how[i] = time[i] < most ? FORWARD_FORWARDED : FORWARD_NOT;
    }
}
