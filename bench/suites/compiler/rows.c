/*
 * Rows that show what an optimiser does to a benchmark. Each trap is compared with its cure. A trap
 * is cheaper by the work that was never done, although its answer is right. The same bare loop of
 * passes is subtracted from all rows: a trap whose loop is removed reads 0. A cure includes its
 * loop, and the few instructions per pass that a compiler puts before it (gcc 14 pads with two
 * NOPs, gcc 12 with one: a difference of 0.02 per operation).
 */
#include "bench/suites/compiler/compiler.h"
#include "bench/api/statement.h"
#include "bench/suites/compiler/mix.h"
#include "bench/suites/compiler/rows.h"

_Static_assert(PASS * sizeof(uint64_t) <= OBJECT_ROOM && COMPILER_INDEX < PASS, "the room");

#define ALPHABET 26

/* The table: odd numbers, the first one not 1. */
#define WORD(i) (2 * (uint64_t)(i) + 3)

static void fill(struct object *o)
{
    uint64_t *table = o->room;

    for (unsigned i = 0; i < PASS; i++)
        table[i] = WORD(i);
}

/* Unordered characters: 37 has no divisor in common with 96 or 52. */
static unsigned char character(unsigned i)
{
    return (unsigned char)(' ' + 37 * i % 96);
}

static void write_text(struct object *o)
{
    unsigned char *text = o->room;

    for (unsigned i = 0; i < PASS; i++)
        text[i] = character(i);
}

static unsigned char letter(unsigned i)
{
    const unsigned at = 37 * i % (2 * ALPHABET);

    return (unsigned char)(at < ALPHABET ? 'A' + at : 'a' + at - ALPHABET);
}

static void write_letters(struct object *o)
{
    unsigned char *text = o->room;

    for (unsigned i = 0; i < PASS; i++)
        text[i] = letter(i);
}

static const char *counted_twice(const struct object *o, uint64_t operations)
{
    return o->counter == 2 * operations ? NULL : "the counter is not twice the operations";
}

/* Checks the exclusive or, whose sums over the passes the counter has. */
static const char *products_added(const struct object *o, uint64_t operations)
{
    uint64_t x = 0;

    for (uint64_t i = 0; i < PASS; i++)
        x ^= i * WORD(0);
    return o->counter == operations / PASS * x ? NULL : "the passes do not add up";
}

static uint64_t lowered(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c | ('a' ^ 'A') : c;
}

ADDED(all_words_added, WORD(i))
ADDED(halves_added, WORD(0) + WORD(4))
ADDED(known_letters_added, lowered(COMPILER_LETTER))
ADDED(characters_added, lowered(character(i)))
ADDED(letters_added, lowered(letter(i)))
ADDED(quotients_added, COMPILER_DIVIDEND(i) / COMPILER_DIVISOR)
ADDED(words_added, WORD(COMPILER_INDEX))
ADDED(mixed_added, compiler_mix_text(i))
ADDED(mixed_first_added, compiler_mix_text((uint32_t)WORD(0)))

/* Checks that the room is unchanged, and every pass was run. */
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

/* Checks that the last operation's record is there, and the rest of the room is unchanged. */
static const char *cleared_in_part(const struct object *o, uint64_t operations)
{
    const uint64_t *table = o->room;

    for (unsigned i = 0; i < PASS; i++)
        if (table[i] != (i < 4 ? PASS - 1 : i < 8 ? 0 : WORD(i)))
            return "the record is not half cleared";
    return check_counted(o, operations);
}

static const char *cleared(const struct object *o, uint64_t operations)
{
    const uint64_t *table = o->room;

    for (unsigned i = 0; i < PASS; i++)
        if (table[i] != 0)
            return "the words are not cleared";
    return check_counted(o, operations);
}

static const char *copied(const struct object *o, uint64_t operations)
{
    static const char text[] = COMPILER_TEXT;
    const unsigned char *at = o->room;

    for (unsigned i = 0; i < PASS * COMPILER_BYTES; i++)
        if (at[i] != (i < sizeof text ? (unsigned char)text[i] : 0))
            return "the bytes are not copied";
    return check_counted(o, operations);
}

const struct bench_family compiler_pairs = {{"trap", "cure"}};
#define BODY(name_, function_, empty_, ...) PASSES(name_, OPS, function_, empty_, __VA_ARGS__)
/* `make`: the setup. */
#define PAIR_OF(name_, ops_, make_, check_, least_, trap_, cure_)                                  \
    PASSES(name_##_trap, ops_, compiler_##name_##_trap, compiler_pass, .what = trap_,              \
           .setup = make_, .check = check_, .proof.may_be_elided = true,                           \
           .shown.compared_with = #name_ "_cure", IN_LINE(name_, 0));                              \
    PASSES(name_##_cure, ops_, compiler_##name_##_cure, compiler_pass,                             \
           .what = cure_ ", its loop included", .setup = make_, .check = check_,                   \
           .proof.least_instructions = least_, IN_LINE(name_, 1))
#define PAIR(name_, check_, least_, trap_, cure_)                                                  \
    PAIR_OF(name_, OPS, fill, check_, least_, trap_, cure_)

/*
 * Least instructions of an operation, with every compiler: those that its description names.
 * Unrolling may divide the loop's instructions among several operations. The buffer can be filled
 * by stores of 64 bytes; a call has a return; a record of 64 bytes can be one store; eight bytes
 * one by one are eight.
 */
#define LEAST        1
#define LEAST_BUFFER (1.0 / 64)
#define LEAST_CALL   2
#define LEAST_BYTES  COMPILER_BYTES

PAIR(mul, products_added, LEAST, "a multiplication by the loop's variable: becomes an addition",
     "a multiplication by a hidden variable");
PAIR(div, quotients_added, LEAST, "a division by 1000: becomes a multiplication",
     "a division by a hidden 1000");
PAIR(lookup, words_added, LEAST, "a look-up that does not change: hoisted out of the loop",
     "a look-up at a hidden index");
PAIR(load, kept, LEAST, "a load whose value is not used: removed", "a load that is kept");
PAIR(store, stored_last, LEAST, "a store to the same place as the next one: removed",
     "a store, memory clobbered after it");
PAIR(silent, kept, LEAST, "a word stored back unchanged: removed, with its load",
     "a word stored back unchanged, hidden in between");
PAIR(buffer, check_counted, LEAST_BUFFER, "a store to an array that is never read: removed",
     "a store to an array whose address has escaped");
PAIR(inline, mixed_added, LEAST_CALL, "a call of a visible function: inlined",
     "a call of a function in another object");
PAIR(call, mixed_first_added, LEAST_CALL, "a call with an argument that does not change: hoisted",
     "a call with a hidden argument");
PAIR(clone, quotients_added, LEAST, "a call of a clone that knows the divisor: no division",
     "a call of a function in another object that divides");

PAIR_OF(known, FEW_OPS, fill, known_letters_added, LEAST,
        "tolower of a known letter: only its answer", "tolower of a hidden letter");
PAIR_OF(lower, FEW_OPS, write_text, characters_added, LEAST,
        "tolower by 26 cases: becomes a conditional move",
        "tolower by up to 26 tests, hidden in between");
PAIR_OF(to_table, FEW_OPS, write_letters, letters_added, LEAST,
        "tolower of a letter by 52 cases, two per result: becomes one look-up",
        "tolower of a letter by up to 52 tests, hidden in between");

PAIR_OF(volatile, FEW_OPS, fill, all_words_added, LEAST,
        "a word added to a volatile sum, which is in memory",
        "a word added to a sum in a register that is kept");
PASSES(volatile_choice, FEW_OPS, compiler_volatile_choice, compiler_pass,
       .what = "a word added to a sum that may be kept in memory or in a register: \"+m,r\"",
       .setup = fill, .check = all_words_added, .proof.least_instructions = LEAST,
       .shown.compared_with = "volatile_cure");

PAIR_OF(memset, FEW_OPS, fill, cleared_in_part, LEAST,
        "a memset of 64 bytes of which 32 are dead: half of it is removed",
        "a memset of 64 bytes, memory clobbered after it, and 32 of them written again");
PAIR_OF(copy, FEW_OPS, fill, halves_added, LEAST,
        "two words of a copy of 64 bytes: no copy, two loads",
        "two words of a copy of 64 bytes whose address has escaped");
PAIR_OF(to_memset, FEW_OPS, fill, cleared, LEAST_BYTES,
        "8 of 400 bytes cleared in a loop: becomes memset", "8 of 400 bytes cleared one by one");
PAIR_OF(to_memcpy, FEW_OPS, fill, copied, LEAST_BYTES,
        "8 of 400 bytes copied in a loop: becomes memcpy", "8 of 400 bytes copied one by one");

#ifdef __clang__
#define ALONE    "a call of a noinline function: clang makes no clone, it divides"
#define TOGETHER "the same call: clang has no noclone"
#define RANGE    "a call of a function whose callers all pass 1000: no division"
#else
#define ALONE    "a call of a noinline function: of a clone that knows the divisor"
#define TOGETHER "a call of a noinline, noclone function that divides"
#define RANGE    "a call of a noinline, noclone function whose callers all pass 1000: no division"
#endif
PAIR_OF(noclone, FEW_OPS, fill, quotients_added, LEAST, ALONE, TOGETHER);
PASSES(clone_range, FEW_OPS, compiler_clone_range, compiler_pass, .what = RANGE, .setup = fill,
       .check = quotients_added, .proof.least_instructions = LEAST_CALL,
       .shown.compared_with = "clone_cure");

#define MOVED(name_, function_, what_, ...)                                                        \
    BODY(unused_##name_, function_, NULL, .what = what_, .check = check_counted,                   \
         .proof.least_instructions = LEAST, __VA_ARGS__)
MOVED(absent, compiler_moved, "an iteration of a loop");
MOVED(trap, compiler_moved_unused, "an iteration of a loop, moved by an unused function",
      .shown.compared_with = "unused_absent", .shown.moved_bytes = 32);
MOVED(aligned, compiler_still, "an iteration of a loop in an aligned function");
MOVED(cure, compiler_still_unused,
      "an iteration of a loop in an aligned function, an unused one after it",
      .shown.compared_with = "unused_aligned");

/*
 * The cost of keep.h's macros if the optimiser could not have saved anything: 0, because they emit
 * no instructions.
 */
#define COST(name_, what_, function_)                                                              \
    BENCH(compiler, name_, .what = what_, .window.form = FORM_FUNCTION, .ops = OPS,                \
          .function = function_, .empty_function = compiler_iterations,                            \
          .proof.errors_are_wrong = true, .proof.may_be_elided = true)
COST(keep_cost, "BENCH_KEEP of a register", compiler_iterations_keep);
COST(hide_cost, "BENCH_HIDE of a register", compiler_iterations_hide);

BENCH_STATEMENT(compiler, clobber_cost, "BENCH_CLOBBER between two increments of one word",
                .check = counted_twice, .shown.compared_with = "clobber_free")
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
               compiler_count, &o->counter, .check = check_counted,
               .proof.least_instructions = LEAST);
