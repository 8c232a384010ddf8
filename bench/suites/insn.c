/* The table of instructions: latency and throughput of every form that the CPU has. */
#include "bench/api/bench.h"
#include "bench/kinds/kinds.h"
#include "bench/api/summary_parts.h"
#include "lib/insn/form.h"

BENCH(insn, insn, .what = "latency and throughput of every form of an instruction, for time= s",
      .kind = &kind_forms, .ops = 1, .on_request = true, .has_part = insn_any_selected,
      .part = "add_r64_r64");

SUMMARY_PART(insn, sheet, .rank = 6,
             .figure = {
                 {"imul r64", {"imul r64, r64"}, SHEET_LATENCY, 0},
                 {"div r64", {"div r64"}, SHEET_LATENCY, 0},
                 {"mulsd", {"mulsd xmm, xmm"}, SHEET_LATENCY, 0},
             });
