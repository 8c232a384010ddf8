/* Pieces of windows for tests of the code that combines them: each is an instruction of one
 * byte. */
#ifndef TESTS_UNIT_BENCH_MADE_UNITS_H
#define TESTS_UNIT_BENCH_MADE_UNITS_H

#include "bench/api/unit.h"

#define UNIT_OF(name_, size_, ...) const struct unit unit_##name_ = {size_, 0, 0, {__VA_ARGS__}}
#define RECIPE(name_)                                                                              \
    UNIT_OF(start_##name_, 1, 0x90);                                                               \
    UNIT_OF(stop_##name_, 1, 0x90)

/* As in bench/engine/frame.asm. */
const struct unit unit_window_tag = {7, 3, FIXUP_TAG, {0x0f, 0x1f, 0x80, 0, 0, 0, 0}};
UNIT_OF(window_enter, 1, 0x90);
UNIT_OF(window_leave, 1, 0xc3);
UNIT_OF(loop_iteration, 1, 0x90);
RECIPE(plain);
RECIPE(rdtscp);
RECIPE(xfence_lfence);
RECIPE(xfence_mfence);
RECIPE(paoloni);
RECIPE(cpuid);
RECIPE(mfence);
RECIPE(lfence);
RECIPE(serialize);

#endif
