/*
 * Rows for the cost of a call, by its kind. Each exists three times: NASM in a loop, NASM in
 * straight copies (_straight), and the compiler's loop (_c); each with an empty callee and with one
 * that does ++*x (_inc).
 */
#include "bench/suites/calls/calls.h"
#include "bench/api/counted.h"
#include "bench/api/summary_parts.h"

#define LOOP_OPS     1000
#define SLOW_OPS     250 /* for a kind that costs much more: its windows are as long */
#define STRAIGHT_OPS 100

/* Least instructions: a call and its return. */
#define CALL_LEAST 2

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

static const struct bench_family ways = {
    {"empty", "++*x", "straight", "straight ++*x", "compiled", "compiled ++*x"}};
enum { EMPTY, INC, STRAIGHT, STRAIGHT_INC, COMPILED, COMPILED_INC };
#define IN_LINE(name_, column_) .shown.family = &ways, .shown.line = #name_, .shown.column = column_

#define NASM_FORM(name_, form_, ops_, check_, ...)                                                 \
    BENCH(calls, name_, .window.form = form_, .ops = ops_, .check = check_, __VA_ARGS__)
/* A kind of call is compared with the direct call, beside_. A row that counts is compared with the
 * same row with an empty callee. */
#define NASM_ROW(name_, what_, beside_, ops_, ...)                                                 \
    NASM_FORM(name_, FORM_LOOP, ops_, uncounted, .what = what_, .shown.compared_with = beside_,    \
              IN_LINE(name_, EMPTY), __VA_ARGS__);                                                 \
    NASM_FORM(name_##_straight, FORM_STRAIGHT, STRAIGHT_OPS, uncounted, .what = what_ ", no loop", \
              IN_LINE(name_, STRAIGHT), __VA_ARGS__)
#define NASM_INC(name_, what_, ops_, ...)                                                          \
    NASM_FORM(name_##_inc, FORM_LOOP, ops_, check_counted, .what = what_ ", ++*x",                 \
              .shown.compared_with = #name_, IN_LINE(name_, INC), __VA_ARGS__);                    \
    NASM_FORM(name_##_inc_straight, FORM_STRAIGHT, STRAIGHT_OPS, check_counted,                    \
              .what = what_ ", ++*x, no loop", IN_LINE(name_, STRAIGHT_INC), __VA_ARGS__)

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

NASM_ROW(inline, INLINE, NULL, LOOP_OPS, .window.unit = NULL, .proof.may_be_elided = true);
NASM_INC(inline, INLINE, LOOP_OPS, .window.unit = &unit_calls_inline_inc);
#define NASM_WAY(name_, what_, beside_, ops_, piece_, ...)                                         \
    NASM_ROW(name_, what_, beside_, ops_, .window.unit = &unit_calls_##piece_,                     \
             .window.callee = &unit_calls_callee, .proof.least_instructions = CALL_LEAST,          \
             __VA_ARGS__);                                                                         \
    NASM_INC(name_, what_, ops_, .window.unit = &unit_calls_##piece_##_inc,                        \
             .window.callee = &unit_calls_callee_inc, .proof.least_instructions = CALL_LEAST,      \
             __VA_ARGS__)
#define NASM_CALL(name_, what_, beside_, ...) NASM_WAY(name_, what_, beside_, LOOP_OPS, __VA_ARGS__)
NASM_CALL(direct, DIRECT, NULL, direct);
NASM_CALL(plt, PLT, "direct", plt, .window.stub = &unit_calls_stub_plt);
NASM_CALL(plt_endbr, PLT_CET, "direct", plt, .window.stub = &unit_calls_stub_plt_endbr);
NASM_CALL(got, GOT, "direct", got);
NASM_CALL(register, REGISTER, "direct", register);
NASM_CALL(virtual, VIRTUAL, "direct", virtual);
NASM_CALL(virtual_pic, PIC, "direct", virtual, .window.callee_apart = true);
NASM_CALL(tail, TAIL, "direct", plt, .window.stub = &unit_calls_stub_tail);
NASM_WAY(retpoline, RETPOLINE, "direct", SLOW_OPS, retpoline,
         .window.stub = &unit_calls_stub_retpoline);

#define NASM_STACK(name_, what_, ...)                                                              \
    NASM_FORM(name_, FORM_LOOP, LOOP_OPS, check_counted, .window.unit = &unit_calls_##name_,       \
              .what = what_, .window.callee = &unit_calls_callee_stack,                            \
              .proof.least_instructions = CALL_LEAST, __VA_ARGS__)
NASM_STACK(stack_aligned, "call, the stack aligned; the callee spills 64 bytes, ++*x");
NASM_STACK(stack_misaligned, "call, the stack misaligned by 8; the callee spills 64 bytes, ++*x",
           .shown.compared_with = "stack_aligned");

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

#define C_BODY(name_, ops_, function_, empty_, setup_, check_, what_, ...)                         \
    BENCH(calls, name_, .what = what_ ", compiled C", .window.form = FORM_FUNCTION, .ops = ops_,   \
          .function = function_, .empty_function = empty_, .setup = setup_, .check = check_,       \
          .proof.errors_are_wrong = true, __VA_ARGS__)
#define C_ROWS(name_, ops_, beside_, function_, function_inc_, setup_, setup_inc_, what_, ...)     \
    C_BODY(name_##_c, ops_, function_, calls_empty, setup_, uncounted, what_,                      \
           .shown.compared_with = beside_, IN_LINE(name_, COMPILED), __VA_ARGS__);                 \
    C_BODY(name_##_inc_c, ops_, function_inc_, calls_empty, setup_inc_, check_counted,             \
           what_ ", ++*x", .shown.compared_with = #name_ "_c", IN_LINE(name_, COMPILED_INC),       \
           __VA_ARGS__)
#define C_CALL(name_, beside_, what_)                                                              \
    C_ROWS(name_, LOOP_OPS, beside_, calls_##name_, calls_##name_##_inc, NULL, NULL, what_,        \
           .proof.least_instructions = CALL_LEAST)
#define C_POINTER(name_, ops_, function_, setup_, what_)                                           \
    C_ROWS(name_, ops_, "direct_c", function_, function_, setup_, setup_##_inc, what_,             \
           .proof.least_instructions = CALL_LEAST)

C_BODY(inline_c, LOOP_OPS, calls_empty, calls_empty, NULL, uncounted, INLINE,
       IN_LINE(inline, COMPILED), .proof.may_be_elided = true);
C_BODY(inline_inc_c, LOOP_OPS, calls_inline_inc, calls_empty, NULL, check_counted, INLINE ", ++*x",
       .shown.compared_with = "inline_c", IN_LINE(inline, COMPILED_INC));
C_CALL(direct, NULL, DIRECT);
C_CALL(plt, "direct_c", "call f@PLT of -fPIC code, whose entry jumps through the GOT slot");
C_CALL(plt_endbr, "direct_c", "call f@PLT of -fPIC code, entry and callee begin with ENDBR64");
C_CALL(got, "direct_c", "call *f@GOTPCREL(%rip) of -fPIC -fno-plt code, through the GOT slot");
C_CALL(symbolic, "direct_c", "call f@PLT of -fPIC code, bound to f itself as by -Bsymbolic");
C_CALL(tail, "direct_c", TAIL);
C_POINTER(register, LOOP_OPS, calls_register, use_callee, REGISTER);
C_POINTER(virtual, LOOP_OPS, calls_virtual, use_table, VIRTUAL);
C_POINTER(virtual_pic, LOOP_OPS, calls_virtual, use_table_pic, PIC);
C_POINTER(retpoline, SLOW_OPS, calls_retpoline, use_callee, RETPOLINE);

#define TWO(name_, setup_, what_, ...)                                                             \
    C_BODY(name_##_c, LOOP_OPS / 2, calls_##name_, calls_empty, setup_, check_counted, what_,      \
           .proof.least_instructions = 2 * CALL_LEAST, __VA_ARGS__)
TWO(virtual_known, NULL, "two virtual calls by a base pointer of known type: direct calls; ++*x");
TWO(virtual_unknown, use_table_both, "two virtual calls by a base pointer of unknown type, ++*x",
    .shown.compared_with = "virtual_known_c");
/* Both rows run the same code; only the type of the second object differs. */
#define IN_TURN(name_, setup_, what_, ...)                                                         \
    C_BODY(name_##_c, LOOP_OPS, calls_virtual_types, calls_virtual_types_empty, setup_,            \
           counted_by_both, what_, .window.grain = 2, .proof.least_instructions = CALL_LEAST,      \
           .needs.room_bytes = 2 * sizeof(struct object), __VA_ARGS__)
IN_TURN(virtual_type, make_alike,
        "virtual call by a base pointer of two objects of one type, ++*x");
IN_TURN(virtual_types, make_two_types, "virtual call by a base pointer of two types in turn, ++*x",
        .shown.compared_with = "virtual_type_c");

#define WAY(name_) name_, name_ "_inc", name_ "_straight", name_ "_c"
SUMMARY_PART(calls, ways, .rank = 1, .label = "calls", .kind = SUMMARY_TABLE,
             .headings = {"empty", "++*x", "straight", "compiled"},
             .row = {WAY("direct"), WAY("plt"), WAY("got"), WAY("register"), WAY("virtual")});
