#include "kernel/trap/step.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/registers.h"

extern const char _text[] HIDDEN, _etext[] HIDDEN; /* linker.ld */

static uint64_t read_dr6(void)
{
    uint64_t v;

    __asm__ volatile("mov %%dr6, %0" : "=r"(v));
    return v;
}

static void write_dr6(uint64_t v)
{
    __asm__ volatile("mov %0, %%dr6" : : "r"(v));
}

struct step_result step_call(struct core *c, struct steps *s, const void *function,
                             const uint64_t argument[STEP_ARGUMENTS])
{
    struct step_result result;

    s->back = (uint64_t)step_back;
    s->code[0].from = PLATFORM_CODE_VA;
    s->code[0].size = PLATFORM_CODE_SIZE;
    s->code[1].from = (uint64_t)_text;
    s->code[1].size = (uint64_t)_etext - (uint64_t)_text;
    steps_begin(s);
    write_dr6(DR6_RESET);
    c->steps = s;
    result = step_enter(argument, function);
    c->steps = NULL;
    return result;
}

bool step_trap(struct core *c, struct trap_frame *f)
{
    struct steps *s = c->steps;

    if (!s || !(read_dr6() & DR6_BS))
        return false;
    write_dr6(DR6_RESET); /* the CPU never clears it: SDM vol. 3B section 18.2.3 */
    if (steps_trap(s, f->rip, f->rcx, f->rsp))
        f->rflags |= RFLAGS_TF; /* POPF may have cleared it */
    else
        f->rflags &= ~RFLAGS_TF;
    return true;
}

uint64_t step_at(const struct core *c, const struct trap_frame *f)
{
    return c->steps && c->steps->traps > 0 && f->vector == VECTOR_NMI ? c->steps->at : f->rip;
}

void step_drop(struct core *c)
{
    c->steps = NULL;
}
