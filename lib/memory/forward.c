#include "lib/memory/forward.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

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
