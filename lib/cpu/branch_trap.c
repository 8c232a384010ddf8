#include "lib/cpu/branch_trap.h"

void branch_trap_clear(struct branch_trap *b, const struct msr_access *a)
{
    b->cleared = msr_keep(&b->kept, a, MSR_DEBUGCTL) && b->kept.was & DEBUGCTL_BTF;
    if (b->cleared)
        (void)msr_change(&b->kept, a, DEBUGCTL_BTF, 0);
}

void branch_trap_restore(struct branch_trap *b, const struct msr_access *a)
{
    if (!b->cleared)
        return;
    b->cleared = false;
    (void)msr_put_back(&b->kept, a);
}
