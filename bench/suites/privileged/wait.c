/* Waiting, without a wait: what arming and an immediate return cost. SDM vol. 2A MONITOR, vol. 2B
 * TPAUSE, UMONITOR, UMWAIT. */
#include "bench/suites/privileged/privileged.h"

/* ECX of TPAUSE and UMWAIT. */
enum { C0_2, C0_1 };

extern const struct unit unit_privileged_monitor, unit_privileged_tpause, unit_privileged_umwait;

PRIVILEGED_ROW(monitor, 4, "monitor of a cached line", .ops = PRIVILEGED_OPS,
               .window.unit = &unit_privileged_monitor, .window.history = &unit_privileged_load,
               .needs.features = {FEATURE_MONITOR});

#define WAITS(name_, instructions_, unit_, what_, state_)                                          \
    PRIVILEGED_ANY_RING(name_, instructions_, what_ ", its deadline has passed",                   \
                        .ops = PRIVILEGED_OPS, .window.unit = &unit_privileged_##unit_,            \
                        .arg = state_, .window.history = &unit_privileged_load,                    \
                        .needs.features = {FEATURE_WAITPKG})

WAITS(tpause_c01, 4, tpause, "tpause to C0.1", C0_1);
WAITS(tpause_c02, 4, tpause, "tpause to C0.2", C0_2);
WAITS(umwait_c01, 5, umwait, "umonitor, and umwait in C0.1", C0_1);
WAITS(umwait_c02, 5, umwait, "umonitor, and umwait in C0.2", C0_2);
