/*
 * What a call costs, by the way it takes. Each row stands three times: NASM in a loop, NASM in
 * straight copies (_straight), and the compiler's loop (_c); each with an empty callee and with one
 * that does ++*x (_inc).
 */
#include "bench/suites/calls/calls.h"
#include "bench/api/check.h"

#define LOOP_OPS     1000
#define STRAIGHT_OPS 100

/*
 * A call and its return are two taken branches, and a turn's jump is a third; no core takes more
 * than two in a cycle (Zen 5: AMD Software Optimization Guide, family 1Ah). That leaves 0.5 cycles
 * over a loop of one a turn; half of that, since the interval of a short run is wide. The inline
 * rows have none: a loop can hide all of their work.
 */
#define FLOOR 0.25

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

#define NASM_FORM(name_, form_, ops_, check_, ...)                                                 \
    BENCH(calls, name_, .form = form_, .ops = ops_, .check = check_, __VA_ARGS__)
#define NASM_ROW(name_, what_, ...)                                                                \
    NASM_FORM(name_, FORM_LOOP, LOOP_OPS, uncounted, .what = what_, __VA_ARGS__);                  \
    NASM_FORM(name_##_straight, FORM_STRAIGHT, STRAIGHT_OPS, uncounted, .what = what_ ", no loop", \
              __VA_ARGS__)
#define NASM_INC(name_, what_, ...)                                                                \
    NASM_FORM(name_##_inc, FORM_LOOP, LOOP_OPS, check_counted, .what = what_ ", ++*x",             \
              __VA_ARGS__);                                                                        \
    NASM_FORM(name_##_inc_straight, FORM_STRAIGHT, STRAIGHT_OPS, check_counted,                    \
              .what = what_ ", ++*x, no loop", __VA_ARGS__)

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

NASM_ROW(inline, INLINE, .unit = NULL);
NASM_INC(inline, INLINE, .unit = &unit_calls_inline_inc);
#define NASM_CALL(name_, what_, piece_, ...)                                                       \
    NASM_ROW(name_, what_, .unit = &unit_calls_##piece_, .callee = &unit_calls_callee,             \
             .floor = FLOOR, __VA_ARGS__);                                                         \
    NASM_INC(name_, what_, .unit = &unit_calls_##piece_##_inc, .callee = &unit_calls_callee_inc,   \
             .floor = FLOOR, __VA_ARGS__)
NASM_CALL(direct, DIRECT, direct);
NASM_CALL(plt, PLT, plt, .stub = &unit_calls_stub_plt);
NASM_CALL(plt_endbr, PLT_CET, plt, .stub = &unit_calls_stub_plt_endbr);
NASM_CALL(got, GOT, got);
NASM_CALL(register, REGISTER, register);
NASM_CALL(virtual, VIRTUAL, virtual);
NASM_CALL(virtual_pic, PIC, virtual, .callee_apart = true);
NASM_CALL(tail, TAIL, plt, .stub = &unit_calls_stub_tail);
NASM_CALL(retpoline, RETPOLINE, retpoline, .stub = &unit_calls_stub_retpoline);

#define NASM_STACK(name_, what_, ...)                                                              \
    NASM_FORM(name_, FORM_LOOP, LOOP_OPS, check_counted, .unit = &unit_calls_##name_,              \
              .what = what_, .callee = &unit_calls_callee_stack, .floor = FLOOR, __VA_ARGS__)
NASM_STACK(stack_aligned, "call, the stack aligned; the callee spills 64 bytes, ++*x");
NASM_STACK(stack_misaligned, "call, the stack misaligned by 8; the callee spills 64 bytes, ++*x",
           .beside = "stack_aligned");

/* What the compiler's bodies find in the object: a callee (calls_register, calls_retpoline) or a
 * table (calls_virtual). */
static void use_callee(struct object *o)
{
    o->table.method = calls_callee;
}

static void use_callee_inc(struct object *o)
{
    o->table.method = calls_callee_inc;
}

static void use_table(struct object *o)
{
    o->vtable = &calls_table;
}

static void use_table_inc(struct object *o)
{
    o->vtable = &calls_table_inc;
}

static void use_table_pic(struct object *o)
{
    o->vtable = &calls_table_pic;
}

static void use_table_pic_inc(struct object *o)
{
    o->vtable = &calls_table_pic_inc;
}

#define C_FORM(name_, function_, setup_, check_, what_, ...)                                       \
    BENCH(calls, name_, .what = what_, .form = FORM_FUNCTION, .ops = LOOP_OPS,                     \
          .function = function_, .empty_function = calls_empty, .setup = setup_, .check = check_,  \
          .errors_are_wrong = true, __VA_ARGS__)
#define C_ROWS(name_, function_, function_inc_, setup_, setup_inc_, what_, ...)                    \
    C_FORM(name_##_c, function_, setup_, uncounted, what_ ", compiled C", __VA_ARGS__);            \
    C_FORM(name_##_inc_c, function_inc_, setup_inc_, check_counted, what_ ", ++*x, compiled C",    \
           __VA_ARGS__)
#define C_CALL(name_, what_)                                                                       \
    C_ROWS(name_, calls_##name_, calls_##name_##_inc, NULL, NULL, what_, .floor = FLOOR)
#define C_POINTER(name_, function_, setup_, what_)                                                 \
    C_ROWS(name_, function_, function_, setup_, setup_##_inc, what_, .floor = FLOOR)

C_ROWS(inline, calls_empty, calls_inline_inc, NULL, NULL, INLINE);
C_CALL(direct, DIRECT);
C_CALL(plt, "call f@PLT of -fPIC code, whose entry jumps through the GOT slot");
C_CALL(plt_endbr, "call f@PLT of -fPIC code, entry and callee begin with ENDBR64");
C_CALL(got, "call *f@GOTPCREL(%rip) of -fPIC -fno-plt code, through the GOT slot");
C_CALL(symbolic, "call f@PLT of -fPIC code, bound to f itself as by -Bsymbolic");
C_CALL(tail, TAIL);
C_POINTER(register, calls_register, use_callee, REGISTER);
C_POINTER(virtual, calls_virtual, use_table, VIRTUAL);
C_POINTER(virtual_pic, calls_virtual, use_table_pic, PIC);
C_POINTER(retpoline, calls_retpoline, use_callee, RETPOLINE);
