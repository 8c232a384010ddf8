/* The rows, curves and forms of the suites whose figures the essence of a run shows, by place. */
#include "bench/api/essence_rows.h"
#include "bench/api/sheet_figures.h"

enum {
    WINDOW_ROWS = 2,
    CALL_ROWS = 5 * ESSENCE_COLUMNS,
    TARGETS = WINDOW_ROWS + CALL_ROWS,
    SUM = TARGETS + 2,
    CORES = SUM + 2
};

/* A row; its name may be followed by other fields. */
/* clang-format off */
#define ROW(suite_, ...) {.suite = (suite_), .name = __VA_ARGS__}
/* clang-format on */
#define WAY(name_)                                                                                 \
    ROW("calls", name_), ROW("calls", name_ "_inc"), ROW("calls", name_ "_straight"),              \
        ROW("calls", name_ "_c")

const struct essence_name essence_names[ESSENCE_ROWS] = {
    ROW("baseline", "empty_", .is_recipe = true),
    ROW("baseline", "do_nothing", .unit = "a call"),
    WAY("direct"),
    WAY("plt"),
    WAY("got"),
    WAY("register"),
    WAY("virtual"),
    [TARGETS] = ROW("calls", "random_16"),
    ROW("calls", "turn_16"),
    [SUM] = ROW("sum", "cold"),
    ROW("sum", "warm"),
    [CORES] = ROW("cores", "pingpong"),
    ROW("cores", "tsc_skew"),
    ROW("cores", "wake"),
    ROW("cores", "ipi"),
};

static const char *const bodies[ESSENCE_COLUMNS] = {"empty", "++*x", "straight", "compiled"};

const struct essence_part essence_parts[ESSENCE_PARTS] = {
    {.label = "window", .kind = ESSENCE_NAMED, .first = 0, .rows = WINDOW_ROWS},
    {.label = "calls",
     .kind = ESSENCE_TABLE,
     .first = WINDOW_ROWS,
     .rows = CALL_ROWS,
     .headings = bodies},
    {.label = "targets",
     .kind = ESSENCE_PAIR,
     .first = TARGETS,
     .rows = 2,
     .difference = "mispredicted"},
    {.label = "sum", .kind = ESSENCE_PAIR, .first = SUM, .rows = 2},
    {.label = "cores", .kind = ESSENCE_TIMES, .first = CORES, .rows = ESSENCE_ROWS - CORES},
};

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
