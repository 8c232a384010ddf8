/* How a pass of suite `insn` measures. */
#ifndef BENCH_INSN_PASS_H
#define BENCH_INSN_PASS_H

#include "bench/context/context.h"
#include "bench/model/insn.h"
#include "bench/place/layout.h"

#define INSN_WINDOWS_MOST 16 /* of each kind in a block */

/* How a pass measures: once at one placement. */
struct insn_pass {
    struct engine *e;
    const struct insn_links *links;
    struct insn_table *table;
    unsigned vectors; /* bits of the widest enabled vectors */
    struct placement at;
    unsigned windows;    /* of each kind in each of the two blocks; at most INSN_WINDOWS_MOST */
    bool only_unsettled; /* tests whose placements agree are left out */
};

#endif
