/* A pass of suite `insn`: its purpose and its state. */
#ifndef BENCH_KINDS_INSN_PASS_H
#define BENCH_KINDS_INSN_PASS_H

#include "bench/engine/context.h"
#include "bench/result/insn.h"
#include "bench/engine/layout.h"

#define INSN_WINDOWS_MOST 16 /* of each kind in a block */

/* The tests that a pass measures. */
enum insn_aim {
    AIM_ALL,       /* every test but mixes */
    AIM_UNSETTLED, /* those of them whose placements do not agree */
    AIM_MIXES,     /* mixes that have too few placements, of which all agree */
    AIM_HISTORY,   /* throughput and latencies with the other history of registers */
};

/* A pass. It measures each test once, at one placement. */
struct insn_pass {
    struct engine *e;
    const struct insn_links *links;
    struct insn_table *table;
    unsigned vectors; /* bits of the widest enabled vectors */
    bool avx2;
    struct placement at;
    unsigned windows; /* of each kind in each of the two blocks; at most INSN_WINDOWS_MOST */
    enum insn_aim aim;
};

#endif
