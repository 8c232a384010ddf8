/* The C bodies of suite `baseline`, in an object of their own so that nothing is inlined or cloned.
 */
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
