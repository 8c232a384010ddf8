#include "kernel/trap/step.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/registers.h"

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

uint64_t step_at(const struct core *c, const struct trap_frame *f)
{
    return c->steps && c->steps->traps > 0 && f->vector == VECTOR_NMI ? c->steps->at : f->rip;
}

void step_drop(struct core *c)
{
    c->steps = NULL;
    branch_trap_restore(&c->branch_trap, &msr_here);
}
