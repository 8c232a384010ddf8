/*
 * How late the handler of a core's timer begins, by the way in which the core waits. One operation
 * arms the timer and waits; the window ends at the handler's first reading of the TSC, and begins
 * when the timer is due. Sources: SDM vol. 3A section 11.5.4 (the timer), vol. 2B MWAIT, UMWAIT.
 */
#include "bench/suites/wakeup/wakeup.h"

extern const struct unit unit_wakeup_woken, unit_wakeup_plain, unit_wakeup_spin_oneshot,
    unit_wakeup_spin_deadline, unit_wakeup_hlt_oneshot, unit_wakeup_hlt_deadline,
    unit_wakeup_mwait_oneshot, unit_wakeup_mwait_deadline, unit_wakeup_umwait_oneshot,
    unit_wakeup_umwait_deadline, unit_wakeup_umwait_own;

static const struct bench_family timers = {{"one-shot", "deadline"}};
enum { ONESHOT, DEADLINE };

/* The handler's reading is that of this recipe. */
#define LATE(name_, what_, unit_, ...)                                                             \
    WAKEUP_ROW(name_, what_, .ops = 1, .window.not_doubled = true, .window.own_recipe = true,      \
               .window.recipe = RECIPE_LFENCE, .proof.may_be_elided = true,                        \
               .window.unit = &unit_wakeup_##unit_, .window.history = &unit_wakeup_on,             \
               __VA_ARGS__)

/* A row with the timer in each of its modes. `long_` is empty or _long. */
#define BY_TIMER(name_, way_, unit_, long_, feature_, more_, lacks_, ...)                          \
    LATE(name_##_oneshot, "the APIC timer, one-shot, ends " way_, unit_##_oneshot,                 \
         .window.callee = &unit_wakeup_woken, .setup = wakeup_oneshot##long_,                      \
         .needs.features = {feature_, more_}, .needs.lacks = lacks_, .shown.family = &timers,      \
         .shown.line = #name_, .shown.column = ONESHOT, __VA_ARGS__);                              \
    LATE(name_##_deadline, "the APIC timer, TSC-deadline, ends " way_, unit_##_deadline,           \
         .window.callee = &unit_wakeup_woken, .setup = wakeup_deadline##long_,                     \
         .needs.features = {FEATURE_TSC_DEADLINE, feature_, more_}, .needs.lacks = lacks_,         \
         .needs.touches = {MSR_TSC_DEADLINE}, .shown.family = &timers, .shown.line = #name_,       \
         .shown.column = DEADLINE, __VA_ARGS__)

BY_TIMER(spin, "a loop", spin, , FEATURE_NONE, FEATURE_NONE, wakeup_lacks_timer, .arg = 0);
BY_TIMER(hlt, "a hlt", hlt, , FEATURE_NONE, FEATURE_NONE, wakeup_lacks_timer, .arg = 0);

#define MWAIT_ROWS(hint_, state_, field_, substate_, long_, more_, windows_)                       \
    BY_TIMER(mwait_##hint_, "an mwait with hint " #hint_ "h: " state_, mwait, long_,               \
             FEATURE_MONITOR, more_, wakeup_lacks_mwait_##hint_, .arg = 0x##hint_,                 \
             .window.most_windows = windows_);
WAKEUP_HINTS(MWAIT_ROWS)

#define UMWAIT_ROWS(name_, state_, arg_)                                                           \
    BY_TIMER(umwait_##name_, "an umwait in " state_, umwait, , FEATURE_WAITPKG, FEATURE_NONE,      \
             wakeup_lacks_timer, .arg = arg_);                                                     \
    LATE(umwait_##name_##_own, "umwait's own deadline ends an umwait in " state_, umwait_own,      \
         .window.callee = &unit_wakeup_plain, .setup = wakeup_own,                                 \
         .needs.features = {FEATURE_WAITPKG}, .arg = arg_);
WAKEUP_UMWAITS(UMWAIT_ROWS)
