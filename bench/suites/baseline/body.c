/* In a separate object, so that no optimiser inlines or clones them for their caller. */
#include "bench/suites/baseline/baseline.h"

int baseline_do_nothing(uint64_t n, struct object *o)
{
    (void)n;
    (void)o;
    return 0;
}

int baseline_do_something(uint64_t n, struct object *o)
{
    o->counter += n;
    return 0;
}
