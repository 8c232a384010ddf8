/*
 * Rows for the cost of a call, by its kind. Each has six: NASM in a loop and in straight copies
 * (_straight), and the compiler's loop (_c); each with an empty callee, and with one that does ++*x
 * (_inc).
 */
#include "bench/suites/calls/calls.h"
#include "bench/api/counted.h"
#include "bench/api/summary_parts.h"

#define LOOP_OPS     1000
#define SLOW_OPS     250 /* for a kind that costs much more: its windows are as long */
#define STRAIGHT_OPS 100

#define CALL_LEAST 2 /* instructions: a call and its return */
#define CALL       .proof.least_instructions = CALL_LEAST

extern const struct unit unit_calls_inline_inc, unit_calls_direct, unit_calls_direct_inc,
    unit_calls_plt, unit_calls_plt_inc, unit_calls_got, unit_calls_got_inc, unit_calls_register,
    unit_calls_register_inc, unit_calls_virtual, unit_calls_virtual_inc, unit_calls_callee,
    unit_calls_callee_inc, unit_calls_stub_plt, unit_calls_stub_plt_endbr, unit_calls_stub_tail,
    unit_calls_retpoline, unit_calls_retpoline_inc, unit_calls_stub_retpoline,
    unit_calls_stack_aligned, unit_calls_stack_misaligned, unit_calls_callee_stack;

static const char *uncounted(const struct object *o, uint64_t operations)
{
    (void)operations;
    return o->counter == 0 ? NULL : "an empty callee changed the counter";
}

#define INLINE    "no call, the work in place"
#define DIRECT    "call rel32"
#define PLT       "call of a stub that jumps through a GOT slot"
#define PLT_CET   "call of a PLT's stub with ENDBR64"
#define GOT       "call through the GOT slot"
#define REGISTER  "call by register"
#define VIRTUAL   "call through the object's table"
#define PIC       "call through a table in a separate object"
#define TAIL      "call of a function that jumps on (a tail call)"
#define RETPOLINE "call by register through a retpoline"
#define C_PLT     "call f@PLT of -fPIC code, whose entry jumps through the GOT slot"
#define C_PLT_CET "call f@PLT of -fPIC code, entry and callee begin with ENDBR64"
#define C_GOT     "call *f@GOTPCREL(%rip) of -fPIC -fno-plt code, through the GOT slot"
#define C_BOUND   "call f@PLT of -fPIC code, bound to f itself as by -Bsymbolic"

static const struct bench_family ways = {
    {"empty", "++*x", "straight", "straight ++*x", "compiled", "compiled ++*x"}};
enum { EMPTY, INC, STRAIGHT, STRAIGHT_INC, COMPILED, COMPILED_INC };

/* One row, in a line of the table. A kind of call is compared with the direct call, and a row that
 * counts with the same row with an empty callee; rows without a loop are compared with none. */
#define ROW(name_, line_, column_, what_, beside_, ops_, check_, ...)                              \
    BENCH(calls, name_, .what = what_, .ops = ops_, .check = check_,                               \
          .shown.compared_with = beside_, .shown.family = &ways, .shown.line = line_,              \
          .shown.column = column_, __VA_ARGS__)

/* --- in NASM ---------------------------------------------------------------------------------- */

#define LOOP(unit_, callee_)                                                                       \
    .window.form = FORM_LOOP, .window.unit = unit_, .window.callee = callee_
#define COPIES(unit_, callee_)                                                                     \
    .window.form = FORM_STRAIGHT, .window.unit = unit_, .window.callee = callee_
#define BY(stub_) .window.stub = &unit_calls_stub_##stub_
/* The rows of a kind of call: of unit_calls_<piece>, and the same whose callee counts. */
#define NASM(name_, what_, beside_, ops_, piece_, ...)                                             \
    ROW(name_, #name_, EMPTY, what_, beside_, ops_, uncounted,                                     \
        LOOP(&unit_calls_##piece_, &unit_calls_callee), CALL, __VA_ARGS__);                        \
    ROW(name_##_straight, #name_, STRAIGHT, what_ ", no loop", NULL, STRAIGHT_OPS, uncounted,      \
        COPIES(&unit_calls_##piece_, &unit_calls_callee), CALL, __VA_ARGS__);                      \
    ROW(name_##_inc, #name_, INC, what_ ", ++*x", #name_, ops_, check_counted,                     \
        LOOP(&unit_calls_##piece_##_inc, &unit_calls_callee_inc), CALL, __VA_ARGS__);              \
    ROW(name_##_inc_straight, #name_, STRAIGHT_INC, what_ ", ++*x, no loop", NULL, STRAIGHT_OPS,   \
        check_counted, COPIES(&unit_calls_##piece_##_inc, &unit_calls_callee_inc), CALL,           \
        __VA_ARGS__)

ROW(inline, "inline", EMPTY, INLINE, NULL, LOOP_OPS, uncounted, LOOP(NULL, NULL),
    .proof.may_be_elided = true);
ROW(inline_straight, "inline", STRAIGHT, INLINE ", no loop", NULL, STRAIGHT_OPS, uncounted,
    COPIES(NULL, NULL), .proof.may_be_elided = true);
ROW(inline_inc, "inline", INC, INLINE ", ++*x", "inline", LOOP_OPS, check_counted,
    LOOP(&unit_calls_inline_inc, NULL));
ROW(inline_inc_straight, "inline", STRAIGHT_INC, INLINE ", ++*x, no loop", NULL, STRAIGHT_OPS,
    check_counted, COPIES(&unit_calls_inline_inc, NULL));

/* clang-format off */
/*   name         what       compared  operations  piece      the rest */
NASM(direct,      DIRECT,    NULL,     LOOP_OPS,   direct);
NASM(plt,         PLT,       "direct", LOOP_OPS,   plt,       BY(plt));
NASM(plt_endbr,   PLT_CET,   "direct", LOOP_OPS,   plt,       BY(plt_endbr));
NASM(got,         GOT,       "direct", LOOP_OPS,   got);
NASM(register,    REGISTER,  "direct", LOOP_OPS,   register);
NASM(virtual,     VIRTUAL,   "direct", LOOP_OPS,   virtual);
NASM(virtual_pic, PIC,       "direct", LOOP_OPS,   virtual,   .window.callee_apart = true);
NASM(tail,        TAIL,      "direct", LOOP_OPS,   plt,       BY(tail));
NASM(retpoline,   RETPOLINE, "direct", SLOW_OPS,   retpoline, BY(retpoline));
/* clang-format on */

#define STACK(name_, what_, ...)                                                                   \
    BENCH(calls, name_, .what = what_, .ops = LOOP_OPS, .check = check_counted,                    \
          LOOP(&unit_calls_##name_, &unit_calls_callee_stack), CALL, __VA_ARGS__)
STACK(stack_aligned, "call, the stack aligned; the callee spills 64 bytes, ++*x");
STACK(stack_misaligned, "call, the stack misaligned by 8; the callee spills 64 bytes, ++*x",
      .shown.compared_with = "stack_aligned");

/* --- compiled --------------------------------------------------------------------------------- */

/* Set the callee (calls_register, calls_retpoline) or the table (calls_virtual) in the object for
 * the compiler's bodies. */
#define SETUP(name_, field_, value_)                                                               \
    static void name_(struct object *o)                                                            \
    {                                                                                              \
        o->field_ = value_;                                                                        \
    }
SETUP(use_callee, table.method, calls_callee)
SETUP(use_callee_inc, table.method, calls_callee_inc)
SETUP(use_table, vtable, &calls_table)
SETUP(use_table_inc, vtable, &calls_table_inc)
SETUP(use_table_pic, vtable, &calls_table_pic)
SETUP(use_table_pic_inc, vtable, &calls_table_pic_inc)
SETUP(use_table_both, vtable, &calls_table_both)

static void inc_of_another_type(struct object *o)
{
    ++o->counter;
}

static const struct vtable table_of_another_type = {calls_callee, inc_of_another_type};

/* Makes two objects in the room: of one type, or of two. */
static void make_pair(struct object *o, const struct vtable *of_second)
{
    struct object *pair = o->room;

    pair[0].vtable = &calls_table_both;
    pair[1].vtable = of_second;
    pair[0].counter = pair[1].counter = 0;
}

static void make_alike(struct object *o)
{
    make_pair(o, &calls_table_both);
}

static void make_two_types(struct object *o)
{
    make_pair(o, &table_of_another_type);
}

static const char *counted_by_both(const struct object *o, uint64_t operations)
{
    const struct object *pair = o->room;

    if (pair[0].counter + pair[1].counter != operations)
        return "the two objects' counters are not the number of operations";
    if (operations > 1 && (!pair[0].counter || !pair[1].counter))
        return "one of the two objects was never called";
    return NULL;
}

#define BODY(function_, empty_, setup_)                                                            \
    .window.form = FORM_FUNCTION, .function = function_, .empty_function = empty_,                 \
    .setup = setup_, .proof.errors_are_wrong = true
/* The rows of a kind of call: a function, and the one that counts; each with its setup. */
#define C(name_, what_, beside_, ops_, function_, inc_, setup_)                                    \
    ROW(name_##_c, #name_, COMPILED, what_ ", compiled C", beside_, ops_, uncounted,               \
        BODY(calls_##function_, calls_empty, use_##setup_), CALL);                                 \
    ROW(name_##_inc_c, #name_, COMPILED_INC, what_ ", ++*x, compiled C", #name_ "_c", ops_,        \
        check_counted, BODY(calls_##inc_, calls_empty, use_##setup_##_inc), CALL)
#define use_none     NULL
#define use_none_inc NULL

ROW(inline_c, "inline", COMPILED, INLINE ", compiled C", NULL, LOOP_OPS, uncounted,
    BODY(calls_empty, calls_empty, NULL), .proof.may_be_elided = true);
ROW(inline_inc_c, "inline", COMPILED_INC, INLINE ", ++*x, compiled C", "inline_c", LOOP_OPS,
    check_counted, BODY(calls_inline_inc, calls_empty, NULL));

/* clang-format off */
/* name        what       compared    operations  function   that counts    setup */
C(direct,      DIRECT,    NULL,       LOOP_OPS,   direct,    direct_inc,    none);
C(plt,         C_PLT,     "direct_c", LOOP_OPS,   plt,       plt_inc,       none);
C(plt_endbr,   C_PLT_CET, "direct_c", LOOP_OPS,   plt_endbr, plt_endbr_inc, none);
C(got,         C_GOT,     "direct_c", LOOP_OPS,   got,       got_inc,       none);
C(symbolic,    C_BOUND,   "direct_c", LOOP_OPS,   symbolic,  symbolic_inc,  none);
C(tail,        TAIL,      "direct_c", LOOP_OPS,   tail,      tail_inc,      none);
C(register,    REGISTER,  "direct_c", LOOP_OPS,   register,  register,      callee);
C(virtual,     VIRTUAL,   "direct_c", LOOP_OPS,   virtual,   virtual,       table);
C(virtual_pic, PIC,       "direct_c", LOOP_OPS,   virtual,   virtual,       table_pic);
C(retpoline,   RETPOLINE, "direct_c", SLOW_OPS,   retpoline, retpoline,     callee);
/* clang-format on */

#define TWO(name_, setup_, what_, ...)                                                             \
    BENCH(calls, name_##_c, .what = what_ ", compiled C", .ops = LOOP_OPS / 2,                     \
          .check = check_counted, BODY(calls_##name_, calls_empty, setup_),                        \
          .proof.least_instructions = 2 * CALL_LEAST, __VA_ARGS__)
TWO(virtual_known, NULL, "two virtual calls by a base pointer of known type: direct calls; ++*x");
TWO(virtual_unknown, use_table_both, "two virtual calls by a base pointer of unknown type, ++*x",
    .shown.compared_with = "virtual_known_c");
/* Both rows run the same code; only the type of the second object differs. */
#define IN_TURN(name_, setup_, what_, ...)                                                         \
    BENCH(calls, name_##_c, .what = what_ ", compiled C", .ops = LOOP_OPS,                         \
          .check = counted_by_both, BODY(calls_virtual_types, calls_virtual_types_empty, setup_),  \
          CALL, .window.grain = 2, .needs.room_bytes = 2 * sizeof(struct object), __VA_ARGS__)
IN_TURN(virtual_type, make_alike,
        "virtual call by a base pointer of two objects of one type, ++*x");
IN_TURN(virtual_types, make_two_types, "virtual call by a base pointer of two types in turn, ++*x",
        .shown.compared_with = "virtual_type_c");

#define WAY(name_) name_, name_ "_inc", name_ "_straight", name_ "_c"
SUMMARY_PART(calls, ways, .rank = 1, .label = "calls", .kind = SUMMARY_TABLE,
             .headings = {"empty", "++*x", "straight", "compiled"},
             .row = {WAY("direct"), WAY("plt"), WAY("got"), WAY("register"), WAY("virtual")});
