/*
 * TLB shootdowns: a core changes a page table, and interrupts all others, which invalidate their
 * TLB's entry and acknowledge. Sources: SDM vol. 3A section 4.10.5 (propagation to other
 * processors); APM vol. 2 section 5.5.
 */
#include "bench/api/bench.h"
#include "bench/kinds/kinds.h"
#include "bench/kinds/team.h"

#define SHOOTDOWN(name_, part_, what_)                                                             \
    BENCH(translation, name_, .what = "TLB shootdown by the boot core: " what_,                    \
          .kind = &kind_team, .ops = 1, .on_request = true, .arg = PLATFORM_SHOOTDOWN_##part_,     \
          .of = &(const struct bench_team_row){team_shootdown})

SHOOTDOWN(shootdown, TOTAL, "from the first interrupt until all cores have acknowledged");
SHOOTDOWN(shootdown_send, SEND, "until the last interrupt is sent");
SHOOTDOWN(shootdown_handler, HANDLER, "until the last core is in the handler");
SHOOTDOWN(shootdown_invalidate, INVALIDATE, "INVLPG in the handler");
SHOOTDOWN(shootdown_acknowledge, ACKNOWLEDGE, "from the last INVLPG until the boot core knows");
