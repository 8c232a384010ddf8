#include "kernel/trap/guard.h"
#include "kernel/cpu/msr.h"
#include "kernel/trap/fault.h"
#include "lib/text/fmt.h"

#define BIT(vector) (1u << (vector))
/* #DE #DB #BP #OF #BR #UD #NM #DF #NP #SS #GP #PF #MF #AC #XM: SDM vol. 3A table 6-1. A body with
 * an invalid stack pointer gets #DF, which has a separate stack. #DF is not resumed. */
#define LEFT_FOR                                                                                   \
    (BIT(0) | BIT(1) | BIT(3) | BIT(4) | BIT(5) | BIT(VECTOR_INVALID_OPCODE) | BIT(7) |            \
     BIT(VECTOR_DOUBLE_FAULT) | BIT(11) | BIT(12) | BIT(VECTOR_GENERAL_PROTECTION) |               \
     BIT(VECTOR_PAGE_FAULT) | BIT(16) | BIT(17) | BIT(19))
#define RFLAGS_PLAIN 2u /* bit 1 is always set; DF, TF, AC and IF are clear */

/* kernel/trap/guard.asm. *stack: address of the call's frame; 0 after the call. */
bool guard_enter(volatile uint64_t *stack, void (*fn)(void *ctx), void *ctx);
void guard_exit(void);

bool guard_call(struct core *c, void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    *ended = (struct guard_ended){.by = GUARD_CAME_BACK};
    c->guard_ended = ended;
    return guard_enter(&c->guard_stack, fn, ctx);
}

/* Returns the address of the interrupted code. While a call is stepped this is the stepped
 * instruction, since an NMI may have interrupted the step's handler. */
static uint64_t step_at(const struct core *c, const struct trap_frame *f)
{
    return c->steps && c->steps->traps > 0 && f->vector == VECTOR_NMI ? c->steps->at : f->rip;
}

/* Ends stepping: the call is not continued. */
static void step_drop(struct core *c)
{
    c->steps = NULL;
    branch_trap_restore(&c->branch_trap, &msr_here);
}

bool guard_leave(struct core *c, struct trap_frame *f, enum guard_end by)
{
    if (!c->guard_stack)
        return false;
    c->guard_ended->by = by;
    c->guard_ended->at = step_at(c, f);
    c->guard_ended->refused =
        f->vector == VECTOR_INVALID_OPCODE || f->vector == VECTOR_GENERAL_PROTECTION;
    if (by == GUARD_FAULT)
        (void)fault_what(f, c->guard_ended->what, sizeof c->guard_ended->what);
    f->rip = (uint64_t)guard_exit;
    f->rsp = c->guard_stack;
    f->rflags = RFLAGS_PLAIN;
    if (f->cs != SELECTOR_CODE) {
        row_state_note(&c->state, ROW_CS, f->cs);
        f->cs = SELECTOR_CODE;
        f->ss = SELECTOR_DATA;
    }
    c->guard_stack = 0;
    step_drop(c);
    return true;
}

bool guard_fault(struct core *c, struct trap_frame *f)
{
    return LEFT_FOR >> f->vector & 1 && guard_leave(c, f, GUARD_FAULT);
}

void guard_drop(struct core *c)
{
    c->guard_stack = 0;
}

struct step_result step_call(struct core *c, struct stepping *s, step_entry *entry,
                             const void *code, const uint64_t argument[STEP_ARGUMENTS])
{
    struct step_result result;

    stepping_begin(s);
    branch_trap_clear(&c->branch_trap, &msr_here);
    write_dr6(DR6_RESET);
    c->steps = s;
    result = entry(argument, code);
    step_drop(c);
    return result;
}

bool step_trap(struct core *c, struct trap_frame *f)
{
    struct stepping *s = c->steps;

    if (!s || !(read_dr6() & DR6_BS))
        return false;
    write_dr6(DR6_RESET); /* the CPU never clears it: SDM vol. 3B section 18.2.3 */
    f->rflags = step_flags(f->rflags, stepping_trap(s, f->rip, f->rcx, f->rsp));
    return true;
}
