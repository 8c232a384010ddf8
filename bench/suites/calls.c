/*
 * What a call costs, by the way it takes. Each row stands three times: NASM in a loop, NASM in
 * straight copies
 * (_straight), and the compiler's loop (_c); each with an empty callee and with one that does ++*x
 * (_inc).
 */
#include "bench/suites/calls.h"

#define LOOP_OPS     1000
#define STRAIGHT_OPS 100

extern const struct unit unit_inline_inc, unit_direct, unit_direct_inc, unit_plt, unit_plt_inc,
    unit_got, unit_got_inc, unit_register, unit_register_inc, unit_virtual, unit_virtual_inc,
    unit_callee, unit_callee_inc, unit_stub_plt, unit_stub_plt_endbr;

static const char *uncounted(const struct object *o, uint64_t operations)
{
    (void)operations;
    return o->counter == 0 ? NULL : "an empty callee changed the counter";
}

static const char *counted(const struct object *o, uint64_t operations)
{
    return o->counter == operations ? NULL : "the counter is not the number of operations";
}

#define NASM_FORM(name_, form_, ops_, check_, ...)                                                 \
    BENCH(calls, name_, .form = form_, .ops = ops_, .check = check_, __VA_ARGS__)
#define NASM_ROW(name_, what_, ...)                                                                \
    NASM_FORM(name_, FORM_LOOP, LOOP_OPS, uncounted, .what = what_, __VA_ARGS__);                  \
    NASM_FORM(name_##_straight, FORM_STRAIGHT, STRAIGHT_OPS, uncounted, .what = what_ ", no loop", \
              __VA_ARGS__)
#define NASM_INC(name_, what_, ...)                                                                \
    NASM_FORM(name_##_inc, FORM_LOOP, LOOP_OPS, counted, .what = what_ ", ++*x", __VA_ARGS__);     \
    NASM_FORM(name_##_inc_straight, FORM_STRAIGHT, STRAIGHT_OPS, counted,                          \
              .what = what_ ", ++*x, no loop", __VA_ARGS__)

#define INLINE   "no call, the work in place"
#define DIRECT   "call rel32"
#define PLT      "call of a stub that jumps through a GOT slot"
#define PLT_CET  "the same with ENDBR64 in the stub"
#define GOT      "call through the GOT slot"
#define REGISTER "call by register"
#define VIRTUAL  "call through the object's table"
#define PIC      "the same, functions in a separate object"

NASM_ROW(inline, INLINE, .unit = NULL);
NASM_INC(inline, INLINE, .unit = &unit_inline_inc);
NASM_ROW(direct, DIRECT, .unit = &unit_direct, .callee = &unit_callee);
NASM_INC(direct, DIRECT, .unit = &unit_direct_inc, .callee = &unit_callee_inc);
NASM_ROW(plt, PLT, .unit = &unit_plt, .callee = &unit_callee, .stub = &unit_stub_plt);
NASM_INC(plt, PLT, .unit = &unit_plt_inc, .callee = &unit_callee_inc, .stub = &unit_stub_plt);
NASM_ROW(plt_endbr, PLT_CET, .unit = &unit_plt, .callee = &unit_callee,
         .stub = &unit_stub_plt_endbr);
NASM_INC(plt_endbr, PLT_CET, .unit = &unit_plt_inc, .callee = &unit_callee_inc,
         .stub = &unit_stub_plt_endbr);
NASM_ROW(got, GOT, .unit = &unit_got, .callee = &unit_callee);
NASM_INC(got, GOT, .unit = &unit_got_inc, .callee = &unit_callee_inc);
NASM_ROW(register, REGISTER, .unit = &unit_register, .callee = &unit_callee);
NASM_INC(register, REGISTER, .unit = &unit_register_inc, .callee = &unit_callee_inc);
NASM_ROW(virtual, VIRTUAL, .unit = &unit_virtual, .callee = &unit_callee);
NASM_INC(virtual, VIRTUAL, .unit = &unit_virtual_inc, .callee = &unit_callee_inc);
NASM_ROW(virtual_pic, PIC, .unit = &unit_virtual, .callee = &unit_callee, .callee_apart = true);
NASM_INC(virtual_pic, PIC, .unit = &unit_virtual_inc, .callee = &unit_callee_inc,
         .callee_apart = true);

/* What the compiler's bodies find in the object: a callee for calls_register, a table for
 * calls_virtual. */
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

#define C_FORM(name_, function_, setup_, check_, what_)                                            \
    BENCH(calls, name_, .what = what_, .form = FORM_FUNCTION, .ops = LOOP_OPS,                     \
          .function = function_, .empty_function = calls_empty, .setup = setup_, .check = check_,  \
          .errors_are_wrong = true)
#define C_ROWS(name_, function_, function_inc_, setup_, setup_inc_, what_)                         \
    C_FORM(name_##_c, function_, setup_, uncounted, what_ ", compiled C");                         \
    C_FORM(name_##_inc_c, function_inc_, setup_inc_, counted, what_ ", ++*x, compiled C")

C_ROWS(inline, calls_empty, calls_inline_inc, NULL, NULL, INLINE);
C_ROWS(direct, calls_direct, calls_direct_inc, NULL, NULL, DIRECT);
C_ROWS(plt, calls_plt, calls_plt_inc, NULL, NULL, PLT);
C_ROWS(plt_endbr, calls_plt_endbr, calls_plt_endbr_inc, NULL, NULL, PLT_CET);
C_ROWS(got, calls_got, calls_got_inc, NULL, NULL, GOT);
C_ROWS(register, calls_register, calls_register, use_callee, use_callee_inc, REGISTER);
C_ROWS(virtual, calls_virtual, calls_virtual, use_table, use_table_inc, VIRTUAL);
C_ROWS(virtual_pic, calls_virtual, calls_virtual, use_table_pic, use_table_pic_inc, PIC);
