/*
 * What an optimiser does to a benchmark. Each trap stands beside its cure. What the trap costs less
 * is work that was never done, and yet its answer is right. The same bare loop of passes is
 * subtracted from all of them: a trap whose loop is gone reads 0, a cure reads with its loop, and
 * with the few instructions a pass that a compiler puts before it (gcc 14 pads by two NOPs where
 * gcc 12 pads by one: 0.02 an operation).
 */
#include "bench/suites/compiler/compiler.h"
#include "bench/api/statement.h"
#include "bench/suites/compiler/mix.h"

#define OPS 1000
_Static_assert(OPS % PASS == 0, "whole passes");
_Static_assert(PASS * sizeof(uint64_t) <= OBJECT_ROOM && COMPILER_INDEX < PASS, "the room");

/* The table: odd numbers, the first one not 1. */
#define WORD(i) (2 * (uint64_t)(i) + 3)

static void fill(struct object *o)
{
    uint64_t *table = o->room;
    for (unsigned i = 0; i < PASS; i++)
        table[i] = WORD(i);
}

static const char *counted_twice(const struct object *o, uint64_t operations)
{
    return o->counter == 2 * operations ? NULL : "the counter is not twice the operations";
}

/* A check that each pass added what `pass` gives. */
#define ADDED(name_, pass_)                                                                        \
    static const char *name_(const struct object *o, uint64_t operations)                          \
    {                                                                                              \
        return o->counter == operations / PASS * pass_() ? NULL : "the passes do not add up";      \
    }

static uint64_t products(void)
{
    uint64_t x = 0;
    for (uint64_t i = 0; i < PASS; i++)
        x ^= i * WORD(0);
    return x;
}

static uint64_t quotients(void)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < PASS; i++)
        sum += COMPILER_DIVIDEND(i) / COMPILER_DIVISOR;
    return sum;
}

static uint64_t words(void)
{
    return PASS * WORD(COMPILER_INDEX);
}

static uint64_t mixed(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < PASS; i++)
        sum += compiler_mix_text(i);
    return sum;
}

static uint64_t mixed_first(void)
{
    return PASS * (uint64_t)compiler_mix_text((uint32_t)WORD(0));
}

ADDED(products_added, products)
ADDED(quotients_added, quotients)
ADDED(words_added, words)
ADDED(mixed_added, mixed)
ADDED(mixed_first_added, mixed_first)

/* The room is as it was, and every pass was run. */
static const char *kept(const struct object *o, uint64_t operations)
{
    const uint64_t *table = o->room;
    for (unsigned i = 0; i < PASS; i++)
        if (table[i] != WORD(i))
            return "the table has changed";
    return check_counted(o, operations);
}

static const char *stored_last(const struct object *o, uint64_t operations)
{
    const uint64_t *table = o->room;
    return table[0] == PASS - 1 ? check_counted(o, operations) : "the last store is missing";
}

#define BODY(name_, function_, empty_, ...)                                                        \
    BENCH(compiler, name_, .form = FORM_FUNCTION, .ops = OPS, .function = function_,               \
          .empty_function = empty_, .room_bytes = PASS * sizeof(uint64_t), .grain = PASS,          \
          .errors_are_wrong = true, __VA_ARGS__)
#define PAIR(name_, check_, floor_, trap_, cure_)                                                  \
    BODY(name_##_trap, compiler_##name_##_trap, compiler_pass, .what = trap_, .setup = fill,       \
         .check = check_, .beside = #name_ "_cure");                                               \
    BODY(name_##_cure, compiler_##name_##_cure, compiler_pass,                                     \
         .what = cure_ ", its loop included", .setup = fill, .check = check_, .floor = floor_)

/*
 * Floors: a turn of a loop takes a taken branch, of which no core has more than two a cycle (see
 * calls.c); half of that. The buffer's fill can be made of stores of 16 bytes, two a cycle. No
 * divider takes 32 bits every 4 cycles (Agner Fog, "Instruction tables": 6 on the fastest); half of
 * that. A call makes three taken branches a turn.
 */
#define FLOOR_TURN   0.25
#define FLOOR_BUFFER 0.1
#define FLOOR_DIV    2
#define FLOOR_CALL   0.75

PAIR(mul, products_added, FLOOR_TURN, "a multiplication by the loop's variable: made an addition",
     "a multiplication by a hidden variable");
PAIR(div, quotients_added, FLOOR_DIV, "a division by 1000: made a multiplication",
     "a division by a hidden 1000");
PAIR(lookup, words_added, FLOOR_TURN, "a look-up that does not change: hoisted out of the loop",
     "a look-up at a hidden index");
PAIR(load, kept, FLOOR_TURN, "a load whose value is not used: gone", "a load that is kept");
PAIR(store, stored_last, FLOOR_TURN, "a store where the next one goes too: gone",
     "a store, memory clobbered after it");
PAIR(silent, kept, FLOOR_TURN, "a word stored where it came from: gone, its load too",
     "a word stored where it came from, hidden in between");
PAIR(buffer, check_counted, FLOOR_BUFFER, "a store to an array that is never read: gone",
     "a store to an array whose address has escaped");
PAIR(inline, mixed_added, FLOOR_CALL, "a call of a function in sight: inlined",
     "a call of a function in another object");
PAIR(call, mixed_first_added, FLOOR_CALL, "a call with an argument that does not change: hoisted",
     "a call with a hidden argument");
PAIR(clone, quotients_added, FLOOR_DIV, "a call of a clone that knows the divisor: no division",
     "a call of a function in another object that divides");

#define MOVED(name_, function_, what_, ...)                                                        \
    BODY(unused_##name_, function_, NULL, .what = what_, .check = check_counted,                   \
         .floor = FLOOR_TURN, __VA_ARGS__)
MOVED(absent, compiler_moved, "a turn of a loop");
MOVED(trap, compiler_moved_unused, "a turn of a loop, moved by an unused function",
      .beside = "unused_absent");
MOVED(aligned, compiler_still, "a turn of a loop in an aligned function");
MOVED(cure, compiler_still_unused,
      "a turn of a loop in an aligned function, an unused one behind it",
      .beside = "unused_aligned");

/*
 * What the macros of keep.h cost where there is nothing to keep away from: nothing, they are no
 * instructions.
 */
#define COST(name_, what_, function_)                                                              \
    BENCH(compiler, name_, .what = what_, .form = FORM_FUNCTION, .ops = OPS,                       \
          .function = function_, .empty_function = compiler_turns, .errors_are_wrong = true)
COST(keep_cost, "BENCH_KEEP of a register", compiler_turns_keep);
COST(hide_cost, "BENCH_HIDE of a register", compiler_turns_hide);

BENCH_STATEMENT(compiler, clobber_cost, "BENCH_CLOBBER between two increments of one word",
                .check = counted_twice, .beside = "clobber_free")
{
    ++o->counter;
    BENCH_CLOBBER();
    ++o->counter;
}

BENCH_STATEMENT(compiler, clobber_free, "two increments of one word, which the optimiser merges",
                .check = counted_twice)
{
    ++o->counter;
    ++o->counter;
}

BENCH_STATEMENT(compiler, statement, "++*x, a plain statement", .check = check_counted)
{
    ++o->counter;
}

BENCH_FUNCTION(compiler, void_function, "++*x in a function void fn(uint64_t n, void *ctx)", OPS,
               compiler_count, &o->counter, .check = check_counted, .floor = FLOOR_TURN);
