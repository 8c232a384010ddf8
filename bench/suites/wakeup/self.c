/*
 * A core sends itself an interrupt, and ends one. In parts: until the local APIC can take the next
 * command; up to the handler; from its end of interrupt on; that alone. Sources: SDM vol. 3A
 * sections 11.6.1 (ICR), 11.8.5 (EOI), 11.12.11 (SELF IPI).
 */
#include "bench/suites/wakeup/wakeup.h"

extern const struct unit unit_wakeup_plain, unit_wakeup_woken, unit_wakeup_eoi, unit_wakeup_return,
    unit_wakeup_self, unit_wakeup_self_send, unit_wakeup_self_x2apic, unit_wakeup_self_send_x2apic;

static const struct bench_family parts = {{"round trip", "send", "delivery", "end", "return"}};
enum { ROUND_TRIP, SEND, DELIVERY, END, RETURN };

#define PART(name_, what_, column_, line_, unit_, handler_, history_, lacks_, ...)                 \
    WAKEUP_ROW(name_, what_, .shown.family = &parts, .shown.line = line_, .shown.column = column_, \
               .window.unit = &unit_wakeup_##unit_, .window.callee = &unit_wakeup_##handler_,      \
               .window.history = &unit_wakeup_##history_, .setup = wakeup_plain,                   \
               .needs.lacks = lacks_, __VA_ARGS__)

/* The handler's readings are those of this recipe. */
#define SPLIT                                                                                      \
    .ops = 1, .window.not_doubled = true, .window.own_recipe = true, .window.recipe = RECIPE_LFENCE

/* `more_` is the number of instructions by which sending takes more, and `ends_` that by which the
 * end of interrupt does: WRMSR needs more registers than a store. */
#define SELF(name_, what_, suffix_, lacks_, more_, ends_)                                          \
    PART(name_, what_ ", and the return", ROUND_TRIP, #name_, self##suffix_, plain, open, lacks_,  \
         .ops = PRIVILEGED_OPS, .proof.least_instructions = 23 + (more_) + (ends_));               \
    PART(name_##_send, what_ ", until it is sent", SEND, #name_, self_send##suffix_, plain, on,    \
         lacks_, SPLIT, .proof.least_instructions = 5);                                            \
    PART(name_##_delivery, what_ ", up to the handler", DELIVERY, #name_, self##suffix_, woken,    \
         open, lacks_, SPLIT, .proof.least_instructions = 5 + (more_));                            \
    PART(name_##_eoi, what_ ": the end of interrupt", END, #name_, self##suffix_, eoi, open,       \
         lacks_, SPLIT, .proof.least_instructions = 6 + (ends_));                                  \
    PART(name_##_return, what_ ", after the end of interrupt", RETURN, #name_, self##suffix_,      \
         return, open, lacks_, SPLIT, .proof.least_instructions = 7)

SELF(self, "an interrupt to itself (xAPIC)", , privileged_lacks_xapic, 0, 0);
SELF(self_x2apic, "an interrupt to itself (x2APIC)", _x2apic, privileged_lacks_x2apic, 3, 1);
