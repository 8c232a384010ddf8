/*
 * Chains of one instruction whose latency is documented (docs/checks.md "Truth"): their figures
 * show whether the report's scale is right. Straight copies, no loop. After the window no check can
 * see the register's result, so the work is judged by its instructions: one per operation.
 */
#include "bench/api/bench.h"
#include "bench/suites/truth/table.h"

/* Twice this is 4 KB of the longest instruction here; every instruction cache has 16 KB or more. */
#define OPS 500

extern const struct unit unit_truth_add, unit_truth_neg, unit_truth_ror, unit_truth_lea,
    unit_truth_cmov, unit_truth_imul, unit_truth_imul64, unit_truth_load, unit_truth_shlx,
    unit_truth_flags_by_test, unit_truth_count_by_dec, unit_truth_count_by_add;

#define CHAIN(name_, what_, truth_, ...)                                                           \
    BENCH(truth, name_, .what = what_, .window.form = FORM_STRAIGHT, .ops = OPS,                   \
          .window.unit = &unit_truth_##name_, .proof.least_instructions = 1,                       \
          .proof.truth = truth_, __VA_ARGS__)

CHAIN(add, "add r32,r32 on its own result", truth_simple);
CHAIN(neg, "neg r32 on its own result", truth_simple);
CHAIN(ror, "ror r32,7 on its own result", truth_simple);
CHAIN(lea, "lea r32,[r+r] on its own result", truth_lea);
CHAIN(cmov, "cmovz r32,r32 on its own result", truth_cmov);
CHAIN(imul, "imul r32,r32 on its own result", truth_imul);
CHAIN(imul64, "imul r64,r64 on its own result", truth_imul64);

static void point_to_itself(struct object *o)
{
    o->counter = (uint64_t)(uintptr_t)o;
}

static const char *points_to_itself(const struct object *o, uint64_t operations)
{
    (void)operations;
    return o->counter == (uint64_t)(uintptr_t)o ? NULL : "the pointer to itself was overwritten";
}

CHAIN(load, "load of the next load's address, L1 hit", truth_load, .setup = point_to_itself,
      .check = points_to_itself);

/*
 * The same chains after another writer of the flags, or of a shift's count (docs/window.md "The
 * history of registers and flags"). They show the effect of the history. No latency is documented
 * for a history, so none is judged. The two rows after `shlx` are compared with it.
 */
#define HISTORY(name_, unit_, what_, ...)                                                          \
    BENCH(truth, name_, .what = what_, .window.form = FORM_STRAIGHT, .ops = OPS,                   \
          .window.unit = &unit_truth_##unit_, .proof.least_instructions = 1, __VA_ARGS__)

HISTORY(cmov_test, cmov, "cmovz r32,r32 on its own result, the flags last written by test",
        .window.history = &unit_truth_flags_by_test, .shown.compared_with = "cmov");
HISTORY(shlx, shlx, "shlx r32,r32,r32 on its own result, the count last written by a load",
        .needs.features = {FEATURE_BMI2});
HISTORY(shlx_dec, shlx, "shlx r32,r32,r32 on its own result, the count last written by dec",
        .window.history = &unit_truth_count_by_dec, .needs.features = {FEATURE_BMI2},
        .shown.compared_with = "shlx");
HISTORY(shlx_add, shlx, "shlx r32,r32,r32 on its own result, the count last written by add",
        .window.history = &unit_truth_count_by_add, .needs.features = {FEATURE_BMI2},
        .shown.compared_with = "shlx");
