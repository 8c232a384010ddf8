/* The rows, curves and forms of the suites whose figures the essence of a run shows, by place. */
#include "bench/api/essence_rows.h"
#include "bench/api/sheet_figures.h"

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

/* With large pages the latency of a cache does not include TLB misses. */
const struct sheet_source sheet_sources[SHEET_FIGURES] = {
    {"L1 load", {"latency_2m", "latency_4k"}, SHEET_IN_CACHE, 1},
    {"L2 load", {"latency_2m", "latency_4k"}, SHEET_IN_CACHE, 2},
    {"L3 load", {"latency_2m", "latency_4k"}, SHEET_IN_CACHE, 3},
    {"memory load", {"latency_2m", "latency_4k"}, SHEET_LARGEST, 0},
    {"memory read", {"read_32", "read_16"}, SHEET_LARGEST, 0},
    {"forwarding", {"forward"}, SHEET_FORWARD, 8},
    {"imul r64", {"imul r64, r64"}, SHEET_LATENCY, 0},
    {"div r64", {"div r64"}, SHEET_LATENCY, 0},
    {"mulsd", {"mulsd xmm, xmm"}, SHEET_LATENCY, 0},
    {"ROB", {"rob"}, SHEET_STEP, 0},
};
