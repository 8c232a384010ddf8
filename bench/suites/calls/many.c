/*
 * Rows for the cost of predicting an indirect branch: 1, 2, 4, 8 and 16 targets called in turn, and
 * in a random order that is the same in every run; the same for a switch of 8 cases. One target in
 * random order equals one target in turn: a control that must agree.
 */
#include "bench/suites/calls/many.h"
#include "bench/api/summary_parts.h"

#define OPS 1024 /* twice that is CALLS_TAIL */

/* The offsets that many.asm uses. */
_Static_assert(offsetof(struct calls_order, at) == CALLS_ORDER + CALLS_TAIL, "ORDER_AT");
_Static_assert(offsetof(struct calls_order, at_empty) == CALLS_ORDER + CALLS_TAIL + 4,
               "ORDER_AT_EMPTY");
_Static_assert(2 * OPS == CALLS_TAIL, "the longest window repeats no more than the tail");
_Static_assert(OPS % CALLS_TARGETS == 0 && CALLS_ORDER % OPS == 0,
               "windows are whole, and have room for each target");
_Static_assert(sizeof(struct calls_order) <= OBJECT_ROOM, "the order fits the room");

/*
 * xorshift64* with its author's constants (Vigna, "An experimental exploration of Marsaglia's
 * xorshift generators").
 */
static uint32_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * 0x2545f4914f6cdd1dull >> 32);
}

/* Shuffles; all orders are equally likely (Fisher and Yates; Knuth, vol. 2, algorithm 3.4.2 P). */
static void shuffle(uint8_t *target, uint32_t count, uint64_t *state)
{
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t j = next_random(state) % (i + 1);
        uint8_t kept = target[i];
        target[i] = target[j];
        target[j] = kept;
    }
}

/*
 * Fills the order. Each window has each target equally often, in random order too, because compiled
 * cases of a switch can differ (the last one falls through, others jump). The same holds for the
 * first `targets` of the order, and the next: these are single-stepped.
 */
static void order_targets(struct object *o, uint32_t targets, bool random)
{
    struct calls_order *order = o->room;
    uint64_t state = 1;

    for (uint32_t i = 0; i < CALLS_ORDER; i++)
        order->target[i] = (uint8_t)(i % targets);
    for (uint32_t i = 0, n = targets; random && i < CALLS_ORDER; i += n) {
        n = i == 0 || i == targets ? targets : OPS - i % OPS;
        shuffle(order->target + i, n, &state);
    }
    for (uint32_t i = 0; i < CALLS_TAIL; i++)
        order->target[CALLS_ORDER + i] = order->target[i];
    order->at = order->at_empty = 0;
}

/* Returns what the first n targets of the order add to the counter. */
static uint64_t adds(const struct calls_order *order, uint64_t n)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += order->target[i] + 1u;
    return sum;
}

static const char *added_up(const struct object *o, uint64_t operations)
{
    const struct calls_order *order = o->room;
    uint64_t rounds = operations / CALLS_ORDER, rest = operations % CALLS_ORDER;
    uint64_t expected = rounds * adds(order, CALLS_ORDER) + adds(order, rest);

    return o->counter == expected ? NULL : "the targets that were called do not add up";
}

#define ORDER(name_, targets_, random_)                                                            \
    static void name_(struct object *o)                                                            \
    {                                                                                              \
        order_targets(o, targets_, random_);                                                       \
    }                                                                                              \
    _Static_assert(targets_ <= CALLS_TARGETS, "many.asm has no more")
#define ROW(name_, targets_, setup_, what_, function_, empty_, ...)                                \
    BENCH(calls, name_, .what = what_, .window.form = FORM_FUNCTION, .ops = OPS,                   \
          .function = function_, .empty_function = empty_, .setup = setup_,                        \
          .needs.room_bytes = sizeof(struct calls_order), .check = added_up,                       \
          .proof.least_instructions = 1, .proof.errors_are_wrong = true, .window.grain = OPS,      \
          .window.most_ops = CALLS_TAIL, .window.step_ops = targets_, __VA_ARGS__)
static const struct bench_family targets = {{"1", "2", "4", "8", "16"}};
#define IN_LINE(name_, column_)                                                                    \
    .shown.family = &targets, .shown.line = #name_, .shown.column = column_
#define TARGETS(n, text_, column_)                                                                 \
    ORDER(in_turn_##n, n, false);                                                                  \
    ORDER(at_random_##n, n, true);                                                                 \
    ROW(turn_##n, n, in_turn_##n, "call by register of " text_ " in turn", calls_many,             \
        calls_many_empty, IN_LINE(turn, column_));                                                 \
    ROW(random_##n, n, at_random_##n, "call by register of " text_ " in random order", calls_many, \
        calls_many_empty, .shown.compared_with = "turn_" #n, IN_LINE(random, column_))

TARGETS(1, "1 target", 0);
TARGETS(2, "2 targets", 1);
TARGETS(4, "4 targets", 2);
TARGETS(8, "8 targets", 3);
TARGETS(16, "16 targets", 4);

ROW(alike_16, CALLS_TARGETS, in_turn_16,
    "call by register of 16 targets in turn, which do nothing but return", calls_many_alike,
    calls_many_empty, .shown.compared_with = "turn_16", IN_LINE(alike, 4));

#define SWITCH "jump table of 8 cases, "
ROW(switch_turn, CALLS_CASES, in_turn_8, SWITCH "in turn", calls_switch_jump,
    calls_switch_jump_empty);
ROW(switch_random, CALLS_CASES, at_random_8, SWITCH "in random order", calls_switch_jump,
    calls_switch_jump_empty, .shown.compared_with = "switch_turn");
ROW(switch_turn_c, CALLS_CASES, in_turn_8, SWITCH "in turn, compiled C", calls_switch,
    calls_switch_empty);
ROW(switch_random_c, CALLS_CASES, at_random_8, SWITCH "in random order, compiled C", calls_switch,
    calls_switch_empty, .shown.compared_with = "switch_turn_c");

SUMMARY_PART(calls, targets, .rank = 2, .label = "targets", .kind = SUMMARY_PAIR,
             .difference = "mispredicted", .row = {"random_16", "turn_16"});
