/* What the essence of a run shows of the suites: which row has the figure at each of its places. */
#include "bench/api/essence_rows.h"

/* Releases of clang-format disagree on the last of these braces. */
/* clang-format off */
#define WAY(name_)                                                            \
    {"calls", name_}, {"calls", name_ "_inc"}, {"calls", name_ "_straight"},  \
    {"calls", name_ "_c"}
/* clang-format on */

const struct essence_name essence_names[ESSENCE_ROWS] = {
    [ESSENCE_WINDOW] = {"baseline", "empty_"},
    {"baseline", "do_nothing"},
    WAY("direct"),
    WAY("plt"),
    WAY("got"),
    WAY("register"),
    WAY("virtual"),
    {"calls", "random_16"},
    {"calls", "turn_16"},
    {"sum", "cold"},
    {"sum", "warm"},
    {"cores", "pingpong"},
    {"cores", "tsc_skew"},
    {"cores", "wake"},
    {"cores", "ipi"},
};

const char *const essence_forms[ESSENCE_FORMS] = {"empty", "++*x", "straight", "compiled"};
