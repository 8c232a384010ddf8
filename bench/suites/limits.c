/* The limits of a core: curves over a count, with a step where something is full. Takes 15 s, so it
 * runs only on request. */
#include "bench/api/bench.h"
#include "bench/kinds/kinds.h"
#include "bench/api/summary_parts.h"

/* ms: what a row needs at most for all of its visits, so that all rows together take 15 s. */
#define LIMIT(name_, ms_, what_, ...)                                                              \
    BENCH(limits, name_, .what = what_, .kind = &kind_limit, .ops = 1, .on_request = true,         \
          .of = &(const struct bench_limit){.ms = ms_, __VA_ARGS__})

#define WIDTH(name_, what_, filler_)                                                               \
    LIMIT(name_, 300, what_ " next to a chain of additions", .kind = LIMITS_WIDTH,                 \
          .param = filler_, .first = 96, .most = 1024, .apart = 32,                                \
          .of = "instructions in 64 cycles", .unit = "instructions per cycle",                     \
          .per = LIMITS_CHAIN, .leaves = 1.03)

WIDTH(width, "instructions of several kinds", FILL_MIX);
WIDTH(width_nop, "NOPs", FILL_NOP);

/* Two loads that miss all caches, with fillers after each: as long as the second one is in the
 * window that the first one holds open, they overlap. */
#define WINDOW(name_, what_, unit_, filler_, most_)                                                \
    LIMIT(name_, 520, "two loads that miss, " what_ " after each", .kind = LIMITS_WINDOW,          \
          .param = filler_, .first = 16, .most = most_, .apart = 16, .of = unit_, .unit = unit_,   \
          .within = 1.25)

WINDOW(rob, "XORs that zero a register", "XORs", FILL_XOR, 832);
WINDOW(rob_nop, "NOPs", "NOPs", FILL_NOP, 832);
WINDOW(registers_int, "LEAs", "LEAs", FILL_LEA, 608);
WINDOW(registers_vector, "PSHUFDs", "PSHUFDs", FILL_PSHUFD, 608);
WINDOW(registers_mask, "KORWs", "KORWs", FILL_KOR, 608);
WINDOW(registers_flags, "CMPs", "CMPs", FILL_CMP, 608);
WINDOW(loads, "cached loads", "loads", FILL_LOAD, 400);
WINDOW(stores, "cached stores", "stores", FILL_STORE, 400);
WINDOW(scheduler_int, "LEAs that wait for the load", "LEAs", FILL_WAIT_LEA, 400);
WINDOW(scheduler_vector, "PSHUFDs that wait for the load", "PSHUFDs", FILL_WAIT_PSHUFD, 400);
WINDOW(scheduler_load, "loads that wait for the load", "loads", FILL_WAIT_LOAD, 400);
WINDOW(scheduler_store, "stores that wait for the load", "stores", FILL_WAIT_STORE, 400);

#define BTB(apart_, most_)                                                                         \
    LIMIT(btb_##apart_, 1100, "a taken jump, one every " #apart_ " bytes", .kind = LIMITS_JUMPS,   \
          .param = apart_, .first = 4, .most = most_, .of = "jumps", .unit = "jumps", .within = 2)

BTB(8, 16384);
BTB(16, 16384);
BTB(32, 16384);
BTB(64, 12288);

LIMIT(history, 750, "a branch that follows a pattern again and again", .kind = LIMITS_PATTERN,
      .first = 4, .most = 65536, .of = "branches of the pattern", .unit = "branches",
      .leaves = 1.25);
LIMIT(targets, 650, "an indirect jump to one target after the other", .kind = LIMITS_TARGETS,
      .first = 4, .most = 1024, .of = "targets", .unit = "targets", .leaves = 2);
LIMIT(returns, 400, "a call and its return, nested", .kind = LIMITS_RETURNS, .first = 4, .most = 96,
      .apart = 4, .of = "calls", .unit = "calls", .leaves = 1.06);

#define CODE(bytes_)                                                                               \
    LIMIT(code_##bytes_, 450, "a NOP of " #bytes_ " bytes in a loop", .kind = LIMITS_CODE,         \
          .param = bytes_, .first = 128, .most = 524288, .of = "bytes of code", .unit = "bytes",   \
          .within = 2)

CODE(4);
CODE(8);

/* Instructions that micro-op caches deliver faster than decoders: up to 24 KiB of code, so that the
 * step is not that of the L1 cache. Decoders are at least a sixth slower. */
#define OPS(name_, what_, filler_, most_)                                                          \
    LIMIT(ops_##name_, 350, what_ " in a loop", .kind = LIMITS_OPS, .param = filler_, .first = 64, \
          .most = most_, .of = "instructions", .unit = "instructions", .within = 2, .rise = 1.15)

OPS(nop, "a NOP of 1 byte", FILL_NOP_1, 24576);
OPS(xor, "a XOR of 2 bytes that zeroes a register", FILL_XOR_2, 12288);
OPS(test, "a TEST with a length-changing prefix", FILL_TEST_16, 6144);

SUMMARY_PART(limits, sheet, .rank = 7, .figure = {{"ROB", {"rob"}, SHEET_STEP, 0}});
